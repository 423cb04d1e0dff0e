// Renames and references whose unresolved occurrences a real language server resolves, without `engine` in the call.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeProject, processes } from './project.mjs'

/** The type-level code hides the types of the uses from the language pack, but not from TypeScript. */
const SCRIPTS = {
  'src/thing.ts': `export interface Thing { label: string; kind: 'thing' }
export interface Other { label: number; id: number }
export const thing: Thing = { label: 'a', kind: 'thing' }
export const other: Other = { label: 1, id: 2 }
`,
  'src/use.ts': `import { other, thing, type Thing } from './thing.js'

type Unwrapped<T> = T extends { value: infer V } ? V : never
function unwrap<T>(box: T): Unwrapped<T> { return (box as any).value }
function pick<K extends string, V>(entries: [K, V][]): { [Key in K]: V } { return Object.fromEntries(entries) as any }

export const first = unwrap({ value: thing }).label
export const second = unwrap({ value: other }).label
export const third = pick([['one', thing]]).one.label
export function shown() { const { label } = unwrap({ value: thing }); return label }
export function untyped(value: any) { return value.label }
`,
  'src/wrong.ts': 'export const wrong: number = 1\n',
}

const RENAMED = {
  'src/thing.ts': SCRIPTS['src/thing.ts'].replace('Thing { label', 'Thing { title').replace("{ label: 'a'", "{ title: 'a'"),
  'src/use.ts': SCRIPTS['src/use.ts']
    .replace('thing }).label\n', 'thing }).title\n')
    .replace('.one.label', '.one.title')
    .replace('const { label }', 'const { title: label }'),
}

/** The files after a rename by the language pack alone. */
const ALONE = { ...RENAMED, 'src/use.ts': SCRIPTS['src/use.ts'] }

/** The occurrence whose type is `any`. */
const UNTYPED = 'src/use.ts:11:51'

const rename = { file: 'src/thing.ts', refactor: 'rename_symbol', symbol: 'Thing.label', newName: 'title' }

const MODULES = {
  'shop.py': `class Store:
    def find(self, key: str) -> str:
        return key


class Other:
    def find(self) -> int:
        return 1


def open_store() -> Store:
    return Store()
`,
  'use.py': `from shop import Other, Store, open_store


def run(store: Store, other: Other):
    both = [store.find("a"), open_store().find("b")]
    return both, other.find(), "text".find("t")
`,
}

function expect(truth, message) {
  if (!truth) throw new Error(message)
}

const short = (value) => JSON.stringify(value).slice(0, 400)

function differing(project, wanted) {
  return Object.keys(wanted).filter((path) => readFileSync(join(project.folder, path), 'utf8') !== wanted[path])
}

/** Checks a TypeScript server: uses whose types only the server knows follow a rename. */
async function typescript(row, within, name, has) {
  const project = makeProject(`definitions-${name}`, { ...has, files: SCRIPTS })
  const unapproved = makeProject(`definitions-${name}-unapproved`, { ...has, files: SCRIPTS })
  await within(unapproved, { allow: false }, async (marq) => {
    await row(name, 'not allowed: unresolved uses are listed', async () => {
      const answer = await marq.call('file/edit', rename)
      expect(answer.engine === 'typescript' && answer.unresolved.length === 5, short(answer))
      expect(differing(unapproved, ALONE).length === 0, short(differing(unapproved, ALONE)))
      expect(processes(unapproved).length === 0, `runs: ${short(processes(unapproved))}`)
    })
  })
  await within(project, { name }, async (marq) => {
    await row(name, 'unresolved uses are renamed by their definitions', async () => {
      const answer = await marq.call('file/edit', rename)
      expect(short(answer.unresolved) === short([UNTYPED]), short(answer))
      expect(answer.engine === 'typescript, server:typescript', answer.engine)
      expect(answer.completeness === 'syntactic', answer.completeness)
      expect(differing(project, RENAMED).length === 0, readFileSync(join(project.folder, 'src/use.ts'), 'utf8'))
      const problems = await marq.call('query', { type: 'diagnostics', path: 'src/use.ts', engine: 'server', severity: 'error' })
      expect(problems.data.diagnostics.length === 0, short(problems.data))
      await marq.undo()
      return `${answer.totalEdits} edits`
    })
    await row(name, 'the plugin alone lists them', async () => {
      const answer = await marq.call('file/edit', { ...rename, engine: 'plugin', dryRun: true })
      expect(answer.engine === 'typescript' && answer.unresolved.length === 5, short(answer))
    })
    await row(name, 'uncertain references become certain', async () => {
      const answer = await marq.call('query', { type: 'references', path: 'src/thing.ts', symbol: 'Thing.label' })
      const shown = answer.data.references.map(({ path, line, certain }) => `${path}:${line}${certain ? '' : '?'}`)
      const wanted = ['src/use.ts:7', 'src/use.ts:9', 'src/use.ts:10', 'src/use.ts:11?']
      expect(short(shown) === short(wanted), short(answer))
      expect(answer.engine === 'typescript, server:typescript' && !answer.completeness.startsWith('complete'), short(answer))
      return answer.completeness
    })
  })
  for (const [number, delay] of [0, 20, 100].entries()) {
    const killed = makeProject(`definitions-${name}-killed-${number}`, { ...has, files: SCRIPTS })
    await within(killed, {}, async (marq) => {
      await row(name, `killed ${delay} ms after such a rename began`, async () => {
        await marq.call('query', { type: 'hover', path: 'src/use.ts', line: 7, column: 13, engine: 'server' })
        const before = processes(killed)
        const renamed = marq.call('file/edit', rename)
        await sleep(delay)
        for (const { id } of before) kill(id)
        const answer = await renamed
        const whole = answer.unresolved.length === 1 ? RENAMED : ALONE
        expect(differing(killed, whole).length === 0, `half written: ${short(answer)}`)
        return `${answer.unresolved.length} listed; ${answer.warnings ?? 'no warning'}`
      })
    })
  }
}

