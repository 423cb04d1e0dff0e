// Client of TypeScript 7's language server.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { E2E } from './tree.mjs'
import { Stream } from './stream.mjs'
import { results } from './tsserver.mjs'

/** Returns the program itself, as the package's launcher would only add a process. */
export function nativeCompiler() {
  const target = `${process.platform}-${process.arch}`
  return join(E2E, `node_modules/@typescript/typescript-${target}/lib/tsc`)
}

export class Native {
  name = 'native'
  #stream
  #folder
  #texts
  #opened = new Set()

  constructor(folder, texts) {
    this.#folder = folder
    this.#texts = texts
    this.#stream = new Stream([nativeCompiler(), '--lsp', '--stdio'], {
      folder,
      framed: { in: true, out: true },
      receive: (message) => this.#receive(message),
    })
  }

  async start(opened) {
    const root = pathToFileURL(this.#folder).href
    await this.#ask('initialize', {
      processId: process.pid,
      rootUri: root,
      workspaceFolders: [{ uri: root, name: 'project' }],
      capabilities: {
        workspace: {
          configuration: true,
          workspaceEdit: { documentChanges: true },
          fileOperations: { willRename: true },
        },
        textDocument: { rename: { prepareSupport: true } },
      },
      initializationOptions: {},
    })
    this.#stream.send({ jsonrpc: '2.0', method: 'initialized', params: {} })
    this.#open(opened)
    await this.#ask('textDocument/documentSymbol', { textDocument: { uri: this.#uri(opened) } })
  }

  async move({ from, to }) {
    const files = [{ oldUri: this.#uri(from), newUri: this.#uri(to) }]
    return this.#answer(await this.#ask('workspace/willRenameFiles', { files }))
  }

  async rename({ file, place, newName }) {
    this.#open(file)
    const params = { textDocument: { uri: this.#uri(file) }, position: place, newName }
    return this.#answer(await this.#ask('textDocument/rename', params))
  }

  async references({ file, place }) {
    this.#open(file)
    const params = { textDocument: { uri: this.#uri(file) }, position: place, context: { includeDeclaration: true } }
    return (await this.#ask('textDocument/references', params)).length
  }

  async implementations({ file, place }) {
    this.#open(file)
    const params = { textDocument: { uri: this.#uri(file) }, position: place }
    return (await this.#ask('textDocument/implementation', params)).length
  }

  get stream() {
    return this.#stream
  }

  close() {
    return this.#stream.close()
  }

  #answer(edit) {
    const edits = new Map()
    const add = (uri, list) => {
      const path = fileURLToPath(uri).slice(this.#folder.length + 1)
      const all = edits.get(path) ?? []
      all.push(...list.map(({ range, newText }) => ({ start: range.start, end: range.end, text: newText })))
      edits.set(path, all)
    }
    for (const [uri, list] of Object.entries(edit?.changes ?? {})) add(uri, list)
    for (const change of edit?.documentChanges ?? []) if (change.edits) add(change.textDocument.uri, change.edits)
    return results(edits, this.#texts)
  }

  #open(file) {
    if (this.#opened.has(file)) return
    this.#opened.add(file)
    const text = readFileSync(join(this.#folder, file), 'utf8')
    const textDocument = { uri: this.#uri(file), languageId: 'typescript', version: 1, text }
    this.#stream.send({ jsonrpc: '2.0', method: 'textDocument/didOpen', params: { textDocument } })
  }

  #uri(path) {
    return pathToFileURL(join(this.#folder, path)).href
  }

  #ask(method, params) {
    const id = this.#stream.number()
    return this.#stream.ask(id, { jsonrpc: '2.0', id, method, params })
  }

  #receive(message) {
    if (message.method && message.id !== undefined) {
      const result = message.method === 'workspace/configuration' ? message.params.items.map(() => null) : null
      this.#stream.send({ jsonrpc: '2.0', id: message.id, result })
    } else if (message.id !== undefined) {
      this.#stream.settle(message.id, message.error ? new Error(message.error.message) : message.result)
    }
  }
}
