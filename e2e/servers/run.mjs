// Tests marq with the language servers that projects install: detected, queried, killed, hanging, not approved.
//
//   node run.mjs [--marq PROGRAM] [--only TEXT]

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Marq, Refused } from '../harness/marq.mjs'
import { FILES, HERE, makeProject, placeOf, processes, texts } from './project.mjs'
import { definitions } from './definitions.mjs'
import { questions } from './questions.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(HERE, '../../target/debug/marq') },
    only: { type: 'string', default: '' },
  },
})

flags.marq = resolve(flags.marq)

/** Timeout in milliseconds, longer than any time limit of the servers used here. */
const PATIENCE = 90_000
const rows = []

/** Prints one line of the table. `check` throws if something is wrong, and may return details. */
async function row(server, what, check) {
  if (flags.only && !`${server} ${what}`.includes(flags.only)) return
  const begun = performance.now()
  let wrong
  let saw = ''
  try {
    saw = (await check()) ?? ''
  } catch (error) {
    wrong = error.message
  }
  const took = Math.round(performance.now() - begun)
  rows.push({ wrong })
  console.log(`    ${server.padEnd(28)} ${what.padEnd(44)} ${wrong ? 'WRONG' : 'well '} ${String(took).padStart(6)} ms  ${wrong ?? saw}`)
}

function expect(truth, message) {
  if (!truth) throw new Error(message)
}

const short = (value) => JSON.stringify(value).slice(0, 300)

function runMarq(project, ...rest) {
  const env = { ...process.env, MARQ_STATE_DIR: project.state }
  return execFileSync(flags.marq, [...rest, '--root', project.folder], { env, encoding: 'utf8', stdio: 'pipe' })
}

/** Runs `work` with a session in a project. Afterwards, none of its servers may be running. */
async function within(project, { allow = true, name }, work) {
  if (allow) runMarq(project, 'trust', '--allow')
  const marq = new Marq(flags.marq, project.folder, project.state, PATIENCE)
  try {
    await work(marq)
  } finally {
    await marq.close()
    const gone = async () => {
      for (let waited = 0; processes(project).length > 0 && waited < 50; waited++) await sleep(100)
      const left = processes(project)
      for (const { id } of left) tryKill(id)
      expect(left.length === 0, `still runs: ${short(left)}`)
    }
    // If marq is killed, it cannot stop its servers, so each server must notice the end of its input.
    if (name) await row(name, 'ends when marq is killed', gone)
    else await gone()
  }
}

const query = (marq, type, path, rest = {}) => marq.call('query', { type, path, engine: 'server', ...rest })

async function refusal(promise) {
  try {
    const answer = await promise
    throw new Error(`answered: ${short(answer)}`)
  } catch (error) {
    if (error instanceof Refused) return error.menu
    throw error
  }
}

/** Checks the answers of one server for one file: hover and diagnostics. */
async function opinions(marq, server, path, { at, hover, problem }) {
  const by = `server:${server}`
  await row(server, `hover of ${path}`, async () => {
    const answer = await query(marq, 'hover', path, at)
    expect(answer.engine === by, `answered by ${answer.engine}`)
    expect(hover.test(answer.data.contents), `says ${short(answer.data.contents)}`)
    expect(!answer.data.contents.includes('data:'), 'it shows pictures')
    return short(answer.data.contents).slice(0, 60)
  })
  await row(server, `diagnostics of ${path}`, async () => {
    const answer = await query(marq, 'diagnostics', path)
    expect(answer.engine === by, `answered by ${answer.engine}`)
    const found = answer.data.diagnostics
    expect(found.length === 1 && problem.test(found[0].message), `says ${short(found)}; ${answer.completeness}`)
    expect(!answer.completeness.startsWith('partial'), answer.completeness)
    return `${found[0].line}:${found[0].column} ${found[0].message.slice(0, 60)}`
  })
  await row(server, `diagnostics again, as another file changed`, async () => {
    const begun = performance.now()
    await marq.call('file/edit', { file: 'src/wrong.ts', operation: 'replace_text', old: "'x'", content: "'y'" })
    const answer = await query(marq, 'diagnostics', path)
    await marq.undo()
    expect(answer.data.diagnostics.length === 1, `says ${short(answer.data.diagnostics)}; ${answer.completeness}`)
    expect(performance.now() - begun < 10_000, 'waits for diagnostics that the server does not send')
    return answer.completeness.split(':')[0]
  })
}

