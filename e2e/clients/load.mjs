// Runs many clients on one server at once for some time, and measures the duration of calls, lost updates, and growth
// of memory and open files. The file server of the MCP project is measured in the same way for comparison.
//
//   node load.mjs [--marq PROGRAM] [--clients 64] [--seconds 60]
//
// Half of the clients increment a counter in separate files, half in one shared file: each reads its value, then
// replaces it with the next one. All calls use one connection, as with most clients that start a server.

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { HERE, TARGET, npm } from './install.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(HERE, '../../target/release/marq') },
    clients: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '60' },
  },
})
const CLIENTS = Number(flags.clients)
const SECONDS = Number(flags.seconds)
/** Interval in milliseconds at which memory and open files are measured. */
const LOOK = 1000

/** A server process, and its pending calls. */
class Server {
  #waiting = new Map()
  #next = 1

  constructor(command, args, env) {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, ...env } })
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      this.#waiting.get(message.id)?.(message)
      this.#waiting.delete(message.id)
    })
  }

  request(method, params) {
    const id = this.#next++
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve))
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return answer
  }

  async start() {
    const clientInfo = { name: 'load', version: '1' }
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  }

  /** Makes a call. Returns whether it succeeded, and how long it took. */
  async call(name, args) {
    const started = performance.now()
    const { result, error } = await this.request('tools/call', { name, arguments: args })
    return { well: !error && !result.isError, took: performance.now() - started, text: error?.message ?? result?.content?.[0]?.text }
  }

  /** Returns memory in MiB, and the number of open files. */
  size() {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8')
    const mib = Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 1024
    return { mib, files: readdirSync(`/proc/${this.process.pid}/fd`).length }
  }
}

const line = (key, value) => `  "${key}": ${value}`
const SHARED = Array.from({ length: CLIENTS / 2 }, (_, index) => `c${index}`)

/** The equivalent requests for each server. */
const SERVERS = {
  marq: {
    start: (root) => new Server(flags.marq, ['mcp', '--root', root], { MARQ_STATE_DIR: `${root}-state` }),
    read: (file, key) => ['file_read', { file, path: `$.${key}` }],
    edit: (file, key, _, next) => ['file_edit', { file, path: `$.${key}`, operation: 'replace', content: String(next) }],
  },
  'server-filesystem': {
    start: (root) => new Server(npm().program('mcp-server-filesystem'), [root]),
    read: (file) => ['read_text_file', { path: file }],
    edit: (file, key, now, next) => ['edit_file', { path: file, edits: [{ oldText: `"${key}": ${now},`, newText: `"${key}": ${next},` }] }],
  },
}

const percentile = (times, share) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? NaN

async function run(name, { start, read, edit }) {
  const root = join(TARGET, 'load', name)
  rmSync(root, { recursive: true, force: true })
  rmSync(`${root}-state`, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  const places = []
  for (let client = 0; client < CLIENTS; client++) {
    const own = client >= SHARED.length
    places.push({ file: join(root, own ? `own${client}.json` : 'shared.json'), key: own ? 'count' : SHARED[client], own })
  }
  for (const file of new Set(places.map((place) => place.file))) {
    const keys = places.filter((place) => place.file === file).map((place) => line(place.key, 0))
    writeFileSync(file, `{\n${[...keys, line('end', 0)].join(',\n')}\n}\n`)
  }
  const server = start(root)
  await server.start()
  await server.call(...read(places[0].file, places[0].key))
  const times = { read: [], edit: [] }
  const failures = new Map()
  const until = performance.now() + SECONDS * 1000
  const sizes = [server.size()]
  const watch = setInterval(() => sizes.push(server.size()), LOOK)
  const client = async (place) => {
    place.count = 0
    while (performance.now() < until) {
      const seen = await server.call(...read(place.file, place.key))
      times.read.push(seen.took)
      const made = await server.call(...edit(place.file, place.key, place.count, place.count + 1))
      times.edit.push(made.took)
      if (made.well) place.count++
      else failures.set(made.text?.slice(0, 60), (failures.get(made.text?.slice(0, 60)) ?? 0) + 1)
    }
  }
  await Promise.all(places.map(client))
  clearInterval(watch)
  sizes.push(server.size())
  server.process.stdin.end()
  const lost = places.reduce((sum, place) => {
    const value = Number(new RegExp(`"${place.key}": (\\d+)`).exec(readFileSync(place.file, 'utf8'))?.[1])
    return sum + Math.abs(place.count - (Number.isNaN(value) ? 0 : value))
  }, 0)
  const made = places.reduce((sum, place) => sum + place.count, 0)
  const tenth = sizes[Math.floor(sizes.length / 10)]
  console.log(`${name}: ${CLIENTS} clients, ${SECONDS} s`)
  for (const kind of ['read', 'edit']) {
    const [middle, worst] = [0.5, 0.99].map((share) => percentile(times[kind], share).toFixed(1))
    console.log(`    ${kind}: ${times[kind].length} calls, p50 ${middle} ms, p99 ${worst} ms`)
  }
  console.log(`    edits: ${made} acknowledged, ${lost} of them lost, ${[...failures.values()].reduce((a, b) => a + b, 0)} refused`)
  for (const [text, times] of [...failures].slice(0, 3)) console.log(`        ${times} x ${text}`)
  const last = sizes.at(-1)
  console.log(`    memory: ${tenth.mib.toFixed(0)} MiB after a tenth of the time, ${last.mib.toFixed(0)} at the end; open files: ${tenth.files}, ${last.files}`)
  return lost
}

mkdirSync(TARGET, { recursive: true })
let lost = 0
for (const [name, server] of Object.entries(SERVERS)) {
  const here = await run(name, server)
  if (name === 'marq') lost = here
}
process.exitCode = lost === 0 ? 0 : 1
