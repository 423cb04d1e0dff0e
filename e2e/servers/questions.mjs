// Runs every type of query with every option, through the MCP project's own SDK on the sample workspace: without
// language servers, with installed and approved ones, and with `engine: "server"`.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from '../clients/install.mjs'
import { stdio } from '../clients/sdk.mjs'
import { HERE, makeProject } from './project.mjs'

const SHOP = join(HERE, '../../examples/shop')

/** The files of the sample workspace, by path. */
function shop(folder = SHOP, below = '') {
  return Object.assign({}, ...readdirSync(folder).map((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? shop(path, `${below}${name}/`) : { [below + name]: readFileSync(path, 'utf8') }
  }))
}

const CART = 'src/cart.ts'
const MONEY = 'src/money.ts'
/** A use of `formatPrice`. */
const USED = { path: CART, line: 28, column: 42 }
const places = (list) => list.map(({ path, line }) => `${path}:${line}`).sort().join(' ')

/** The queries, with checks of the answers. */
export const QUESTIONS = [
  ['symbolInfo', { path: MONEY, symbol: 'formatPrice' }, (data) => data.name === 'formatPrice' && data.kind === 'function' && /cents: number/.test(data.type) && data.references === 3 && data.location.line === 1],
  ['symbolInfo', { symbol: 'Cart.add' }, (data) => data.kind === 'method' && data.location.path === CART && data.documentation.includes('Put so many')],
  ['symbolInfo', { path: CART, line: 13, column: 16 }, (data) => data.name === 'products'],
  ['symbolInfo', { path: CART, line: 19 }, (data) => data.name === 'total'],
  ['typeDefinition', { path: CART, line: 9, column: 33 }, (data) => data.definitions[0].path === 'src/product.ts' && data.definitions[0].content.includes('price: number')],
  ['typeDefinition', { path: CART, symbol: 'Cart.products' }, (data) => data.definitions[0].name === 'Product'],
  ['hover', USED, (data) => /formatPrice/.test(data.contents) && data.range.start.line === 28],
  ['references', { path: MONEY, symbol: 'formatPrice' }, (data) => places(data.references) === `src/broken.ts:1 ${CART}:28 ${CART}:3` && data.references.every(({ preview, column }) => preview.slice(column).startsWith('formatPrice'))],
  ['references', { path: MONEY, line: 1, includeDeclaration: true }, (data) => places(data.references) === `src/broken.ts:1 ${CART}:28 ${CART}:3 ${MONEY}:1`],
  ['references', { path: MONEY, symbol: 'formatPrice', includeDeclaration: false, usage: 'call' }, (data) => places(data.references) === `${CART}:28`],
  ['callHierarchy', { path: MONEY, symbol: 'formatPrice', direction: 'incoming' }, (data) => JSON.stringify(data).includes('Cart.toString')],
  ['callHierarchy', { path: CART, symbol: 'Cart.toString', direction: 'outgoing', depth: 2 }, (data) => JSON.stringify(data).includes(MONEY)],
  ['typeHierarchy', { path: 'src/kinds.ts', symbol: 'Book', direction: 'supertypes' }, (data) => /Item/.test(JSON.stringify(data)) && /Priced/.test(JSON.stringify(data))],
  ['typeHierarchy', { path: 'src/kinds.ts', symbol: 'Priced', direction: 'subtypes', depth: 1 }, (data) => /Item/.test(JSON.stringify(data)) && !/Book/.test(JSON.stringify(data.results ?? data))],
  ['implementations', { path: 'src/kinds.ts', symbol: 'Priced' }, (data) => /Item/.test(JSON.stringify(data)) && /Book/.test(JSON.stringify(data))],
  ['implementations', { path: 'src/kinds.ts', line: 1 }, (data) => /Item/.test(JSON.stringify(data))],
  ['workspaceSymbols', { query: 'format*' }, (data) => JSON.stringify(data).includes('formatPrice')],
  ['workspaceSymbols', { query: '*', kind: 'interface' }, (data) => JSON.stringify(data).includes('Product') && !JSON.stringify(data).includes('formatPrice')],
  ['documentSymbols', { path: CART }, (data) => data.symbols.some(({ name, children }) => name === 'Cart' && children.length > 3)],
  ['documentSymbols', { path: 'README.md', depth: 1 }, (data) => data.symbols.length > 0 && data.symbols.every(({ children }) => !children?.length)],
  ['diagnostics', {}, (data) => data.diagnostics.some(({ path, severity }) => path === 'src/broken.ts' && severity === 'error')],
  ['diagnostics', { path: 'src/broken.ts' }, (data) => data.diagnostics.length > 0 && data.diagnostics.every(({ path, line, column, message, source }) => path === 'src/broken.ts' && line && column >= 0 && message && source)],
  ['diagnostics', { path: 'src/**/*.ts', severity: 'error' }, (data) => data.diagnostics.length > 0 && data.diagnostics.every(({ severity }) => severity === 'error')],
  ['diagnostics', { only: 'hint', checks: ['names'] }, (data) => data.diagnostics.every(({ severity }) => severity === 'hint')],
  ['gitStatus', {}, (data) => data.branch === 'main' && JSON.stringify(data).includes('src/broken.ts')],
  ['gitStatus', { path: 'docs' }, (data) => !JSON.stringify(data).includes('src/broken.ts')],
  ['projectInfo', {}, (data) => JSON.stringify(data).includes('package.json') && JSON.stringify(data).includes('typescript')],
  ['codeActions', { path: CART, startLine: 20, endLine: 24 }, (data) => JSON.stringify(data).includes('extract_function')],
  ['codeActions', { path: 'src/broken.ts', line: 1 }, (data) => JSON.stringify(data).includes('remove_unused_imports')],
  ['dependencies', { path: CART, direction: 'imports' }, (data) => JSON.stringify(data).includes(MONEY)],
  ['dependencies', { path: MONEY, direction: 'importedBy' }, (data) => JSON.stringify(data).includes(CART)],
  ['search', { text: 'formatPrice', files: ['src/**'], limit: 1, offset: 1 }, (data) => data.matchCount === 4 && data.matches.length === 1],
  ['search', { regex: 'z\\.\\w+\\(', path: 'src', countOnly: true }, (data) => data.matchCount === 5 && !data.matches],
  ['search', { pattern: 'new $CLASS($$$)' }, (data) => data.matches[0].captures.CLASS === 'Error'],
  ['search', { pattern: '<a href="$URL" $$$>$TEXT</a>' }, (data) => data.matches.map(({ captures }) => captures.URL).join(' ') === '/ /cart'],
  ['search', { path: '$..version' }, (data) => data.matchCount === 2],
]

