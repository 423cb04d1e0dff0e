// Runs small programs and returns what they do.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import ts from 'typescript'

/** Time in milliseconds after which a program counts as hung. */
const PATIENCE = 10_000

const WORKER = new URL('./traces-worker.mjs', import.meta.url)

/** Writes the files of a program below a folder. */
export function writeFiles(files, folder) {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

export class Tracer {
  #folder
  #runs = 0
  #worker
  /** Receives the trace of the program that runs. */
  #finish

  /** @param {string} folder an empty folder for the programs */
  constructor(folder) {
    this.#folder = folder
  }

  /** Runs the file `main` of a program. Returns the recorded lines as a text. */
  async trace(files, main) {
    const folder = join(this.#folder, `${this.#runs++}`)
    writeFiles(new Map([...files].map(([path, text]) => compiled(path, text))), folder)
    this.#worker ??= this.#start()
    const text = await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), PATIENCE)
      this.#finish = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      this.#worker.postMessage({ folder, main: join(folder, compiledPath(main)) })
    })
    if (text === undefined) await this.close()
    return text ?? 'no end'
  }

  #start() {
    const worker = new Worker(WORKER, { stdout: true, stderr: true })
    worker.on('message', (text) => this.#finish(text))
    worker.on('error', (error) => {
      this.#worker = undefined
      this.#finish(`stopped ${error.message}`)
    })
    return worker
  }

  async close() {
    await this.#worker?.terminate()
    this.#worker = undefined
  }
}

const isTypeScript = (path) => /\.[cm]?ts$/.test(path)
const compiledPath = (path) => (isTypeScript(path) ? path.replace(/ts$/, 'js') : path)

/** Returns the path and the text of a file as Node runs it: TypeScript is compiled without type checks. */
function compiled(path, text) {
  if (!isTypeScript(path)) return [path, text]
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
  const { outputText, diagnostics } = ts.transpileModule(text, { fileName: path, reportDiagnostics: true, compilerOptions: options })
  const [error] = diagnostics ?? []
  if (!error) return [compiledPath(path), outputText]
  const message = ts.flattenDiagnosticMessageText(error.messageText, '\n')
  return [compiledPath(path), `throw new SyntaxError(${JSON.stringify(message)})\n`]
}
