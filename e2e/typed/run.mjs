// Tests the typed clients: their own tests, the type checkers of both languages, a real server, and the programs in pages.
//
//   node run.mjs [--marq PROGRAM]

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { examples } from './examples.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const TOP = join(HERE, '../..')
const TARGET = join(TOP, 'target/e2e/typed')
const CLIENTS = join(TOP, 'sdk/clients')
const SHOP = join(TOP, 'examples/shop')
/** Pages with programs. */
const PAGES = ['docs/typed-clients.md', 'sdk/clients/typescript/README.md', 'sdk/clients/python/README.md']

const { values: flags } = parseArgs({ options: { marq: { type: 'string', default: join(TOP, 'target/debug/marq') } } })
const env = { ...process.env, MARQ: flags.marq, SHOP, MARQ_STATE_DIR: join(TARGET, 'state') }

function run(program, args, { cwd = TARGET, ...more } = {}) {
  execFileSync(program, args, { stdio: 'inherit', cwd, env: { ...env, ...more } })
}

function step(what, make) {
  const started = performance.now()
  make()
  console.log(`    ${what}: passed in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

/** Runs `make` unless the file already contains this text. */
function once(file, text, make) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  make()
  writeFileSync(file, text)
}

/** Makes an empty folder. */
function fresh(name) {
  const folder = join(TARGET, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Installs the type checkers, and the client as npm packs it. */
function installTypeScript() {
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json']) cpSync(join(HERE, file), join(TARGET, file))
  once(join(TARGET, '.installed-npm'), readFileSync(join(HERE, 'package-lock.json'), 'utf8'), () => {
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  })
  const packed = fresh('packed')
  run('npm', ['pack', '--silent', '--pack-destination', packed, join(CLIENTS, 'typescript')])
  const { version } = JSON.parse(readFileSync(join(CLIENTS, 'typescript/package.json'), 'utf8'))
  const folder = fresh('node_modules/@marquetry/client')
  run('tar', ['-xzf', join(packed, `marquetry-client-${version}.tgz`), '--strip-components=1', '-C', folder])
}

/** Installs the client of Python in a separate environment. Returns the interpreter. */
function installPython() {
  const folder = join(TARGET, 'python')
  const python = join(folder, 'bin/python')
  const pip = (...args) => run(python, ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', ...args])
  once(join(TARGET, '.installed-python'), readFileSync(join(HERE, 'requirements.txt'), 'utf8'), () => {
    run('python3', ['-m', 'venv', '--clear', folder])
    pip('--requirement', join(HERE, 'requirements.txt'))
  })
  // The build writes into its sources.
  const sources = fresh('python-sources')
  cpSync(join(CLIENTS, 'python'), sources, { recursive: true, filter: (path) => !path.includes('__pycache__') })
  pip('--no-deps', '--no-build-isolation', '--force-reinstall', sources)
  return python
}

const tsc = (...args) => run('node', [join(TARGET, 'node_modules/typescript/bin/tsc'), ...args])
const pyright = (python, folder) =>
  run('node', [join(TARGET, 'node_modules/pyright/index.js'), '--pythonpath', python, '--project', folder])

/** Settings of pyright: a comment that ignores an error must be needed. */
const STRICT = JSON.stringify({ typeCheckingMode: 'strict', pythonVersion: '3.11', reportUnnecessaryTypeIgnoreComment: 'error' })

mkdirSync(TARGET, { recursive: true })
let python
step('installation', () => {
  installTypeScript()
  python = installPython()
})
step('tests of the TypeScript client', () => {
  const folder = join(CLIENTS, 'typescript/test')
  const tests = readdirSync(folder).filter((name) => name.endsWith('.test.js')).map((name) => join(folder, name))
  run('node', ['--test', '--test-reporter=dot', ...tests, join(HERE, 'examples.test.mjs')])
})
step('tests of the Python client', () => {
  const flags = ['-W', 'error']
  run(python, [...flags, '-m', 'unittest', 'discover', '--quiet', '-s', 'tests'], { cwd: join(CLIENTS, 'python'), PYTHONDONTWRITEBYTECODE: '1' })
})

const written = examples(PAGES.map((page) => ({ page, text: readFileSync(join(TOP, page), 'utf8') })))
step('types of TypeScript: tsc --strict', () => {
  cpSync(join(HERE, 'usage.ts'), join(TARGET, 'usage.ts'))
  for (const { name, text } of written.typescript) writeFileSync(join(TARGET, name), text)
  tsc('--project', 'tsconfig.json')
})
step('types of Python: pyright, strict', () => {
  const folder = fresh('pyright')
  writeFileSync(join(folder, 'pyrightconfig.json'), STRICT)
  cpSync(join(HERE, 'usage.py'), join(folder, 'usage.py'))
  cpSync(join(CLIENTS, 'python/marquetry_client'), join(folder, 'marquetry_client'), { recursive: true })
  for (const { name, text } of written.python) writeFileSync(join(folder, name), text)
  pyright(python, folder)
})
step('the TypeScript client with a server', () => run('node', ['--test', '--test-reporter=dot', 'built/usage.js']))
step('the Python client with a server', () => run(python, [join(HERE, 'usage.py'), '--quiet']))

/** Runs a program of a page in a copy of the sample workspace, with `marq` on the path. */
function runExample(program, args, { page, output }) {
  const cwd = fresh('example')
  cpSync(SHOP, cwd, { recursive: true })
  const path = `${fakePath()}${delimiter}${process.env.PATH}`
  const printed = execFileSync(program, args, { cwd, env: { ...env, PATH: path }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (output !== undefined && printed !== output) throw new Error(`${page}: the program prints\n${printed}instead of\n${output}`)
}

/** A folder in which the program has the name `marq`. */
function fakePath() {
  if (flags.marq.endsWith('/marq')) return dirname(flags.marq)
  const folder = fresh('bin')
  cpSync(flags.marq, join(folder, 'marq'))
  return folder
}

step(`${written.typescript.length + written.python.length} programs of pages`, () => {
  for (const example of written.typescript) {
    runExample('node', [join(TARGET, 'built', example.name.replace(/\.ts$/, '.js'))], example)
  }
  for (const example of written.python) runExample(python, [join(TARGET, 'pyright', example.name)], example)
})
