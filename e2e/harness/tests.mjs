// Runs the tests that a package ships with its sources, without network, before and after refactorings.

import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { E2E } from './tree.mjs'

const TARGET = join(E2E, '../target/e2e/tests')

/** Installs the test runner, at the version in `e2e/tests/package-lock.json`. */
function install() {
  const lock = readFileSync(join(E2E, 'tests/package-lock.json'), 'utf8')
  const stamp = join(TARGET, '.installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  mkdirSync(TARGET, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(E2E, 'tests', file), join(TARGET, file))
  execFileSync('npm', ['ci', '--prefix', TARGET, '--no-audit', '--no-fund', '--loglevel=error'], { stdio: 'inherit' })
  writeFileSync(stamp, lock)
}

/**
 * Runs the tests of a project in a folder with its sources: all of them, or some files. Returns the number of tests and
 * the names of those that fail; files that cannot be loaded are included.
 */
export async function runTests(project, folder, files = []) {
  install()
  link(join(TARGET, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'vitest.config.mjs'), configuration(project, folder))
  const report = join(folder, 'node_modules/.tests.json')
  const program = join(TARGET, 'node_modules/.bin/vitest')
  const options = ['run', '--root', folder, '--reporter=json', `--outputFile=${report}`, ...files]
  await new Promise((resolve) => execFile(program, options, { cwd: folder, maxBuffer: 1 << 28 }, () => resolve()))
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const failing = new Set()
  let all = 0
  for (const { name, status, assertionResults } of testResults) {
    const file = relative(folder, name)
    all += assertionResults.length
    if (status === 'failed' && assertionResults.length === 0) failing.add(file)
    for (const one of assertionResults) if (one.status === 'failed') failing.add(`${file} > ${one.fullName}`)
  }
  return { all, failing }
}

/** Returns the file of a test from its name. */
export const fileOf = (test) => test.split(' > ')[0]

/** Links packages into a folder that does not have them. */
function link(from, to) {
  for (const name of readdirSync(from)) {
    if (!name.startsWith('.') && !existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name))
  }
}

function configuration({ tests }, folder) {
  const aliases = Object.entries(tests.aliases).map(([name, path]) => ({ find: name, replacement: join(folder, path) }))
  const alias = aliases.map(({ find, replacement }) => `{ find: new RegExp(${JSON.stringify(find)}), replacement: ${JSON.stringify(replacement)} }`)
  return `export default { resolve: { alias: [${alias.join(', ')}] }, test: { include: ${JSON.stringify(tests.include)}, watch: false } }\n`
}
