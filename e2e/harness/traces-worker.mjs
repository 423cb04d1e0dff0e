// Runs programs one after the other in a worker, and records everything that each does: calls of `log`, errors,
// rejections. Each program is in its own folder, so no two share a module.

import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { parentPort } from 'node:worker_threads'

/** Maximum number of recorded lines. */
const MOST_LINES = 2_000

let folder
let lines

/** Shows a value; the names of functions are left out, because they follow from the variables that hold them. */
const show = (value) =>
  typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: Infinity }).replaceAll(/\[(Async)?(Generator)?Function[^\]]*\]/g, '[Function]')
const describe = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : show(error))

function record(text) {
  if (lines.length < MOST_LINES) lines.push(text.replaceAll(folder, ''))
}

globalThis.log = (...values) => {
  record(values.map(show).join(' '))
  return values[0]
}
process.on('uncaughtException', (error) => record(`uncaught ${describe(error)}`))
process.on('unhandledRejection', (error) => record(`unhandled ${describe(error)}`))

/** The number of timers that programs wait for. */
let timers = 0
const { setTimeout } = globalThis
globalThis.setTimeout = (callback, ...rest) => {
  timers++
  return setTimeout((...values) => {
    timers--
    callback(...values)
  }, ...rest)
}
const known = new Set(Object.getOwnPropertyNames(globalThis))

async function run(main) {
  try {
    await import(pathToFileURL(main).href)
  } catch (error) {
    const isLoading = error instanceof SyntaxError || /^ERR_|^MODULE_NOT_FOUND/.test(error?.code ?? '')
    record(`${isLoading ? 'does not start' : 'throws'} ${describe(error)}`)
  }
  do await new Promise((resolve) => setImmediate(resolve))
  while (timers > 0)
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!known.has(name)) delete globalThis[name]
}

parentPort.on('message', async ({ folder: place, main }) => {
  folder = place
  lines = []
  await run(main)
  parentPort.postMessage(lines.join('\n'))
})
