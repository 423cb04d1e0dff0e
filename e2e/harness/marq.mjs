// The program under test, as a JSON-RPC server on standard streams.

import { Stream } from './stream.mjs'

/** The error of a refused call, with its hint and candidates. */
export class Refused extends Error {
  constructor({ data, message }) {
    super(`${data?.kind ?? 'error'}: ${data?.message ?? message}`)
    this.menu = data ?? {}
  }
}

export class Marq {
  name = 'marq'
  #stream

  constructor(program, folder, state, patience) {
    this.#stream = new Stream([program, 'rpc', '--stdio', '--root', folder], {
      folder,
      framed: { in: false, out: false },
      env: { MARQ_STATE_DIR: state },
      patience,
      receive: (message) => {
        this.#stream.settle(message.id, message.error ? new Refused(message.error) : message.result)
      },
    })
  }

  call(method, params) {
    const id = this.#stream.number()
    return this.#stream.ask(id, { jsonrpc: '2.0', id, method, params })
  }

  move({ from, to }, dryRun) {
    return this.call('file/move', { source: from, destination: to, dryRun })
  }

  delete(path) {
    return this.call('file/delete', { path })
  }

  rename({ file, symbol, place, newName }, dryRun) {
    const at = symbol ? { symbol } : { line: place.line + 1, column: place.character }
    return this.call('file/edit', { file, refactor: 'rename_symbol', newName, dryRun, ...at })
  }

  refactor(request) {
    return this.call('file/edit', request)
  }

  undo(id) {
    return this.call('file/undo', { id })
  }

  close() {
    return this.#stream.close()
  }
}

