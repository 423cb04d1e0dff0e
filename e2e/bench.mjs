// Measures peers for the calls that `cargo xtask prove project`, `members` and `packages` measure.
// node bench.mjs FOLDER SUBJECT, with a subject as in `xtask/src/measure/subject.rs`; prints a line of JSON per figure

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Native } from './harness/native.mjs'
import { E2E } from './harness/tree.mjs'
import { Tsserver } from './harness/tsserver.mjs'
import { marked, placeOf } from './harness/edits.mjs'

const ROUNDS = 5
/** Timeout in milliseconds. A slower peer has no figure. */
const PATIENCE = 240_000

const [given, subject] = process.argv.slice(2)
const folder = resolve(given)
const { file: from, to, name, newName, members, other } = JSON.parse(subject)
const texts = (path) => readFileSync(join(folder, path), 'utf8')

const operations = {}
if (from) {
  const source = texts(from)
  const place = placeOf(source, source.search(new RegExp(`(?<=export function )${name}\\b`)))
  operations.move = (peer) => peer.move({ from, to })
  operations.rename = (peer) => peer.rename({ file: from, place, newName })
  operations.references = (peer) => peer.references({ file: from, place })
}
for (const { name, file, at, question, newName } of members) {
  const place = marked(texts(file), at, file)
  operations[name] = (peer) => peer[question]({ file, place, newName })
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1]

function print(peer, call, how, ms, mib) {
  console.log(JSON.stringify({ peer, call, how, ms, mib: mib || undefined }))
}

/** Measures a server: from its start to the first answer, then the same request again. Files are not written. */
async function server(Peer) {
  for (const [operation, run] of Object.entries(operations)) {
    const started = performance.now()
    const peer = new Peer(folder, texts)
    try {
      await peer.start(from ?? other)
      await run(peer)
      print(peer.name, operation, 'from its start', peer.stream.answered - started)
      const times = []
      for (let round = 0; round < ROUNDS; round++) {
        await run(peer)
        times.push(peer.stream.elapsed)
      }
      print(peer.name, operation, 'warm', median(times), peer.stream.memory)
    } catch (error) {
      print(peer.name, operation, error.message.split('\n')[0])
    } finally {
      await peer.close()
    }
  }
}

/** Measures ts-morph, which is a library, through a small program. */
function library(operation) {
  const program = join(E2E, 'harness/tsmorph.mjs')
  const run = spawnSync(process.execPath, ['--max-old-space-size=8192', program, folder, operation, from, to, name, newName], {
    encoding: 'utf8',
    timeout: PATIENCE,
  })
  const answer = run.status === 0 ? JSON.parse(run.stdout) : undefined
  if (!answer) {
    const why = run.error ? `no answer in ${PATIENCE / 1000} s` : /^\w*Error: .*/m.exec(run.stderr)?.[0]
    return print('ts-morph', operation, why)
  }
  print('ts-morph', operation, 'from its start', answer.cold, answer.memory)
  if (answer.warm) print('ts-morph', operation, 'warm', answer.warm)
}

await server(Tsserver)
await server(Native)
if (from) for (const operation of ['move', 'rename', 'references']) library(operation)
