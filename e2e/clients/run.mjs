// Tests marq with common MCP clients: SDKs, the inspector, and the rules of editors. Every answer must be accepted.
//
//   node run.mjs [--marq PROGRAM] [--calls N] [--bless]
//
// With --bless, the table in docs/answers.md is updated.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { calls } from './calls.mjs'
import { HERE, TARGET, npm, python } from './install.mjs'
import { complaints, compiled } from './schemas.mjs'
import { http, stdio, through } from './sdk.mjs'
import { table } from './tokens.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(HERE, '../../target/debug/marq') },
    calls: { type: 'string', default: '1000' },
    bless: { type: 'boolean', default: false },
  },
})

let wrong = 0
function printResult(what, invalid, rest = '') {
  wrong += invalid.length
  console.log(`    ${what}: ${invalid.length === 0 ? 'well' : `${invalid.length} WRONG`}${rest && `, ${rest}`}`)
  for (const each of invalid.slice(0, 5)) console.log(`        ${typeof each === 'string' ? each : JSON.stringify(each)}`)
}

/** Creates a separate copy of the sample workspace. */
function workspace(name) {
  const folder = join(TARGET, 'work', name)
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(HERE, '../../examples/shop'), folder, { recursive: true })
  return folder
}

process.env.MARQ_STATE_DIR = join(TARGET, 'state')
mkdirSync(TARGET, { recursive: true })
const { load, program } = npm()

// The TypeScript SDK, which also returns the list of tools.
const client = await stdio(load, flags.marq, workspace('stdio'), ['--answers', 'both'])
const { tools } = await client.listTools()
const made = calls(tools, Number(flags.calls))
const file = join(TARGET, 'calls.jsonl')
writeFileSync(file, made.map((call) => `${JSON.stringify(call)}\n`).join(''))
const counts = ({ answered, failed }) => `${answered} answers, ${failed} errors`
const all = await through(client, made)
printResult('TypeScript SDK, standard streams, both', all.invalid, counts(all))
await client.close()

const part = made.slice(0, 200)
for (const answers of ['text', 'structured']) {
  const client = await stdio(load, flags.marq, workspace(answers), ['--answers', answers])
  const report = await through(client, part)
  printResult(`TypeScript SDK, standard streams, ${answers}`, report.invalid, counts(report))
  await client.close()
}
const served = await http(load, flags.marq, workspace('http'), ['--answers', 'both'])
const overHttp = await through(served.client, part)
printResult('TypeScript SDK, HTTP, both', overHttp.invalid, counts(overHttp))
await served.client.close()
await served.end()

for (const [name, requirements] of [['python-1', 'requirements-1.txt'], ['python-2', 'requirements-2.txt']]) {
  const answers = execFileSync(python(name, requirements), [join(HERE, 'client.py'), file, flags.marq, 'mcp', '--root', workspace(name), '--answers', 'both'], { maxBuffer: 1 << 28 })
  const report = JSON.parse(answers.toString())
  printResult(`Python SDK (${requirements}), ${report.version}`, report.invalid, counts(report))
}

const inspect = (...rest) => {
  const server = [flags.marq, 'mcp', '--root', workspace('inspector'), '--answers', 'both']
  try {
    const out = execFileSync(program('mcp-inspector'), ['--cli', ...server, '--', ...rest], { stdio: ['ignore', 'pipe', 'pipe'] })
    JSON.parse(out.toString())
    return []
  } catch (error) {
    return [`${rest.join(' ')}: ${error.stderr ?? ''}${error.message}`]
  }
}
printResult('inspector', [
  ...inspect('--method', 'tools/list'),
  ...inspect('--method', 'resources/list'),
  ...inspect('--method', 'tools/call', '--tool-name', 'file_read', '--tool-arg', 'file=package.json', '--tool-arg', 'path=$.name'),
  ...inspect('--method', 'tools/call', '--tool-name', 'query', '--tool-arg', 'type=documentSymbols', '--tool-arg', 'path=src/cart.ts'),
])

printResult('rules of editors and services', tools.flatMap(complaints))
printResult('strict validators', compiled(load, tools))

const { text: costs, exceeded } = await table(load, flags.marq, workspace('tokens'))
printResult('size of the lists of tools', exceeded)
console.log(`\n${costs}\n`)
if (flags.bless) {
  const page = join(HERE, '../../docs/answers.md')
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split('<!-- measured -->\n')
  const after = rest.split('<!-- end -->')[1]
  writeFileSync(page, `${before}<!-- measured -->\n${costs}\n<!-- end -->${after}`)
}
console.log(wrong === 0 ? `${made.length} calls, every client accepts every answer` : `${wrong} WRONG`)
process.exitCode = wrong === 0 ? 0 : 1