const MEMBER = placeOf('src/use.ts', 'open().', 'label')
const renaming = { file: 'src/use.ts', refactor: 'rename_symbol', newName: 'title', engine: 'server', ...MEMBER }
const RENAMED = {
  ...FILES,
  'src/thing.ts': FILES['src/thing.ts'].replace('label: string\n', 'title: string\n').replace('{ label }', '{ title: label }'),
  'src/use.ts': FILES['src/use.ts'].replace('open().label', 'open().title'),
  'src/wrong.ts': FILES['src/wrong.ts'].replace(').label', ').title'),
}

function differing(project, wanted) {
  const now = texts(project)
  return Object.keys(wanted).filter((path) => now[path] !== wanted[path])
}

/** Checks the queries of a TypeScript server. */
async function typescript(name, has) {
  const project = makeProject(name, has)
  await within(project, { name }, async (marq) => {
    await row(name, 'references to a member, from another object', async () => {
      const answer = await query(marq, 'references', 'src/use.ts', { ...MEMBER, includeDeclaration: true })
      const found = answer.data.references.map(({ path, line }) => `${path}:${line}`).sort()
      expect(short(found) === short(['src/thing.ts:16', 'src/thing.ts:3', 'src/use.ts:4', 'src/wrong.ts:3']), short(found))
      return answer.completeness.split(':')[0]
    })
    await row(name, 'hover of a member', async () => {
      const answer = await query(marq, 'hover', 'src/use.ts', MEMBER)
      expect(/Thing\.label: string/.test(answer.data.contents), short(answer.data.contents))
      const { start } = answer.data.range
      expect(start.line === MEMBER.line && start.column === MEMBER.column, short(answer.data.range))
      return short(answer.data.contents)
    })
    await row(name, 'diagnostics with types', async () => {
      const answer = await query(marq, 'diagnostics', 'src/wrong.ts')
      const found = answer.data.diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`)
      expect(found.length === 1 && /^3:13 .*'string' is not assignable to type 'number'/.test(found[0]), `${short(found)} ${answer.completeness}`)
      return found[0]
    })
    await row(name, 'diagnostics of a file without a problem', async () => {
      const answer = await query(marq, 'diagnostics', 'src/thing.ts')
      expect(answer.data.diagnostics.length === 0, short(answer.data.diagnostics))
      return answer.completeness.split(':')[0]
    })
    await row(name, 'an edit that adds a type error is refused', async () => {
      const menu = await refusal(
        marq.call('file/edit', { file: 'src/thing.ts', operation: 'replace_text', old: 'label: string\n', content: 'label: boolean\n', check: true }),
      )
      expect(menu.kind === 'RefactorFailed' && /not assignable/.test(menu.message), short(menu))
      expect(differing(project, FILES).length === 0, 'something was written')
      return menu.message.slice(0, 90)
    })
    await row(name, 'rename of a member, from another object', async () => {
      const answer = await marq.call('file/edit', renaming)
      expect(differing(project, RENAMED).length === 0, `other than wanted: ${short(differing(project, RENAMED))} ${short(texts(project))}`)
      await marq.undo(answer.id ?? answer.undoId)
      expect(differing(project, FILES).length === 0, 'it was not undone')
      return `${answer.totalEdits} edits`
    })
    await row(name, 'a change on disk is noticed', async () => {
      await marq.call('file/edit', { file: 'src/thing.ts', operation: 'replace_text', old: 'label: string\n', content: 'label: number\n' })
      const answer = await query(marq, 'diagnostics', 'src/wrong.ts')
      expect(answer.data.diagnostics.length === 0, short(answer.data.diagnostics))
      await marq.undo()
      return 'the error is gone'
    })
  })
  await killed(name, has)
}

/** Kills the server during a rename: the error must have a kind, and the rename must be complete or absent. */
async function killed(name, has) {
  for (const [number, delay] of [0, 5, 30].entries()) {
    const project = makeProject(`${name}-killed-${number}`, has)
    await within(project, {}, async (marq) => {
      await row(name, `killed ${delay} ms after a rename began`, async () => {
        await query(marq, 'hover', 'src/use.ts', MEMBER)
        const before = processes(project)
        expect(before.length > 0, 'no server runs')
        const renamed = marq.call('file/edit', renaming).then(() => 'renamed', (error) => error)
        await sleep(delay)
        for (const { id } of before) tryKill(id)
        const came = await renamed
        const whole = came === 'renamed' ? RENAMED : FILES
        expect(came === 'renamed' || (came instanceof Refused && came.menu.kind === 'PluginFailed'), `failed as ${came.message ?? came}`)
        expect(differing(project, whole).length === 0, `half written: ${short(differing(project, whole))}`)
        const again = await query(marq, 'hover', 'src/use.ts', MEMBER)
        expect(again.engine === 'server:typescript', short(again))
        return came === 'renamed' ? 'all files renamed' : came.menu.message.slice(0, 80)
      })
    })
  }
}

function tryKill(id) {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // The process ended together with its parent.
  }
}

const SCRIPT = `#!/bin/bash
# Greets.
greet() {
  echo "hello $1"
}

main() {
  greet world
}

main
`

/** Files without a pack: outline, edits by symbol and renames by the ranges of their server. */
async function withoutPack() {
  const project = makeProject('without-pack', { programs: ['bash-language-server'], files: { 'run.sh': SCRIPT } })
  const name = 'bash-language-server'
  const text = () => readFileSync(join(project.folder, 'run.sh'), 'utf8')
  await within(project, { name }, async (marq) => {
    const edit = (rest) => marq.call('file/edit', { file: 'run.sh', ...rest })
    await row(name, 'outline of a file without a pack', async () => {
      const answer = await marq.call('query', { type: 'documentSymbols', path: 'run.sh' })
      const names = answer.data.symbols.map(({ name }) => name)
      expect(answer.engine === `server:${name}` && short(names) === '["greet","main"]', short(answer))
      return answer.completeness
    })
    await row(name, 'edits by symbol, one after another', async () => {
      await edit({ symbol: 'main', operation: 'replace_body', content: 'greet you\ngreet me' })
      await edit({ symbol: 'greet', operation: 'insert_after', content: 'part() {\n  echo bye\n}' })
      await edit({ symbol: 'part', operation: 'replace_body', content: 'echo a\necho b' })
      await edit({ symbol: 'greet', operation: 'delete' })
      const wanted = '#!/bin/bash\n\npart() {\n  echo a\n  echo b\n}\n\nmain() {\n  greet you\n  greet me\n}\n\nmain\n'
      expect(text() === wanted, short(text()))
      for (let undone = 0; undone < 4; undone++) await marq.undo()
      expect(text() === SCRIPT, 'it was not undone')
    })
    await row(name, 'rename without naming the engine', async () => {
      const answer = await edit({ refactor: 'rename_symbol', symbol: 'greet', newName: 'hail' })
      expect(text() === SCRIPT.replaceAll('greet', 'hail'), short(text()))
      expect(answer.completeness.startsWith('syntactic'), answer.completeness)
      return answer.engine
    })
    await row(name, 'an edit that breaks another function is refused', async () => {
      const menu = await refusal(edit({ symbol: 'hail', operation: 'replace', content: 'hail() { echo "' }))
      expect(/would no longer report/.test(menu.message), short(menu))
      return menu.message
    })
  })
}

/** A server that answers the `initialize` request and then hangs. */
const HANGS = `#!/usr/bin/env node
process.stdin.on('data', (bytes) => {
  const id = /"id":(\\d+)[^{]*"method":"initialize"|"method":"initialize"/.exec(bytes)
  if (!id) return
  const number = Number(/"id":(\\d+)/.exec(bytes)[1])
  const text = JSON.stringify({ jsonrpc: '2.0', id: number, result: { capabilities: { hoverProvider: true } } })
  process.stdout.write('Content-Length: ' + text.length + '\\r\\n\\r\\n' + text)
})
`

async function hangs() {
  const files = { 'registry.toml': 'marquetry = 1\n[servers.yaml]\nlimits = { seconds = 2 }\n' }
  const project = makeProject('hangs', { scripts: { 'yaml-language-server': HANGS }, files })
  await within(project, {}, async (marq) => {
    await row('one that hangs', 'hover fails with an error', async () => {
      const menu = await refusal(query(marq, 'hover', 'thing.yaml', { line: 2, column: 0 }))
      expect(menu.kind === 'PluginFailed' && /did not answer `textDocument\/hover` in 2 s/.test(menu.message), short(menu))
      expect(processes(project).length === 0, `still runs: ${short(processes(project))}`)
      return menu.message
    })
    await row('one that hangs', 'the pack still answers', async () => {
      const answer = await marq.call('query', { type: 'documentSymbols', path: 'thing.yaml' })
      expect(answer.data.symbols.length === 1, short(answer))
      return answer.engine
    })
  })
}

async function untrusted() {
  const everything = { programs: PROGRAMS, packages: ['typescript', NATIVE] }
  const project = makeProject('untrusted', everything)
  await within(project, { allow: false }, async (marq) => {
    for (const path of ['src/use.ts', 'thing.json', 'thing.yaml', 'style.css', 'page.html']) {
      await row('not allowed', `${path} is not asked about`, async () => {
        const menu = await refusal(query(marq, 'diagnostics', path))
        expect(menu.kind === 'PermissionDenied' && /marq trust --allow/.test(menu.hint), short(menu))
        expect(processes(project).length === 0, `runs: ${short(processes(project))}`)
        return menu.message
      })
    }
    await row('not allowed', 'a dry run does not use servers', async () => {
      const edit = { file: 'src/use.ts', operation: 'replace_text', old: "'one'", content: "'two'", check: true }
      const answer = await marq.call('file/edit', edit)
      expect(!/trust|types/.test(JSON.stringify(answer.checked)), short(answer.checked))
      expect(processes(project).length === 0, `runs: ${short(processes(project))}`)
      return short(answer.checked.checked)
    })
    await row('not allowed', 'they are listed', () => {
      const listed = runMarq(project, 'trust')
      for (const name of ['css', 'html', 'json', 'typescript', 'yaml']) expect(listed.includes(`servers.${name}: starts`), listed)
      return listed.trim().split('\n').at(-1)
    })
  })
}

const NATIVE = `@typescript/typescript-${process.platform}-${process.arch}`
const PROGRAMS = ['typescript-language-server', 'vscode-json-language-server', 'vscode-css-language-server', 'vscode-html-language-server', 'yaml-language-server']

async function main() {
  const begun = performance.now()
  await questions(flags.marq, row, PROGRAMS)
  await untrusted()
  await typescript('typescript-language-server', { programs: ['typescript-language-server'], packages: ['typescript'] })
  await typescript('typescript 7', { packages: [NATIVE] })
  await typescript('tsgo (native preview)', { programs: ['tsgo'] })
  await definitions(row, within, NATIVE)
  const project = makeProject('formats', { programs: PROGRAMS })
  await within(project, { name: 'json, css, html, yaml' }, async (marq) => {
    const size = /How large the thing is/
    const json = { at: placeOf('thing.json', '"', 'size'), hover: size, problem: /Incorrect type/ }
    await opinions(marq, 'json', 'thing.json', json)
    await row('json', 'comments of a tsconfig.json are not reported', async () => {
      const answer = await query(marq, 'diagnostics', 'tsconfig.json')
      expect(answer.data.diagnostics.length === 0, short(answer.data.diagnostics))
    })
    await opinions(marq, 'css', 'style.css', { at: placeOf('style.css', '  ', 'color:'), hover: /color of an element's text/i, problem: /[Uu]nknown property/ })
    await opinions(marq, 'html', 'page.html', { at: placeOf('page.html', '<', 'table'), hover: /table element/, problem: /[Uu]nknown property/ })
    await opinions(marq, 'yaml', 'thing.yaml', { at: placeOf('thing.yaml', '', 'size'), hover: size, problem: /Incorrect type/ })
  })
  await withoutPack()
  await hangs()
  const wrong = rows.filter(({ wrong }) => wrong).length
  console.log(`\n${wrong === 0 ? 'all checks passed' : `${wrong} of ${rows.length} are wrong`}, ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  process.exitCode = wrong === 0 ? 0 : 1
}

await main()
