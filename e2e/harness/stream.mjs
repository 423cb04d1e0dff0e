// A child process that exchanges JSON messages, one per line or with a Content-Length header.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Timeout of an answer in milliseconds, after which the process counts as hung. */
const PATIENCE = 180_000

export class Stream {
  #child
  #framed
  #patience
  #pending = new Map()
  #buffer = Buffer.alloc(0)
  #errors = ''
  #next = 0
  /** The duration of the latest answer in milliseconds, and the time when it arrived. */
  elapsed = 0
  answered = 0

  /**
   * @param {string[]} command the program and its arguments
   * @param {{ folder: string, framed: { in: boolean, out: boolean }, env?: object, patience?: number, receive: (message: any) => void }} how
   */
  constructor([program, ...args], { folder, framed, env, patience = PATIENCE, receive }) {
    this.#framed = framed
    this.#patience = patience
    this.receive = receive
    this.#child = spawn(program, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'pipe' })
    this.#child.stdout.on('data', (chunk) => this.#take(chunk))
    this.#child.stderr.on('data', (chunk) => (this.#errors = (this.#errors + chunk).slice(-2000)))
    this.#child.stdin.on('error', () => {})
    this.#child.on('error', (error) => this.#fail(error))
    this.#child.on('exit', (code, signal) => {
      this.#fail(new Error(`${program} ended (${signal ?? code}): ${this.#errors}`))
    })
  }

  /** The peak resident set size of the process so far, in MiB. */
  get memory() {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024
  }

  /** Returns a new message id. */
  number() {
    return ++this.#next
  }

  /** Sends a message and waits until `settle` is called with this key. */
  ask(key, message) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.settle(key, new Error(`no answer to ${JSON.stringify(message).slice(0, 200)}`))
      }, this.#patience)
      this.#pending.set(key, { resolve, reject, timer, asked: performance.now() })
      this.send(message)
    })
  }

  settle(key, answer) {
    const waiting = this.#pending.get(key)
    if (!waiting) return
    this.#pending.delete(key)
    clearTimeout(waiting.timer)
    this.answered = performance.now()
    this.elapsed = this.answered - waiting.asked
    if (answer instanceof Error) waiting.reject(answer)
    else waiting.resolve(answer)
  }

  send(message) {
    const text = JSON.stringify(message)
    const head = this.#framed.in ? `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n` : ''
    this.#child.stdin.write(head + text + (this.#framed.in ? '' : '\n'))
  }

  async close() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await gone
  }

  #fail(error) {
    for (const key of [...this.#pending.keys()]) this.settle(key, error)
  }

  #take(chunk) {
    this.#buffer = Buffer.concat([this.#buffer, chunk])
    for (let text = this.#message(); text !== undefined; text = this.#message()) {
      if (text.trim()) this.receive(JSON.parse(text))
    }
  }

  /** Returns the next complete message that has arrived. */
  #message() {
    if (!this.#framed.out) {
      const end = this.#buffer.indexOf('\n')
      return end < 0 ? undefined : this.#cut(0, end, end + 1)
    }
    const end = this.#buffer.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.subarray(0, end).toString())?.[1])
    const start = end + 4
    return this.#buffer.length < start + length ? undefined : this.#cut(start, start + length, start + length)
  }

  #cut(from, to, rest) {
    const text = this.#buffer.subarray(from, to).toString('utf8')
    this.#buffer = this.#buffer.subarray(rest)
    return text
  }
}
