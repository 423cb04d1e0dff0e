// The client of TypeScript with a real server: reads, edits, moves, undo, errors, progress, cancellation. The type checker
// reads this file too: a line after `@ts-expect-error` must be wrong.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Marquetry, MarquetryError, ProcessError } from '@marquetry/client'
import type { Event, FileEditArguments, FileEditResult, Progress, QueryResult, References } from '@marquetry/client'

const program = process.env['MARQ'] ?? 'marq'
const shop = process.env['SHOP'] ?? 'examples/shop'

/** Runs a test with a client in a copy of the sample workspace, or in another folder. */
function withShop(name: string, run: (marq: Marquetry, root: string, events: Event[]) => Promise<void>, fill = copyShop) {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'marquetry-'))
    const root = join(folder, 'root')
    fill(root)
    const events: Event[] = []
    const env = { ...process.env, MARQ_STATE_DIR: join(folder, 'state') }
    const client = { name: 'usage', version: '1' }
    const marq = new Marquetry({ program, root, env, client, onEvent: (event) => events.push(event) })
    try {
      await run(marq, root, events)
    } finally {
      await marq.close()
      rmSync(folder, { recursive: true })
    }
  })
}

function copyShop(root: string) {
  cpSync(shop, root, { recursive: true })
}

/** A project in which a symbol has uses in many files. */
function writeManyFiles(root: string) {
  mkdirSync(root)
  writeFileSync(join(root, 'base.ts'), 'export const base = 1\n')
  for (let number = 0; number < 1500; number++) {
    writeFileSync(join(root, `f${number}.ts`), `import { base } from './base.js'\nexport const f${number} = base\n`)
  }
}

async function failure(promise: Promise<unknown>): Promise<MarquetryError> {
  const error: unknown = await promise.then(() => assert.fail('the call must fail'), (error: unknown) => error)
  assert.ok(error instanceof MarquetryError, String(error))
  return error
}

