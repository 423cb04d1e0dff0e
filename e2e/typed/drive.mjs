// Answers calls with the client of TypeScript: reads `{"tool", "arguments"}` on each line, and writes the `result` or the
// `error`. `cargo xtask prove conformance` compares the answers with those of other front ends.
//
//   node drive.mjs PROGRAM ROOT

import { Marquetry, MarquetryError } from '../../sdk/clients/typescript/src/index.js'
import { LineReader } from '../../sdk/clients/typescript/src/lines.js'

const [program, root] = process.argv.slice(2)
const marq = new Marquetry({ program, root, client: { name: 'conformance', version: '1' } })

async function answer(line) {
  const { tool, arguments: args } = JSON.parse(line)
  try {
    return { result: await marq.call(tool, args) }
  } catch (error) {
    if (!(error instanceof MarquetryError)) throw error
    const { kind, message, hint = null, candidates } = error
    return { error: { kind, message, hint, candidates } }
  }
}

let queue = Promise.resolve()
const lines = new LineReader((line) => {
  queue = queue.then(async () => process.stdout.write(`${JSON.stringify(await answer(line))}\n`))
})
for await (const chunk of process.stdin) lines.push(chunk)
await queue
await marq.close()
