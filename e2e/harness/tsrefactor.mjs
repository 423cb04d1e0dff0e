// TypeScript's own refactorings, with the calls of marq, for comparison.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { offsetOf } from './edits.mjs'
import { read } from './tree.mjs'

/** Error: TypeScript has no such refactoring at this place. */
class Refused extends Error {
  menu = {}
}

const OPTIONS = {
  allowJs: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
}
const PREFERENCES = { allowTextChangesInNewFiles: true, allowRenameOfImportPath: true, provideRefactorNotApplicableReason: true }
const FORMAT = ts.getDefaultFormatCodeSettings()
const isLast = (actions) => actions.at(-1)

/** The corresponding refactoring of TypeScript, and its action. */
const KINDS = {
  extract_variable: { name: 'Extract Symbol', chosen: (actions) => actions.find(({ name }) => name.startsWith('constant_')) },
  extract_constant: { name: 'Extract Symbol', chosen: (actions) => isLast(actions.filter(({ name }) => name.startsWith('constant_'))) },
  extract_function: { name: 'Extract Symbol', chosen: (actions) => isLast(actions.filter(({ name }) => name.startsWith('function_'))) },
  extract_method: { name: 'Extract Symbol', chosen: (actions) => actions.find(({ description }) => description.includes('method in class')) },
  extract_type: { name: 'Extract type', chosen: (actions) => actions[0] },
  inline_variable: { name: 'Inline variable', chosen: (actions) => actions[0] },
  convert_to_arrow: { name: 'Convert arrow function or function expression', chosen: (actions) => actions.find(({ name }) => name.includes('arrow')) },
  convert_to_function: { name: 'Convert arrow function or function expression', chosen: (actions) => actions.find(({ name }) => !name.includes('arrow')) },
  move_to_file: { name: 'Move to file', chosen: (actions) => actions[0] },
  toggle_export_default: { name: 'Convert export', chosen: (actions) => actions[0] },
}

export class TypeScriptRefactorings {
  #folder
  #written = new Map()
  #registry = ts.createDocumentRegistry()

  constructor(folder) {
    this.#folder = folder
  }

  async refactor({ file, refactor, selectionRange, line, column, arguments: more }) {
    const files = new Map([...read(this.#folder)].map(([path, bytes]) => [join(this.#folder, path), bytes.toString('utf8')]))
    const path = join(this.#folder, file)
    const text = files.get(path)
    const place = (line, character) => offsetOf(text, { line: line - 1, character })
    const { startLine, startColumn, endLine, endColumn } = selectionRange ?? {}
    const at = selectionRange ? { pos: place(startLine, startColumn), end: place(endLine, endColumn) } : place(line ?? 1, column ?? 0)
    const service = ts.createLanguageService(this.#host(files), this.#registry)
    const changes = refactor === 'organize_imports' ? service.organizeImports({ type: 'file', fileName: path }, FORMAT, PREFERENCES) : this.#edits(service, path, at, refactor, more)
    return this.#write(changes, files)
  }

  #host(files) {
    return {
      ...ts.createCompilerHost(OPTIONS),
      getCompilationSettings: () => OPTIONS,
      getScriptFileNames: () => [...files.keys()],
      getScriptVersion: () => '1',
      getScriptSnapshot: (path) => {
        const text = files.get(path) ?? ts.sys.readFile(path)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
    }
  }

  #edits(service, path, at, refactor, more) {
    const kind = KINDS[refactor]
    if (!kind) throw new Refused('TypeScript has no such refactoring')
    const offered = service.getApplicableRefactors(path, at, PREFERENCES, 'invoked', undefined, true).filter(({ name }) => name === kind.name)
    const actions = offered.flatMap(({ actions }) => actions)
    const action = kind.chosen(actions.filter(({ notApplicableReason }) => !notApplicableReason))
    if (!action) throw new Refused(actions.find(({ notApplicableReason }) => notApplicableReason)?.notApplicableReason ?? 'not offered')
    const target = more?.destination && { targetFile: join(dirname(path), more.destination) }
    const info = service.getEditsForRefactor(path, FORMAT, at, kind.name, action.name, PREFERENCES, target)
    if (!info || info.edits.length === 0) throw new Refused(info?.notApplicableReason ?? 'no edits')
    return info.edits
  }

  #write(changes, files) {
    this.#written = new Map()
    for (const { fileName, textChanges } of changes) {
      const before = files.get(fileName)
      let after = before ?? ''
      for (const { span, newText } of [...textChanges].reverse()) after = after.slice(0, span.start) + newText + after.slice(span.start + span.length)
      if (after === before) continue
      this.#written.set(fileName, before)
      mkdirSync(dirname(fileName), { recursive: true })
      writeFileSync(fileName, after)
    }
    if (this.#written.size === 0) return {}
    const changed = [...this.#written.keys()].map((path) => relative(this.#folder, path))
    return { id: 'only', completeness: 'complete', diff: changed.join('\n') }
  }

  async undo() {
    for (const [path, text] of this.#written) text === undefined ? rmSync(path) : writeFileSync(path, text)
  }

  async close() {}
}
