// The client: methods of tools as messages to a process.

import { Connection } from './connection.js'
import { MarquetryError, ProcessError } from './errors.js'
import { notify } from './notify.js'
import { Tools } from './tools.js'

/** Time limit of `close` for running calls, in milliseconds. */
const CLOSE_TIMEOUT = 10_000

export class Marquetry extends Tools {
  #connection
  #client
  #onEvent
  #calls = 0

  constructor(options = {}) {
    super()
    const { root = [], program = 'marq', args = [], cwd, env, client, onEvent } = options
    const roots = [root].flat().flatMap((folder) => ['--root', folder])
    this.#client = client
    this.#onEvent = onEvent
    this.#connection = new Connection(
      { program, args: ['rpc', '--stdio', ...roots, ...args], cwd, env },
      { onLog: (text) => this.#emit({ type: 'log', text }), onExit: (ended) => this.#emit({ type: 'exited', ...ended }) },
    )
  }

  async call(tool, args = {}, options = {}) {
    const { signal, onProgress } = options
    if (signal?.aborted) throw cancelledError(signal)
    const call = ++this.#calls
    this.#emit({ type: 'begun', call, tool })
    let failure
    try {
      return await this.#request(call, tool, args, signal, onProgress)
    } catch (error) {
      if (error instanceof MarquetryError) Error.captureStackTrace(error, this.call)
      if (signal?.aborted && error.kind === 'Cancelled') error.cause = signal.reason
      failure = error instanceof ProcessError ? 'Disconnected' : (error.kind ?? 'InvalidArgument')
      throw error
    } finally {
      this.#emit({ type: 'ended', call, tool, failure })
    }
  }

  #request(call, tool, args, signal, onProgress) {
    const params = this.#client ? { ...args, clientInfo: this.#client } : { ...args }
    const report = onProgress || this.#onEvent
      ? (progress) => {
          this.#emit({ type: 'progress', call, tool, progress })
          if (onProgress) notify(onProgress, progress)
        }
      : undefined
    return this.#connection.request(tool, params, signal, report)
  }

  async close({ timeout = CLOSE_TIMEOUT } = {}) {
    await this.#connection.close(timeout)
  }

  async [Symbol.asyncDispose]() {
    await this.close()
  }

  #emit(event) {
    if (this.#onEvent) notify(this.#onEvent, event)
  }
}

/** The error of a call that is cancelled before it is sent. */
function cancelledError(signal) {
  return new MarquetryError(-32800, { kind: 'Cancelled', message: 'the call was cancelled' }, signal.reason)
}