withShop('reads', async (marq) => {
  const { content, range, hash } = await marq.fileRead({ file: 'src/cart.ts', symbol: 'Cart.toString', format: 'full' })
  const text: string | undefined = content
  assert.match(text ?? '', /^toString\(\): string \{/)
  assert.equal(range?.start.line, 27)
  assert.equal(typeof hash, 'string')
  const { value } = await marq.fileRead({ file: 'package.json', path: '$.scripts', values: true })
  assert.deepEqual(value, { build: 'tsc --build', test: 'vitest run' })
})

withShop('edits, and undoes the edit', async (marq, root) => {
  const before = readFileSync(join(root, 'package.json'), 'utf8')
  const edit: FileEditArguments = { file: 'package.json', path: '$.version', operation: 'replace', content: '"2.0.0"' }
  const dry: FileEditResult = await marq.fileEdit({ ...edit, dryRun: true })
  assert.ok(dry.dryRun && dry.id === undefined)
  assert.equal(readFileSync(join(root, 'package.json'), 'utf8'), before)
  const { diff, id, changes } = await marq.fileEdit({ ...edit, why: 'a new version', check: undefined })
  assert.match(diff, /\+ {2}"version": "2\.0\.0",/)
  const position: number | undefined = changes[0]?.edits[0]?.range.start[0]
  assert.equal(position, 3)
  assert.equal(readFileSync(join(root, 'package.json'), 'utf8'), before.replace('1.4.0', '2.0.0'))
  const [change] = (await marq.fileHistory({ limit: 1 })).changes
  assert.deepEqual([change?.id, change?.client, change?.why], [id, 'usage 1', 'a new version'])
  const { success, undone } = await marq.fileUndo({ id })
  assert.ok(success && undone.undone)
  assert.equal(readFileSync(join(root, 'package.json'), 'utf8'), before)
})

withShop('moves files with their references', async (marq, root) => {
  const { importsUpdated } = await marq.fileMove({ source: 'src/money.ts', destination: 'src/lib/money.ts' })
  assert.deepEqual(importsUpdated, [{ file: 'src/cart.ts', changes: [{ old: './money.js', new: './lib/money.js' }] }])
  assert.match(readFileSync(join(root, 'src/cart.ts'), 'utf8'), /from "\.\/lib\/money\.js"/)
  await marq.fileUndo()
  assert.match(readFileSync(join(root, 'src/cart.ts'), 'utf8'), /from "\.\/money\.js"/)
})

withShop('creates, copies, renames and deletes', async (marq, root) => {
  assert.equal((await marq.fileCreate({ path: 'a.txt', content: 'é\u2028☃\n' })).size, 9)
  assert.equal((await marq.fileRead({ file: 'a.txt', format: 'full' })).content, 'é\u2028☃\n')
  assert.equal((await marq.fileDuplicate({ source: 'a.txt', destination: 'b.txt' })).duplicated, true)
  assert.equal((await marq.fileRename({ path: 'b.txt', newName: 'c.txt' })).newPath, 'c.txt')
  assert.deepEqual((await marq.fileDelete({ paths: ['a.txt', 'c.txt'] })).deleted, ['a.txt', 'c.txt'])
  assert.ok(!readdirSync(root).some((name) => name.endsWith('.txt')))
})

withShop('has a type for the answer to each query', async (marq, root) => {
  execFileSync('git', ['init', '--quiet', root])
  const at = { path: 'src/cart.ts', line: 28, column: 42 }
  const symbol = { path: 'src/product.ts', symbol: 'Product' }
  const references: QueryResult<'references'> = await marq.query({ type: 'references', ...symbol })
  const data: References = references.data
  assert.ok(data.references.every(({ path }) => path === 'src/cart.ts'))
  assert.equal((await marq.query({ type: 'symbolInfo', ...symbol })).data.name, 'Product')
  assert.match((await marq.query({ type: 'hover', ...at })).data.contents, /formatPrice/)
  assert.ok(Array.isArray((await marq.query({ type: 'typeDefinition', path: 'src/cart.ts', symbol: 'Cart.products' })).data.definitions))
  assert.equal((await marq.query({ type: 'documentSymbols', path: 'src/money.ts' })).data.symbols[0]?.name, 'formatPrice')
  assert.deepEqual((await marq.query({ type: 'diagnostics', path: 'src/money.ts' })).data.diagnostics, [])
  assert.ok((await marq.query({ type: 'dependencies', path: 'src/cart.ts' })).data.dependencies.length >= 2)
  assert.ok((await marq.query({ type: 'workspaceSymbols', query: '*Price*' })).data.symbols.length > 0)
  for (const type of ['implementations', 'typeHierarchy'] as const) {
    assert.ok(Array.isArray((await marq.query({ type, ...symbol })).data.items))
  }
  assert.ok((await marq.query({ type: 'callHierarchy', path: 'src/money.ts', symbol: 'formatPrice', direction: 'incoming' })).data.items.length > 0)
  assert.ok(Array.isArray((await marq.query({ type: 'codeActions', ...at })).data.actions))
  assert.ok((await marq.query({ type: 'projectInfo' })).data.files > 5)
  assert.ok((await marq.query({ type: 'gitStatus' })).data.untracked.length > 0)
  assert.ok((await marq.query({ type: 'search', text: 'shop', ignoreCase: true })).data.matchCount > 0)
  assert.equal((await marq.query({ type: 'files', files: ['src/*.ts'] })).data.fileCount, 3)
  const any: QueryResult = references
  assert.ok('references' in any.data && any.data.references === data.references)
})

withShop('opens nothing without an editor', async (marq) => {
  const { success, results } = await marq.open({ type: 'gitDiff', path: 'src/cart.ts', from: 'HEAD' })
    .catch((error: unknown) => (error instanceof MarquetryError ? { success: false, results: [] } : assert.fail(String(error))))
  assert.ok(!success || results.length > 0)
})

withShop('refuses with a kind, a hint and candidates', async (marq, root) => {
  const target = await failure(marq.fileRead({ file: 'package.json', path: '$.nam' }))
  assert.deepEqual([target.kind, target.candidates], ['TargetNotFound', ['$.name']])
  assert.match(target.hint ?? '', /candidates/)
  assert.equal((await failure(marq.fileRead({ file: 'packag.json' }))).kind, 'FileNotFound')
  const before = readFileSync(join(root, 'package.json'), 'utf8')
  const broken = marq.fileEdit({ file: 'package.json', path: '$.version', operation: 'replace', content: '{' })
  assert.equal((await failure(broken)).kind, 'ParseError')
  const stale = marq.fileEdit({ file: 'package.json', path: '$.version', operation: 'delete', expectedHash: '0' })
  assert.equal((await failure(stale)).kind, 'Stale')
  assert.equal(readFileSync(join(root, 'package.json'), 'utf8'), before)
  // @ts-expect-error: the argument is `dryRun`
  const misspelt = await failure(marq.fileEdit({ file: 'package.json', path: '$.version', operation: 'delete', dryrun: true }))
  assert.deepEqual([misspelt.kind, misspelt.candidates[0]], ['InvalidArgument', 'dryRun'])
  // @ts-expect-error: not an operation
  const operation = await failure(marq.fileEdit({ file: 'package.json', path: '$.version', operation: 'relpace' }))
  assert.equal(operation.kind, 'InvalidArgument')
  // @ts-expect-error: `newName` is missing
  assert.equal((await failure(marq.fileRename({ path: 'page.css' }))).kind, 'InvalidArgument')
  // @ts-expect-error: a list of strings
  assert.equal((await failure(marq.fileDelete({ paths: 'page.css' }))).kind, 'InvalidArgument')
  assert.equal((await failure(marq.call('file_raed', {}))).code, -32601)
})

withShop('wrong uses of answers are type errors', async (marq) => {
  const { data } = await marq.query({ type: 'hover', path: 'src/cart.ts', line: 28, column: 42 })
  // @ts-expect-error: the answer to another query
  assert.equal(data.references, undefined)
  const answer = await marq.fileRead({ file: 'package.json', path: '$.name' })
  // @ts-expect-error: the property does not exist
  assert.equal(answer.contents, undefined)
  // @ts-expect-error: `content` may be absent
  assert.equal(answer.content.length, 6)
})

withShop('calls tools by name', async (marq) => {
  const typed = await marq.call('file_read', { file: 'package.json', path: '$.name' })
  const content: string | undefined = typed.content
  const name: string = 'file_read'
  const untyped: unknown = await marq.call(name, { file: 'package.json', path: '$.name' })
  assert.equal(content, '"shop"')
  assert.deepEqual(untyped, typed)
})

withShop('reports progress', async (marq, _, events) => {
  const steps: Progress[] = []
  const query = marq.query({ type: 'references', path: 'base.ts', symbol: 'base' }, { onProgress: (step) => steps.push(step) })
  assert.equal((await query).data.references.length > 0, true)
  assert.ok(steps.length > 0)
  assert.ok(steps.every(({ message, done, total }) => message.length > 0 && done <= total))
  assert.deepEqual(events.flatMap((event) => (event.type === 'progress' ? [event.progress] : [])), steps)
}, writeManyFiles)

withShop('cancels a query', async (marq) => {
  const controller = new AbortController()
  const query = marq.query({ type: 'references', path: 'base.ts', symbol: 'base' }, {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('enough')),
  })
  const error = await failure(query)
  assert.deepEqual([error.kind, (error.cause as Error).message], ['Cancelled', 'enough'])
  assert.ok((await marq.fileRead({ file: 'base.ts' })).content, 'later calls must be answered')
}, writeManyFiles)

withShop('a cancelled change writes nothing', async (marq, root) => {
  const controller = new AbortController()
  const edit = { files: ['*.ts'], operation: 'replace_text', old: 'base', content: 'other', all: true, dryRun: false } as const
  const change = marq.fileEdit(edit, { signal: controller.signal, onProgress: () => controller.abort() })
  assert.equal((await failure(change)).kind, 'Cancelled')
  const changed = readdirSync(root).filter((name) => readFileSync(join(root, name), 'utf8').includes('other'))
  assert.deepEqual(changed, [])
  assert.deepEqual((await marq.fileHistory()).changes, [])
}, writeManyFiles)

test('a root that does not exist is refused', async () => {
  const marq = new Marquetry({ program, root: '/no/such/folder' })
  const error: unknown = await marq.fileHistory().catch((error: unknown) => error)
  assert.ok(error instanceof MarquetryError || error instanceof ProcessError)
  await marq.close()
})

test('a wrong flag ends the process, and the error has its message', async () => {
  const marq = new Marquetry({ program, args: ['--no-such-flag'] })
  const error: unknown = await marq.fileHistory().catch((error: unknown) => error)
  assert.ok(error instanceof ProcessError)
  assert.match(error.log, /--no-such-flag/)
  await marq.close()
})
