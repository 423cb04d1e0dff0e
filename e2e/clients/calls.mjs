// Calls of clients: valid ones of every kind, and random ones generated from the tools' own schemas, valid and invalid.

/** Returns a seeded generator of pseudo-random numbers. */
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count) => Math.floor(next() * count)
  return { next, below, of: (list) => list[below(list.length)], chance: (part) => next() < part }
}

const FILES = ['package.json', 'README.md', 'page.html', 'page.css', 'src/cart.ts', 'src/product.ts', 'docs/openapi.yaml', 'nothing.ts', '.gitignore']
const TEXTS = ['$.name', '$.scripts', 'Cart', 'Cart.add', 'Shop', 'body', '//a', '1-3', '', 'é☃', 'a\nb', '../x', '$..*', '*', '# Shop']

/** Returns a value that matches a schema, or occasionally one that does not. */
function value(schema, dice, depth = 0) {
  if (dice.chance(0.06)) return dice.of([null, 7, -1, 1.5, 'text', true, [], {}, ['a'], { a: 1 }])
  if (schema.enum) return dice.of(schema.enum)
  const union = schema.anyOf ?? schema.oneOf
  if (union) return value(dice.of(union), dice, depth)
  switch (schema.type) {
    case 'string':
      return dice.of(dice.chance(0.5) ? FILES : TEXTS)
    case 'integer':
    case 'number':
      return dice.of([0, 1, 2, 3, 10, 1000])
    case 'boolean':
      return dice.chance(0.5)
    case 'array':
      return Array.from({ length: dice.below(3) }, () => value(schema.items ?? {}, dice, depth + 1))
    case 'object':
      return fields(schema, dice, depth + 1)
    default:
      return dice.of(TEXTS)
  }
}

function fields(schema, dice, depth) {
  const names = Object.keys(schema.properties ?? {})
  const required = schema.required ?? []
  const some = names.filter((name) => required.includes(name) ? !dice.chance(0.05) : dice.chance(depth ? 0.3 : 0.12))
  const made = Object.fromEntries(some.map((name) => [name, value(schema.properties[name], dice, depth)]))
  if (dice.chance(0.05)) made[dice.of(['dryrun', 'fil', 'x', 'file_path', 'limt', ''])] = true
  return made
}

/** Returns calls: half of them valid, half generated from schemas. The generated ones do not write. */
export function calls(tools, count, seed = 1) {
  const dice = random(seed)
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 0) return { ...TYPICAL[(index / 2) % TYPICAL.length] }
    const tool = dice.of(tools)
    const made = fields(tool.inputSchema, dice, 0)
    delete made.root
    if ('dryRun' in (tool.inputSchema.properties ?? {})) made.dryRun = true
    return { name: tool.name, arguments: made }
  })
}

const read = (file, rest = {}) => ({ name: 'file_read', arguments: { file, ...rest } })
const edit = (file, rest) => ({ name: 'file_edit', arguments: { file, dryRun: true, ...rest } })
const query = (type, rest = {}) => ({ name: 'query', arguments: { type, ...rest } })
const tool = (name, rest) => ({ name, arguments: rest })

/**
 * Fifty calls that agents typically make on the sample workspace: mostly reads, then edits and queries, some with
 * mistakes.
 */
export const TYPICAL = [
  read('package.json'),
  read('package.json', { path: '$.scripts' }),
  read('package.json', { path: '$.dependencies' }),
  read('README.md'),
  read('README.md', { format: 'summary' }),
  read('README.md', { lines: '1-5' }),
  read('src/cart.ts'),
  read('src/cart.ts', { symbol: 'Cart' }),
  read('src/cart.ts', { symbol: 'Cart.add' }),
  read('src/cart.ts', { symbol: 'Cart', format: 'signature' }),
  read('src/cart.ts', { symbol: 'Cart', format: 'summary' }),
  read('src/cart.ts', { symbols: ['Cart.add', 'Cart.toString', 'cartSchema'] }),
  read('src/cart.ts', { region: 'imports' }),
  read('src/cart.ts', { around: { target: 'no product', context: 2 } }),
  read('src/product.ts'),
  read('src/money.ts', { symbol: 'formatPrice' }),
  read('page.html', { selector: 'body' }),
  read('page.html', { selector: 'li, p' }),
  read('page.css'),
  read('docs/openapi.yaml', { path: '$.paths' }),
  read('docs/openapi.yaml', { path: '$..description' }),
  read('shop.csproj', { xpath: '//PackageReference' }),
  read('tsconfig.json', { path: '$.compilerOptions' }),
  read('src/cart.ts', { symbol: 'Cart.ad' }),
  read('src/carts.ts'),
  edit('src/cart.ts', { symbol: 'Cart.add', operation: 'replace_text', old: 'no product', content: 'unknown product' }),
  edit('src/cart.ts', { symbol: 'Cart.toString', operation: 'replace_body', content: 'return formatPrice(this.total);' }),
  edit('src/cart.ts', { symbol: 'Cart', operation: 'insert_into', content: 'clear(): void {\n  this.lines.clear();\n}' }),
  edit('src/cart.ts', { symbol: 'cartSchema', operation: 'delete' }),
  edit('src/money.ts', { symbol: 'formatPrice', operation: 'insert_before', content: '/** For people. */' }),
  edit('package.json', { path: '$.version', operation: 'replace', content: '"2.0.0"' }),
  edit('package.json', { path: '$.scripts', operation: 'insert_into', content: '"check": "tsc --noEmit"' }),
  edit('page.css', { lines: '1', operation: 'insert_before', content: '/* colours */' }),
  edit('README.md', { operation: 'replace_text', old: 'shop', content: 'store', all: true }),
  edit('src/cart.ts', { refactor: 'rename_symbol', symbol: 'Cart', newName: 'Basket' }),
  edit('src/money.ts', { refactor: 'rename_symbol', symbol: 'formatPrice', newName: 'priceText' }),
  edit('src/cart.ts', { symbol: 'Cart.add', operation: 'replace', content: 'add(id: string {' }),
  query('documentSymbols', { path: 'src/cart.ts' }),
  query('documentSymbols', { path: 'README.md' }),
  query('references', { path: 'src/money.ts', symbol: 'formatPrice' }),
  query('references', { path: 'src/product.ts', symbol: 'Product' }),
  query('dependencies', { path: 'src/cart.ts' }),
  query('dependencies', { path: 'src/product.ts', direction: 'importedBy' }),
  query('workspaceSymbols', { query: '*Price*' }),
  query('diagnostics'),
  tool('file_move', { source: 'src/money.ts', destination: 'src/lib/money.ts', dryRun: true }),
  tool('file_rename', { path: 'src/product.ts', newName: 'item.ts', dryRun: true }),
  tool('file_create', { path: 'src/order.ts', content: 'export interface Order {\n  id: string;\n}\n', dryRun: true }),
  tool('file_delete', { path: 'src/money.ts', dryRun: true }),
  tool('file_history', { limit: 5 }),
]
