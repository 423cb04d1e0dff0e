// JSON-RPC 2.0 with a process: one message a line on its standard input and output.

import { spawn } from 'node:child_process'
import { MarquetryError, ProcessError } from './errors.js'
import { LineReader } from './lines.js'
import { notify } from './notify.js'

/** The maximum size of a message, in bytes. The server refuses longer ones. */
const MAX_MESSAGE = 64 * 1024 * 1024
/** Maximum number of characters of standard error that are kept for errors. */
const KEPT_LOG = 4096

export class Connection {
  #process
  #pending = new Map()
  #lastId = 0
  #log = ''
  #failure
  #exited

  /** Starts the process. `onLog` receives the text that the process writes to standard error; `onExit` is called when
   * the process ends. */
  constructor({ program, args, cwd, env }, { onLog, onExit }) {
    this.#process = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    const { stdin, stdout, stderr } = this.#process
    // A write fails if the process has ended, which the event `close` reports.
    stdin.on('error', () => {})
    const lines = new LineReader((line) => this.#receive(line))
    stdout.on('data', (chunk) => lines.push(chunk))
    stderr.setEncoding('utf8')
    stderr.on('data', (text) => {
      this.#log = (this.#log + text).slice(-KEPT_LOG)
      onLog(text)
    })
    this.#exited = new Promise((resolve) => {
      this.#process.once('error', (error) => {
        this.#disconnect(new ProcessError(`\`${program}\` cannot be started: ${error.message}`, undefined, error))
        resolve()
      })
      this.#process.once('close', (exitCode, signal) => {
        // The process did not start; `error` has the reason.
        if (this.#process.pid === undefined) return
        const ended = { exitCode, signal }
        const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`
        const log = this.#log.trim()
        this.#disconnect(new ProcessError(`\`${program}\` ${how}${log && `: ${log}`}`, { ...ended, log }))
        onExit(ended)
        resolve()
      })
    })
  }

  /** Sends a request and resolves to the result. If the signal is aborted, asks the server to cancel the request. */
  request(method, params, signal, onProgress) {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = ++this.#lastId
    if (onProgress) params.workDoneToken = id
    const message = `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
    if (Buffer.byteLength(message) > MAX_MESSAGE) {
      const limit = `the call is longer than ${MAX_MESSAGE / 1024 / 1024} MiB`
      return Promise.reject(new MarquetryError(-32012, { kind: 'LimitExceeded', message: limit, hint: 'make several calls' }))
    }
    return new Promise((resolve, reject) => {
      const cancel = () => this.#send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })
      const done = () => signal?.removeEventListener('abort', cancel)
      this.#pending.set(id, { resolve, reject, done, onProgress })
      this.#process.stdin.write(message)
      signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  /** Ends the input, and waits for the end of the process, which first answers all requests. */
  async close(timeout) {
    this.#failure ??= new ProcessError('the client is closed')
    this.#process.stdin.end()
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), timeout)
    await this.#exited
    clearTimeout(timer)
  }

  #send(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #receive(line) {
    let message
    try {
      message = JSON.parse(line)
    } catch {
      this.#disconnect(new ProcessError(`the process wrote a line that is not JSON: ${line.slice(0, 200)}`))
      this.#process.kill()
      return
    }
    const { id, method, params, result, error } = message
    if (method === '$/progress') {
      const { token, value } = params
      const { message, done, total } = value
      const listener = value.kind === 'report' ? this.#pending.get(token)?.onProgress : undefined
      if (listener) notify(listener, { message, done, total })
      return
    }
    const request = this.#pending.get(id)
    if (!request) return
    this.#pending.delete(id)
    request.done()
    if (error) request.reject(new MarquetryError(error.code, error.data ?? { kind: 'Internal', message: error.message }))
    else request.resolve(result)
  }

  /** Rejects all requests, and those that follow. */
  #disconnect(failure) {
    this.#failure ??= failure
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const request of pending) {
      request.done()
      request.reject(failure)
    }
  }
}
