// Client of TypeScript 6's tsserver.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { E2E } from './tree.mjs'
import { Stream } from './stream.mjs'
import { applied } from './edits.mjs'

export class Tsserver {
  name = 'tsserver'
  #stream
  #folder
  #texts

  constructor(folder, texts) {
    this.#folder = folder
    this.#texts = texts
    const program = join(E2E, 'node_modules/typescript/lib/tsserver.js')
    const options = ['--disableAutomaticTypingAcquisition', '--useInferredProjectPerProjectRoot', '--suppressDiagnosticEvents']
    this.#stream = new Stream([process.execPath, '--max-old-space-size=6144', program, ...options], {
      folder,
      framed: { in: false, out: true },
      receive: (message) => this.#receive(message),
    })
  }

  /** Opens a file of the root project, so that answers cover the whole project, and loads it. */
  async start(opened) {
    await this.#ask('configure', {
      hostInfo: 'vscode',
      preferences: {
        providePrefixAndSuffixTextForRename: true,
        allowRenameOfImportPath: false,
        quotePreference: 'auto',
      },
    })
    this.#open(opened)
    await this.#ask('projectInfo', { file: this.#absolute(opened), needFileNameList: false })
  }

  async move({ from, to }) {
    const body = await this.#ask('getEditsForFileRename', { oldFilePath: this.#absolute(from), newFilePath: this.#absolute(to) })
    return this.#answer(body)
  }

  async rename({ file, place, newName }) {
    this.#open(file)
    const at = { file: this.#absolute(file), line: place.line + 1, offset: place.character + 1 }
    const { info, locs } = await this.#ask('rename', { ...at, findInComments: false, findInStrings: false })
    if (!info.canRename) throw new Error(info.localizedErrorMessage)
    const changes = locs.map(({ file, locs }) => ({
      fileName: file,
      textChanges: locs.map(({ start, end, prefixText = '', suffixText = '' }) => {
        return { start, end, newText: prefixText + newName + suffixText }
      }),
    }))
    return this.#answer(changes)
  }

  async references({ file, place }) {
    this.#open(file)
    const at = { file: this.#absolute(file), line: place.line + 1, offset: place.character + 1 }
    return (await this.#ask('references', at)).refs.length
  }

  async implementations({ file, place }) {
    this.#open(file)
    const at = { file: this.#absolute(file), line: place.line + 1, offset: place.character + 1 }
    return (await this.#ask('implementation', at)).length
  }

  get stream() {
    return this.#stream
  }

  close() {
    return this.#stream.close()
  }

  #answer(changes) {
    const edits = new Map()
    for (const { fileName, textChanges } of changes) {
      const path = fileName.slice(this.#folder.length + 1)
      const all = edits.get(path) ?? []
      all.push(...textChanges.map(({ start, end, newText }) => ({ start: fromOne(start), end: fromOne(end), text: newText })))
      edits.set(path, all)
    }
    return results(edits, this.#texts)
  }

  #open(file) {
    const text = readFileSync(this.#absolute(file), 'utf8')
    this.#send('open', { file: this.#absolute(file), fileContent: text, projectRootPath: this.#folder })
  }

  #absolute(path) {
    return join(this.#folder, path)
  }

  #send(command, args) {
    const seq = this.#stream.number()
    this.#stream.send({ seq, type: 'request', command, arguments: args })
  }

  #ask(command, args) {
    const seq = this.#stream.number()
    return this.#stream.ask(seq, { seq, type: 'request', command, arguments: args })
  }

  #receive(message) {
    if (message.type !== 'response') return
    const answer = message.success ? message.body : new Error(message.message)
    this.#stream.settle(message.request_seq, answer)
  }
}

const fromOne = ({ line, offset }) => ({ line: line - 1, character: offset - 1 })

/** Applies the edits of a peer (path to edits). Returns the texts under the paths before a move. */
export function results(edits, texts) {
  const after = new Map()
  for (const [path, list] of edits) {
    const before = texts(path)
    if (before === undefined) throw new Error(`the peer edits ${path}, which is not there`)
    const text = applied(before, list)
    if (text !== before) after.set(path, text)
  }
  return after
}