function kill(id) {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // The process ended together with its parent.
  }
}

/** Checks members whose classes the pack of Python knows: it renames them and finds their references without the server. */
async function pyright(row, within) {
  const name = 'pyright'
  const member = { file: 'shop.py', refactor: 'rename_symbol', symbol: 'Store.find', newName: 'look_up' }
  const has = { programs: ['pyright-langserver'], files: MODULES }
  const unapproved = makeProject('definitions-pyright-unapproved', has)
  await within(unapproved, { allow: false }, async (marq) => {
    await row(name, 'not allowed: the pack renames a member', async () => {
      const answer = await marq.call('file/edit', { ...member, dryRun: true })
      expect(answer.totalEdits === 3 && !String(answer.engine).startsWith('server'), short(answer))
      expect(processes(unapproved).length === 0, `runs: ${short(processes(unapproved))}`)
    })
  })
  const project = makeProject('definitions-pyright', has)
  await within(project, { name }, async (marq) => {
    await row(name, 'references to a member, without naming the engine', async () => {
      const answer = await marq.call('query', { type: 'references', path: 'shop.py', symbol: 'Store.find' })
      const shown = answer.data.references.map(({ path, line, column }) => `${path}:${line}:${column}`)
      expect(short(shown) === short(['use.py:5:18', 'use.py:5:42']), short(answer))
      expect(answer.completeness === 'complete' && !String(answer.engine).startsWith('server'), short(answer))
      return answer.completeness
    })
    await row(name, 'rename of a member, without naming the engine', async () => {
      const answer = await marq.call('file/edit', member)
      const wanted = {
        'shop.py': MODULES['shop.py'].replace('find(self, key', 'look_up(self, key'),
        'use.py': MODULES['use.py'].replace('store.find', 'store.look_up').replace('open_store().find', 'open_store().look_up'),
      }
      expect(differing(project, wanted).length === 0, readFileSync(join(project.folder, 'use.py'), 'utf8'))
      expect(answer.completeness === 'complete' && !String(answer.engine).startsWith('server'), short(answer))
      await marq.undo()
      return `${answer.totalEdits} edits, listed: ${answer.unresolved}`
    })
  })
}

/** A server that reports definitions but never answers a request for one. */
const HANGS = `#!/usr/bin/env node
process.stdin.on('data', (bytes) => {
  if (!/"method":"initialize"/.test(bytes)) return
  const id = Number(/"id":(\\d+)/.exec(bytes)[1])
  const text = JSON.stringify({ jsonrpc: '2.0', id, result: { capabilities: { definitionProvider: true } } })
  process.stdout.write('Content-Length: ' + text.length + '\\r\\n\\r\\n' + text)
})
`

async function hangs(row, within) {
  const files = { ...SCRIPTS, 'registry.toml': 'marquetry = 1\n[servers.typescript]\nlimits = { seconds = 2 }\n' }
  const project = makeProject('definitions-hang', { scripts: { 'typescript-language-server': HANGS }, files })
  await within(project, {}, async (marq) => {
    await row('one that hangs', 'a rename continues without it', async () => {
      const begun = performance.now()
      const answer = await marq.call('file/edit', rename)
      expect(answer.engine === 'typescript' && answer.unresolved.length === 5, short(answer))
      expect(differing(project, ALONE).length === 0, short(differing(project, ALONE)))
      expect(performance.now() - begun < 10_000, 'the call waits too long')
      return answer.warnings.join(' ')
    })
  })
}

/** Runs all checks. `row` prints a line and counts failures; `within` opens a session in a project. */
export async function definitions(row, within, native) {
  await typescript(row, within, 'typescript-language-server', { programs: ['typescript-language-server'], packages: ['typescript'] })
  await typescript(row, within, 'typescript 7', { packages: [native] })
  await pyright(row, within)
  await hangs(row, within)
}