/** Types of queries that support `engine: "server"`. */
const BY_SERVER = ['hover', 'references', 'diagnostics']

const FILES = {
  ...shop(),
  'src/kinds.ts': 'export interface Priced {\n  price: number\n}\n\nexport class Item implements Priced {\n  price = 1\n}\n\nexport class Book extends Item {}\n',
  'src/broken.ts': "import { gone, formatPrice } from './money.js'\n\nexport const one = gone\n",
}

/** Creates a workspace in a git repository, with a client of `marq mcp`. */
async function asked(marq, name, has, flags, work) {
  const project = makeProject(name, { ...has, files: FILES })
  const git = (...words) => execFileSync('git', ['-c', 'user.name=e2e', '-c', 'user.email=e2e@example.invalid', ...words], { cwd: project.folder, stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch=main')
  git('add', 'docs', 'package.json', MONEY)
  git('commit', '--quiet', '--message', 'all')
  mkdirSync(project.state, { recursive: true })
  const env = { ...process.env, MARQ_STATE_DIR: project.state }
  if (flags.allow) execFileSync(marq, ['trust', '--allow', '--root', project.folder], { stdio: 'pipe', env })
  const client = await stdio(npm().load, marq, project.folder, ['--answers', 'both'], env)
  await client.listTools()
  try {
    await work(async (type, rest) => {
      const answer = await client.callTool({ name: 'query', arguments: { type, ...rest } }, undefined, { timeout: 120_000 })
      const text = answer.content.map((block) => block.text ?? '').join('')
      return { data: answer.structuredContent?.data, engine: answer.structuredContent?.engine, error: answer.isError ? text : undefined, text }
    })
  } finally {
    await client.close()
  }
}

/** Runs all queries three times. `row` prints a line and counts failures. */
export async function questions(marq, row, programs) {
  const check = (name, ask, extra = {}) => async (type, rest, right) => {
    await row(name, `${type} ${JSON.stringify(rest).slice(0, 60)}`, async () => {
      const { data, engine, error } = await ask(type, { ...rest, ...extra })
      if (error) throw new Error(error.slice(0, 200))
      if (!right(data)) throw new Error(`says ${JSON.stringify(data).slice(0, 300)}`)
      return engine
    })
  }
  for (const [name, has, flags] of [['no server', {}, {}], ['servers installed', { programs, packages: ['typescript'] }, { allow: true }]]) {
    await asked(marq, name.replace(' ', '-'), has, flags, async (ask) => {
      for (const question of QUESTIONS) await check(name, ask)(...question)
      for (const [type, rest] of QUESTIONS) {
        await row(`${name}, asked for`, `${type} ${JSON.stringify(rest).slice(0, 60)}`, async () => {
          const { data, engine, error, text } = await ask(type, { ...rest, engine: 'server' })
          const refused = error && /^(Unsupported|PermissionDenied|InvalidArgument): /.test(text)
          const answers = flags.allow && BY_SERVER.includes(type) && !rest.usage && (type !== 'diagnostics' || (rest.path && !rest.path.includes('*')))
          if (answers && !(engine ?? '').startsWith('server:')) throw new Error(`answered by ${engine}: ${text.slice(0, 200)}`)
          if (!answers && !refused) throw new Error(`no typed refusal: ${engine} ${text.slice(0, 200)}`)
          return answers ? `${engine} ${JSON.stringify(data).length} bytes` : text.split('\n')[0].slice(0, 80)
        })
      }
    })
  }
}
