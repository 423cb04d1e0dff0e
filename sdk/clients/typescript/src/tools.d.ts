// Generated from the catalog of tools by `cargo xtask clients`. Do not edit.

import type { CallOptions } from './client.js'

/** Kinds of errors of tools. */
export type ErrorKind =
  | 'FileNotFound'
  | 'TargetNotFound'
  | 'ParseError'
  | 'RefactorFailed'
  | 'OverwriteBlocked'
  | 'AmbiguousTarget'
  | 'InvalidTarget'
  | 'InvalidArgument'
  | 'Stale'
  | 'OutsideWorkspace'
  | 'Unsupported'
  | 'PluginFailed'
  | 'LimitExceeded'
  | 'PermissionDenied'
  | 'Cancelled'
  | 'Internal'

/** Arguments of `file_read`. */
export interface FileReadArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** File path, relative to the root or absolute. */
  file?: string | undefined
  /** Instead of `file`: paths and globs; `!` excludes. */
  files?: ReadonlyArray<string> | undefined
  /** A symbol, JSONPath, selector, XPath or heading: the format's default kind. */
  target?: string | undefined
  /** Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`. */
  symbol?: string | undefined
  /** Data: a JSONPath, e.g. `$.scripts.build`. */
  path?: string | undefined
  /**
   * Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
   * `selector@property`.
   */
  selector?: string | undefined
  /** XML: an XPath with the document's prefixes. */
  xpath?: string | undefined
  /** Documents: a heading, or a path of headings `Guide > Install`. */
  heading?: string | undefined
  /** A named region: `imports`, `exports`, `front-matter`, `head` … */
  region?: string | undefined
  /** Lines: `7` or `7-12`, from 1, inclusive. */
  lines?: string | undefined
  /** Several symbols. */
  symbols?: ReadonlyArray<string> | undefined
  /** Lines around a target or a text. */
  around?: FileReadAround | undefined
  /** `full` (default), `signature`, `body`, or `summary`. */
  format?: 'full' | 'signature' | 'body' | 'summary' | undefined
  /** Include kind, signature and dependencies (default true). */
  includeMetadata?: boolean | undefined
  /** Include the attached doc comment in the range. */
  includeDoc?: boolean | undefined
  /** Maximum lines per match. */
  maxLines?: number | undefined
  /** Maximum number of matches (default 50) or `files`. */
  limit?: number | undefined
  /** Skip this many matches or files. */
  offset?: number | undefined
  /** Maximum bytes of content. */
  maxBytes?: number | undefined
  /** Include parsed values (data formats). */
  values?: boolean | undefined
}

/** Lines around a target or a text. */
export interface FileReadAround {
  /** A target, or a text in the file. */
  target: string
  /** Lines above and below (default 3). */
  context?: number | undefined
}

/** The answer of `file_read`. */
export interface FileReadResult {
  file?: string
  target?: TargetEcho
  content?: string
  range?: Range
  targetRange?: Range
  kind?: string
  signature?: string
  dependencies?: Array<Dependency>
  documentation?: Documentation
  value?: unknown
  matches?: Array<FileReadMatch>
  matchCount?: number
  missing?: Array<Missing>
  truncated?: string
  format?: ReadFormat
  problems?: Array<string>
  hash?: string
  engine?: string
  results?: Array<Record<string, unknown>>
  fileCount?: number
  without?: number
  failed?: number
  warnings?: Array<string>
}

export interface TargetEcho {
  type: string
  value: string
}

export interface Range {
  start: Point
  end: Point
}

export interface Point {
  line: number
  column: number
}

export interface Dependency {
  symbol: string
  from: string
}

export interface Documentation {
  content: string
  range: Range
}

export interface FileReadMatch {
  address: string
  kind?: string
  content: string
  range: Range
  targetRange?: Range
  value?: unknown
  documentation?: Documentation
}

export interface Missing {
  symbol: string
  message: string
  candidates: Array<string>
}

export type ReadFormat = 'full' | 'signature' | 'body' | 'summary'

/** Arguments of `file_edit`. */
export interface FileEditArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** File to edit. */
  file?: string | undefined
  /** Instead of `file`: paths and globs; `!` excludes. */
  files?: ReadonlyArray<string> | undefined
  /** Edits of several files as one change. */
  changes?: ReadonlyArray<FileEditChange> | undefined
  /** A symbol, JSONPath, selector, XPath or heading: the format's default kind. */
  target?: string | undefined
  /** Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`. */
  symbol?: string | undefined
  /** Data: a JSONPath, e.g. `$.scripts.build`. */
  path?: string | undefined
  /**
   * Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
   * `selector@property`.
   */
  selector?: string | undefined
  /** XML: an XPath with the document's prefixes. */
  xpath?: string | undefined
  /** Documents: a heading, or a path of headings `Guide > Install`. */
  heading?: string | undefined
  /** A named region: `imports`, `exports`, `front-matter`, `head` … */
  region?: string | undefined
  /** Lines: `7` or `7-12`, from 1, inclusive. */
  lines?: string | undefined
  /** The operation. */
  operation?:
    | 'replace'
    | 'replace_body'
    | 'insert_before'
    | 'insert_after'
    | 'insert_into'
    | 'wrap'
    | 'delete'
    | 'replace_text'
    | undefined
  /** The text to insert or to replace the target with. */
  content?: string | undefined
  /** `wrap`: the text around the target. */
  wrapper?: FileEditWrapper | undefined
  /** `insert_into`: where (default `last`). */
  position?: 'first' | 'last' | 'sorted' | undefined
  /** `replace_text`: the text in the target (or file) that `content` replaces. */
  old?: string | undefined
  /** `old` is a regular expression; `content` may use `$1`, `${name}`. */
  regex?: boolean | undefined
  /** Match `old` as a whole word only. */
  wholeWord?: boolean | undefined
  /** Ignore the case of `old`. */
  ignoreCase?: boolean | undefined
  /** Code pattern as in ast-grep: `foo($A, $$$REST)`. */
  pattern?: string | undefined
  /** `pattern`: the new code. */
  replacement?: string | undefined
  /** Edit every match of the target, `pattern` or `old`. */
  all?: boolean | undefined
  /** Include the attached doc comment in the target. */
  includeDoc?: boolean | undefined
  /** `replace`: create the target if it does not exist. */
  upsert?: boolean | undefined
  /** Several edits of the current text as one change. */
  edits?: ReadonlyArray<FileEditEdit> | undefined
  /** Refuse if the file no longer has this `hash`. */
  expectedHash?: string | undefined
  /** Write even if a check refuses the edit. */
  force?: boolean | undefined
  /** Report problems added and fixed; refuse new errors. */
  check?: boolean | undefined
  /** Write nothing, show the result (default above 20 files). */
  dryRun?: boolean | undefined
  /** Include old and new content of each edit. */
  preview?: boolean | undefined
  /** Maximum bytes of diff and lists. */
  maxBytes?: number | undefined
  /** Instead of an edit: `rename_symbol`, `extract_function`, `move_to_file` … */
  refactor?: string | undefined
  /** `rename_symbol`: the new name. */
  newName?: string | undefined
  /** `rename_symbol`: `workspace` (default) or `file`; extractions: target scope. */
  scope?: string | undefined
  /** `rename_symbol`: names of re-exports (default `keep`). */
  exports?: 'keep' | 'rename' | undefined
  /** Line of the symbol, from 1. */
  line?: number | undefined
  /** Column of the symbol, from 0. */
  column?: number | undefined
  /** `server`: use the language server. */
  engine?: 'plugin' | 'server' | undefined
  /** Code to extract. */
  selectionRange?: FileEditSelectionRange | undefined
  /** Name of the extracted symbol. */
  extractedName?: string | undefined
  /** Its other arguments. */
  arguments?: Record<string, unknown> | undefined
  /** Why, for file_history. */
  why?: string | undefined
}

/** An edit of one file. */
export interface FileEditChange {
  /** File to edit. */
  file: string
  /** A symbol, JSONPath, selector, XPath or heading: the format's default kind. */
  target?: string | undefined
  /** Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`. */
  symbol?: string | undefined
  /** Data: a JSONPath, e.g. `$.scripts.build`. */
  path?: string | undefined
  /**
   * Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
   * `selector@property`.
   */
  selector?: string | undefined
  /** XML: an XPath with the document's prefixes. */
  xpath?: string | undefined
  /** Documents: a heading, or a path of headings `Guide > Install`. */
  heading?: string | undefined
  /** A named region: `imports`, `exports`, `front-matter`, `head` … */
  region?: string | undefined
  /** Lines: `7` or `7-12`, from 1, inclusive. */
  lines?: string | undefined
  /** The operation. */
  operation?:
    | 'replace'
    | 'replace_body'
    | 'insert_before'
    | 'insert_after'
    | 'insert_into'
    | 'wrap'
    | 'delete'
    | 'replace_text'
    | undefined
  /** The text to insert or to replace the target with. */
  content?: string | undefined
  /** `wrap`: the text around the target. */
  wrapper?: FileEditWrapper | undefined
  /** `insert_into`: where (default `last`). */
  position?: 'first' | 'last' | 'sorted' | undefined
  /** `replace_text`: the text in the target (or file) that `content` replaces. */
  old?: string | undefined
  /** `old` is a regular expression; `content` may use `$1`, `${name}`. */
  regex?: boolean | undefined
  /** Match `old` as a whole word only. */
  wholeWord?: boolean | undefined
  /** Ignore the case of `old`. */
  ignoreCase?: boolean | undefined
  /** Code pattern as in ast-grep: `foo($A, $$$REST)`. */
  pattern?: string | undefined
  /** `pattern`: the new code. */
  replacement?: string | undefined
  /** Edit every match of the target, `pattern` or `old`. */
  all?: boolean | undefined
  /** Include the attached doc comment in the target. */
  includeDoc?: boolean | undefined
  /** `replace`: create the target if it does not exist. */
  upsert?: boolean | undefined
  /** Refuse if the file no longer has this `hash`. */
  expectedHash?: string | undefined
}

/** `wrap`: the text around the target. */
export interface FileEditWrapper {
  /** Text before. */
  before: string
  /** Text after. */
  after: string
}

/** One edit. */
export interface FileEditEdit {
  /** A symbol, JSONPath, selector, XPath or heading: the format's default kind. */
  target?: string | undefined
  /** Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`. */
  symbol?: string | undefined
  /** Data: a JSONPath, e.g. `$.scripts.build`. */
  path?: string | undefined
  /**
   * Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
   * `selector@property`.
   */
  selector?: string | undefined
  /** XML: an XPath with the document's prefixes. */
  xpath?: string | undefined
  /** Documents: a heading, or a path of headings `Guide > Install`. */
  heading?: string | undefined
  /** A named region: `imports`, `exports`, `front-matter`, `head` … */
  region?: string | undefined
  /** Lines: `7` or `7-12`, from 1, inclusive. */
  lines?: string | undefined
  /** The operation. */
  operation?:
    | 'replace'
    | 'replace_body'
    | 'insert_before'
    | 'insert_after'
    | 'insert_into'
    | 'wrap'
    | 'delete'
    | 'replace_text'
    | undefined
  /** The text to insert or to replace the target with. */
  content?: string | undefined
  /** `wrap`: the text around the target. */
  wrapper?: FileEditWrapper | undefined
  /** `insert_into`: where (default `last`). */
  position?: 'first' | 'last' | 'sorted' | undefined
  /** `replace_text`: the text in the target (or file) that `content` replaces. */
  old?: string | undefined
  /** `old` is a regular expression; `content` may use `$1`, `${name}`. */
  regex?: boolean | undefined
  /** Match `old` as a whole word only. */
  wholeWord?: boolean | undefined
  /** Ignore the case of `old`. */
  ignoreCase?: boolean | undefined
  /** Code pattern as in ast-grep: `foo($A, $$$REST)`. */
  pattern?: string | undefined
  /** `pattern`: the new code. */
  replacement?: string | undefined
  /** Edit every match of the target, `pattern` or `old`. */
  all?: boolean | undefined
  /** Include the attached doc comment in the target. */
  includeDoc?: boolean | undefined
  /** `replace`: create the target if it does not exist. */
  upsert?: boolean | undefined
}

/** Code to extract. */
export interface FileEditSelectionRange {
  /** From 1. */
  startLine: number
  /** From 0. */
  startColumn?: number | undefined
  /** From 1. */
  endLine: number
  /** From 0, exclusive. */
  endColumn?: number | undefined
}

/** The answer of `file_edit`. */
export interface FileEditResult {
  success: boolean
  operation?: OperationName
  refactor?: string
  file?: string
  target?: string
  symbol?: string
  newName?: string
  filesAffected: Affected
  totalEdits: number
  fileCount?: number
  without?: number
  changes: Array<FileChange>
  range?: Range
  hash?: string
  diff: string
  id?: string
  checked?: Record<string, unknown>
  dryRun: boolean
  warnings?: Array<string>
  truncated?: string
  completeness?: string
  unresolved?: Array<string>
  mentions?: Array<string>
  kept?: Array<string>
  nameAt?: Point
  engine: string
  summary: string
}

export type OperationName =
  | 'replace'
  | 'replace_body'
  | 'insert_before'
  | 'insert_after'
  | 'insert_into'
  | 'wrap'
  | 'delete'
  | 'replace_text'

export type Affected = number | Array<string>

export interface FileChange {
  file: string
  edits: Array<TextEdit>
  hash?: string
}

export interface TextEdit {
  type: string
  range: PositionPair
  oldContent?: string
  newContent?: string
}

export interface PositionPair {
  start: [number, number]
  end: [number, number]
}

/** Arguments of `file_create`. */
export interface FileCreateArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** File to create. */
  path: string
  /** Content, instead of a template. */
  content?: string | undefined
  /** Template of a pack or from `.marquetry/templates` (default `empty`). */
  template?: string | undefined
  /** Template variables; `name` defaults to the file's stem. */
  templateVars?: Record<string, unknown> | undefined
  /** Replace an existing file. */
  overwrite?: boolean | undefined
  /** Create missing directories (default true). */
  createDirectories?: boolean | undefined
  /** Open it in the editor. */
  openInEditor?: boolean | undefined
  /** Report problems added and fixed; refuse new errors. */
  check?: boolean | undefined
  /** Write nothing, show the result. */
  dryRun?: boolean | undefined
  /** Maximum bytes of diff and lists. */
  maxBytes?: number | undefined
  /** Why, for file_history. */
  why?: string | undefined
}

/** The answer of `file_create`. */
export interface FileCreateResult {
  success: boolean
  path: string
  created: boolean
  template?: string
  size: number
  directoriesCreated: Array<string>
  hash?: string
  diff: string
  id?: string
  checked?: Record<string, unknown>
  dryRun: boolean
  warnings?: Array<string>
  truncated?: string
  completeness: string
  engine: string
  summary: string
}

/** Arguments of `file_delete`. */
export interface FileDeleteArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** File or directory to delete. */
  path?: string | undefined
  /** Several paths to delete. */
  paths?: ReadonlyArray<string> | undefined
  /** Delete directories with their contents. */
  recursive?: boolean | undefined
  /** Remove imports of deleted files (default true). */
  updateImports?: boolean | undefined
  /** Refuse if anything still uses it. */
  safe?: boolean | undefined
  /** Report problems added and fixed; refuse new errors. */
  check?: boolean | undefined
  /** Write nothing, show the result. */
  dryRun?: boolean | undefined
  /** Maximum bytes of diff and lists. */
  maxBytes?: number | undefined
  /** Why, for file_history. */
  why?: string | undefined
}

/** The answer of `file_delete`. */
export interface FileDeleteResult {
  success: boolean
  deleted: Array<string>
  updatedFiles: Array<UpdatedFile>
  totalDeleted: number
  totalImportsRemoved: number
  dangling?: Array<string>
  diff: string
  id?: string
  checked?: Record<string, unknown>
  dryRun: boolean
  warnings?: Array<string>
  truncated?: string
  completeness: string
  engine: string
  summary: string
}

export interface UpdatedFile {
  file: string
  removedImports: Array<RemovedImport>
}

export interface RemovedImport {
  symbol: string
  from: string
}

/** Arguments of `file_move`. */
export interface FileMoveArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** File or directory to move. */
  source?: string | undefined
  /** New path; a path ending with `/`, or an existing directory, keeps the name. */
  destination?: string | undefined
  /** Several moves as one change. */
  moves?: ReadonlyArray<FileMoveMove> | undefined
  /** Update links and imports (default true). */
  updateImports?: boolean | undefined
  /** Replace an existing file. */
  overwrite?: boolean | undefined
  /** Report problems added and fixed; refuse new errors. */
  check?: boolean | undefined
  /** Write nothing, show the result. */
  dryRun?: boolean | undefined
  /** Maximum bytes of diff and lists. */
  maxBytes?: number | undefined
  /** Why, for file_history. */
  why?: string | undefined
}

/** One of several moves. */
export interface FileMoveMove {
  /** Old path. */
  source: string
  /** New path. */
  destination: string
}

/** The answer of `file_move`. */
export interface FileMoveResult {
  success: boolean
  source: string
  destination: string
  moves?: Array<MovePair>
  moved: boolean
  importsUpdated: Array<UpdatedLinks>
  totalFilesUpdated: number
  unresolved?: Array<string>
  diff: string
  id?: string
  checked?: Record<string, unknown>
  dryRun: boolean
  warnings?: Array<string>
  truncated?: string
  completeness: string
  engine: string
  summary: string
}

export interface MovePair {
  source: string
  destination: string
}

export interface UpdatedLinks {
  file: string
  changes: Array<Replacement>
}

export interface Replacement {
  old: string
  new: string
}

/** Arguments of `file_rename`. */
export interface FileRenameArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** File or directory to rename. */
  path: string
  /** New name, without folders. */
  newName: string
  /** Update links and imports (default true). */
  updateImports?: boolean | undefined
  /** Rename the main export to match the file name. */
  renameExports?: boolean | undefined
  /** Exports to rename: `{"Old": "New"}`. */
  exportMapping?: Record<string, string> | undefined
  /** Replace an existing file. */
  overwrite?: boolean | undefined
  /** Report problems added and fixed; refuse new errors. */
  check?: boolean | undefined
  /** Write nothing, show the result. */
  dryRun?: boolean | undefined
  /** Maximum bytes of diff and lists. */
  maxBytes?: number | undefined
  /** Why, for file_history. */
  why?: string | undefined
}

/** The answer of `file_rename`. */
export interface FileRenameResult {
  success: boolean
  oldPath: string
  newPath: string
  renamed: boolean
  importsUpdated: Array<UpdatedLinks>
  exportsRenamed: Array<UpdatedLinks>
  totalFilesUpdated: number
  unresolved?: Array<string>
  diff: string
  id?: string
  checked?: Record<string, unknown>
  dryRun: boolean
  warnings?: Array<string>
  truncated?: string
  completeness: string
  engine: string
  summary: string
}

/** Arguments of `file_duplicate`. */
export interface FileDuplicateArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** File to copy. */
  source: string
  /** Path of the copy. */
  destination: string
  /** Rename the copy's main export to match the file name. */
  renameSymbols?: boolean | undefined
  /** Symbols to rename in the copy: `{"Old": "New"}`. */
  symbolMapping?: Record<string, string> | undefined
  /** Replace an existing file. */
  overwrite?: boolean | undefined
  /** Report problems added and fixed; refuse new errors. */
  check?: boolean | undefined
  /** Write nothing, show the result. */
  dryRun?: boolean | undefined
  /** Maximum bytes of diff and lists. */
  maxBytes?: number | undefined
  /** Why, for file_history. */
  why?: string | undefined
}

/** The answer of `file_duplicate`. */
export interface FileDuplicateResult {
  success: boolean
  source: string
  destination: string
  duplicated: boolean
  size: number
  symbolsRenamed: Array<SymbolRenamed>
  unresolved?: Array<string>
  diff: string
  id?: string
  checked?: Record<string, unknown>
  dryRun: boolean
  warnings?: Array<string>
  truncated?: string
  completeness: string
  engine: string
  summary: string
}

export interface SymbolRenamed {
  old: string
  new: string
  occurrences: number
}

/** Arguments of `query`. */
export interface QueryArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** Query type. */
  type:
    | 'projectInfo'
    | 'symbolInfo'
    | 'hover'
    | 'typeDefinition'
    | 'documentSymbols'
    | 'diagnostics'
    | 'dependencies'
    | 'references'
    | 'workspaceSymbols'
    | 'implementations'
    | 'typeHierarchy'
    | 'callHierarchy'
    | 'codeActions'
    | 'gitStatus'
    | 'search'
    | 'files'
  /** File or folder; `search`: a JSONPath if it starts with `$`. */
  path?: string | undefined
  /** `diagnostics`: minimum severity. */
  severity?: 'error' | 'warning' | 'info' | 'hint' | undefined
  /** `diagnostics`: only this severity. */
  only?: 'error' | 'warning' | 'info' | 'hint' | undefined
  /** `diagnostics`: checks to run (default: all). */
  checks?: ReadonlyArray<'syntax' | 'links' | 'names'> | undefined
  /** Address of the symbol. */
  symbol?: string | undefined
  /** Line of the symbol, from 1. */
  line?: number | undefined
  /** Column of the symbol, from 0. */
  column?: number | undefined
  /** `codeActions`: first line of the selection, from 1. */
  startLine?: number | undefined
  /** Its column, from 0. */
  startColumn?: number | undefined
  /** Last line of the selection. */
  endLine?: number | undefined
  /** Its column, exclusive. */
  endColumn?: number | undefined
  /** `references`: include the declaration. */
  includeDeclaration?: boolean | undefined
  /** `references`: only this kind of use. */
  usage?:
    | 'declaration'
    | 'call'
    | 'read'
    | 'write'
    | 'type'
    | 'import'
    | 'export'
    | 'string'
    | 'comment'
    | undefined
  /** Direction of `dependencies` and hierarchies. */
  direction?: 'imports' | 'importedBy' | 'incoming' | 'outgoing' | 'supertypes' | 'subtypes' | undefined
  /** `workspaceSymbols`: name or part; wildcards `*`, `?`. */
  query?: string | undefined
  /** `workspaceSymbols`: only this kind. */
  kind?: string | undefined
  /** `search`, `files`: paths and globs; `!` excludes. */
  files?: ReadonlyArray<string> | undefined
  /** Text to find, taken literally. */
  text?: string | undefined
  /** Regular expression, matched per line. */
  regex?: string | undefined
  /** Structural pattern: `$A` is one node, `$$$REST` any number. */
  pattern?: string | undefined
  /**
   * Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
   * `selector@property`.
   */
  selector?: string | undefined
  /** XML: an XPath with the document's prefixes. */
  xpath?: string | undefined
  /** Documents: a heading, or a path of headings `Guide > Install`. */
  heading?: string | undefined
  /** Search in this region only. */
  region?: string | undefined
  /** Ignore case. */
  ignoreCase?: boolean | undefined
  /** Match whole words only. */
  wholeWord?: boolean | undefined
  /** `regex`: match across lines. */
  multiline?: boolean | undefined
  /** Lines around each match. */
  context?: number | undefined
  /** Only count matches per file. */
  countOnly?: boolean | undefined
  /** Maximum results. */
  limit?: number | undefined
  /** Skip this many results. */
  offset?: number | undefined
  /** Maximum levels (`callHierarchy`: default 1). */
  depth?: number | undefined
  /** Maximum bytes of content. */
  maxBytes?: number | undefined
  /** `server`: the language server; `editor`: editor diagnostics. */
  engine?: 'plugin' | 'server' | 'editor' | undefined
}

/** Values of `type`. */
export type QueryType =
  | 'projectInfo'
  | 'symbolInfo'
  | 'hover'
  | 'typeDefinition'
  | 'documentSymbols'
  | 'diagnostics'
  | 'dependencies'
  | 'references'
  | 'workspaceSymbols'
  | 'implementations'
  | 'typeHierarchy'
  | 'callHierarchy'
  | 'codeActions'
  | 'gitStatus'
  | 'search'
  | 'files'

/** The type of `data` for each `type`. */
export interface QueryDataByType {
  projectInfo: ProjectInfo
  symbolInfo: SymbolInfo
  hover: Hover
  typeDefinition: TypeDefinition
  documentSymbols: Symbols
  diagnostics: Diagnostics
  dependencies: Dependencies
  references: References
  workspaceSymbols: WorkspaceSymbols
  implementations: Relations
  typeHierarchy: Relations
  callHierarchy: Relations
  codeActions: Actions
  gitStatus: GitStatus
  search: Matches
  files: FileList
}

/** The answer of `query`. */
export interface QueryResult<T extends QueryType = QueryType> {
  success: boolean
  data: QueryDataByType[T]
  completeness: string
  engine: string
  warnings?: Array<string>
  total?: number
  truncated?: string
}

export type QueryData =
  | Symbols
  | Diagnostics
  | Dependencies
  | References
  | WorkspaceSymbols
  | Relations
  | Actions
  | SymbolInfo
  | ProjectInfo
  | Hover
  | TypeDefinition
  | GitStatus
  | Matches
  | FileList

export interface Symbols {
  symbols: Array<DocumentSymbol>
}

export interface DocumentSymbol {
  name: string
  kind: string
  address: string
  range: Range
  selectionRange: Range
  level?: number
  children: Array<DocumentSymbol>
}

export interface Diagnostics {
  diagnostics: Array<Diagnostic>
  reported: string
  checked: Array<string>
  files: number
  skipped?: Array<string>
}

export interface Diagnostic {
  path: string
  line: number
  column: number
  severity: string
  message: string
  source: string
  code?: string
  fix?: Record<string, unknown>
}

export interface Dependencies {
  dependencies: Array<DependencyLink>
}

export interface DependencyLink {
  path?: string
  specifier: string
  kind: string
  names: Array<string>
  typeOnly: boolean
  line: number
  unresolved?: string
}

export interface References {
  references: Array<Reference>
  files: Array<FileCount>
  usages: Record<string, number>
}

export interface Reference {
  path: string
  line: number
  column: number
  preview: string
  usage: string
  certain: boolean
}

export interface FileCount {
  path: string
  count: number
}

export interface WorkspaceSymbols {
  symbols: Array<WorkspaceSymbol>
}

export interface WorkspaceSymbol {
  name: string
  kind: string
  path: string
  address: string
  line: number
  column: number
}

export interface Relations {
  symbol: string
  items: Array<Relation>
}

export interface Relation {
  name: string
  kind?: string
  path: string
  line: number
  column: number
  address?: string
  range?: Range
  preview: string
  from?: string
  depth: number
  via?: string
  calls?: Array<CallSite>
}

export interface CallSite {
  line: number
  column: number
  preview: string
}

export interface Actions {
  actions: Array<Action>
  unavailable: Array<Unavailable>
}

export interface Action {
  title: string
  refactor: string
  call: Record<string, unknown>
  arguments?: Array<Argument>
  fixes?: string
}

export interface Argument {
  name: string
  summary: string
  values?: Array<string>
  required: boolean
}

export interface Unavailable {
  refactor: string
  reason: string
  hint?: string
}

export interface SymbolInfo {
  name: string
  kind: string
  type?: string
  code?: string
  documentation?: string
  references?: number
  location: Location
  address?: string
  range?: Range
  notes?: Array<Remark>
}

export interface Location {
  path: string
  line: number
  column: number
}

export interface Remark {
  label: string
  text: string
  location?: Location
}

export interface ProjectInfo {
  root: string
  roots: Array<string>
  workspaceFolders: Array<string>
  activeFile?: string
  openEditors: Array<string>
  editor: string
  files: number
  languages: Array<Language>
  manifests: Array<ManifestInfo>
  plugins: Array<Plugin>
  servers?: Array<ServerInfo>
  trust?: string
  git?: string
}

export interface Language {
  language: string
  plugin?: string
  files: number
  bytes: number
}

export interface ManifestInfo {
  path: string
  name?: string
  version?: string
  manager?: string
  scripts?: Record<string, string>
  workspaces?: Array<string>
}

export interface Plugin {
  id: string
  version?: string
  source: string
  state: string
  interfaces: Array<string>
}

export interface ServerInfo {
  id: string
  command: string
  source: string
  state: string
}

export interface Hover {
  contents: string
  range: Range
}

export interface TypeDefinition {
  name: string
  type?: string
  definitions: Array<Definition>
}

export interface Definition {
  name: string
  kind: string
  path: string
  line: number
  column: number
  address?: string
  range: Range
  preview: string
  content: string
}

export interface GitStatus {
  branch?: string
  commit?: string
  detached?: boolean
  upstream?: string
  ahead?: number
  behind?: number
  operation?: string
  folder?: string
  staged: Array<GitChange>
  unstaged: Array<GitChange>
  untracked: Array<GitChange>
  conflicts: Array<GitChange>
  submodules?: Array<string>
  worktrees?: Array<GitWorktree>
}

export interface GitChange {
  path: string
  status: string
  from?: string
}

export interface GitWorktree {
  folder: string
  branch?: string
}

export interface Matches {
  matches?: Array<QueryMatch>
  matchCount: number
  fileCount: number
  searched: number
  counts?: Array<FileCount>
  binary?: number
  skipped?: Array<string>
  near?: Array<string>
}

export interface QueryMatch {
  path: string
  address: string
  target: string
  kind?: string
  range: Range
  preview: string
  before?: Array<string>
  after?: Array<string>
  captures?: Record<string, string>
}

export interface FileList {
  files: Array<FileEntry>
  folders?: Array<FolderEntry>
  fileCount: number
  languages: Record<string, number>
  ignored?: Array<string>
}

export interface FileEntry {
  path: string
  size?: number
  language?: string
}

export interface FolderEntry {
  path: string
  files: number
}

/** Arguments of `open`. */
export interface OpenArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** Several items to open. */
  items?: ReadonlyArray<OpenItem> | undefined
  /** Kind of item to open. */
  type?: 'file' | 'diff' | 'gitDiff' | 'symbol' | undefined
  /** The file. */
  path?: string | undefined
  /** First line to select, from 1. */
  startLine?: number | undefined
  /** Last line to select. */
  endLine?: number | undefined
  /** `diff`: the old file. */
  left?: string | undefined
  /** `diff`: the new file. */
  right?: string | undefined
  /** Title of the tab. */
  title?: string | undefined
  /** Old revision, `staged` or `working` (default `HEAD`). */
  from?: string | undefined
  /** New revision (default `working`). */
  to?: string | undefined
  /** Lines around each change. */
  context?: number | undefined
  /** Name or address of a symbol. */
  query?: string | undefined
  /** The editor (default: last used). */
  editor?: string | undefined
}

/** One item to open. */
export interface OpenItem {
  /** Kind of item to open. */
  type?: 'file' | 'diff' | 'gitDiff' | 'symbol' | undefined
  /** The file. */
  path?: string | undefined
  /** First line to select, from 1. */
  startLine?: number | undefined
  /** Last line to select. */
  endLine?: number | undefined
  /** `diff`: the old file. */
  left?: string | undefined
  /** `diff`: the new file. */
  right?: string | undefined
  /** Title of the tab. */
  title?: string | undefined
  /** Old revision, `staged` or `working` (default `HEAD`). */
  from?: string | undefined
  /** New revision (default `working`). */
  to?: string | undefined
  /** Lines around each change. */
  context?: number | undefined
  /** Name or address of a symbol. */
  query?: string | undefined
}

/** The answer of `open`. */
export interface OpenResult {
  success: boolean
  error?: string
  results: Array<ItemResult>
  warnings?: Array<string>
}

export interface ItemResult {
  success: boolean
  error?: string
  kind?: string
  hint?: string
  candidates?: Array<string>
  type: string
  path?: string
  range?: Range
  address?: string
  change?: string
  note?: string
}

/** Arguments of `file_undo`. */
export interface FileUndoArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** Id of the change (default: the latest). */
  id?: string | undefined
  /** Write nothing, show the result. */
  dryRun?: boolean | undefined
  /** Why, for file_history. */
  why?: string | undefined
}

/** The answer of `file_undo`. */
export interface FileUndoResult {
  success: boolean
  undone: Change
  files: Array<string>
  warnings?: Array<string>
  dryRun: boolean
  summary: string
}

export interface Change {
  id: string
  title: string
  time: number
  files: Array<string>
  undone: boolean
  interrupted?: string
  client?: string
  tool?: string
  about?: string
  why?: string
  purged?: Array<string>
}

/** Arguments of `file_history`. */
export interface FileHistoryArguments {
  /** Project root (default: the server's). */
  root?: string | undefined
  /** Maximum changes (default 20). */
  limit?: number | undefined
}

/** The answer of `file_history`. */
export interface FileHistoryResult {
  changes: Array<Change>
  warnings?: Array<string>
}

/** The arguments and the answer of every tool. */
export interface ToolTypes {
  file_read: { arguments: FileReadArguments; result: FileReadResult }
  file_edit: { arguments: FileEditArguments; result: FileEditResult }
  file_create: { arguments: FileCreateArguments; result: FileCreateResult }
  file_delete: { arguments: FileDeleteArguments; result: FileDeleteResult }
  file_move: { arguments: FileMoveArguments; result: FileMoveResult }
  file_rename: { arguments: FileRenameArguments; result: FileRenameResult }
  file_duplicate: { arguments: FileDuplicateArguments; result: FileDuplicateResult }
  query: { arguments: QueryArguments; result: QueryResult }
  open: { arguments: OpenArguments; result: OpenResult }
  file_undo: { arguments: FileUndoArguments; result: FileUndoResult }
  file_history: { arguments: FileHistoryArguments; result: FileHistoryResult }
}

/** A method for each tool. */
export declare abstract class Tools {
  /** Calls a tool by its name. */
  abstract call<N extends keyof ToolTypes>(
    tool: N,
    args: ToolTypes[N]['arguments'],
    options?: CallOptions,
  ): Promise<ToolTypes[N]['result']>
  abstract call(tool: string, args?: object, options?: CallOptions): Promise<unknown>

  /**
   * Read File Content: Read one thing of a file by name: a code symbol, JSONPath, CSS selector, XPath, heading, region
   * or lines. The content returned is exactly what file_edit `replace` replaces. Without a target: the whole file, or
   * its outline if it is large. Several matches are listed with addresses; an address, passed as `target`, finds that
   * match alone. `format` returns less: `signature`, `body` or `summary`.
   */
  fileRead(args?: FileReadArguments, options?: CallOptions): Promise<FileReadResult>

  /**
   * Edit File Content: Change one thing of a file by name (see file_read). Operations: replace, replace_body,
   * insert_before, insert_after, insert_into (`position`), wrap, delete, replace_text (`old` becomes `content` inside
   * the target). Content is re-indented (except with `lines`) and gets the separators of its neighbours; all other
   * bytes stay. An edit that adds syntax errors is refused unless `force`. `edits`, `files` and `changes` make several
   * edits one change. Returns a diff and an id for file_undo. `refactor: "rename_symbol"` with `symbol` and `newName`
   * renames in all files; query `codeActions` lists other refactors.
   */
  fileEdit(args?: FileEditArguments, options?: CallOptions): Promise<FileEditResult>

  /**
   * Create File: Create a file with `content`, or from a `template`. An existing file is not replaced unless
   * `overwrite`.
   */
  fileCreate(args: FileCreateArguments, options?: CallOptions): Promise<FileCreateResult>

  /**
   * Delete File: Delete files or directories (`recursive`). Imports and re-exports of them are removed from other
   * files; uses left without a definition are listed as `dangling`. With `safe`, nothing is deleted while something
   * uses it.
   */
  fileDelete(args?: FileDeleteArguments, options?: CallOptions): Promise<FileDeleteResult>

  /**
   * Move File: Move files or directories; links and imports follow, in every format. Links that could not be updated
   * are listed as `unresolved`.
   */
  fileMove(args?: FileMoveArguments, options?: CallOptions): Promise<FileMoveResult>

  /**
   * Rename File: Rename a file or directory in its folder; links and imports follow (see file_move). `renameExports`
   * renames the main export to match the file name, `exportMapping` others.
   */
  fileRename(args: FileRenameArguments, options?: CallOptions): Promise<FileRenameResult>

  /** Duplicate File: Copy a file. Links in the copy keep their destinations. */
  fileDuplicate(args: FileDuplicateArguments, options?: CallOptions): Promise<FileDuplicateResult>

  /**
   * Query Code: Ask about the workspace. `symbolInfo`, `hover`, `typeDefinition`: of a `symbol`, or at `line` and
   * `column`. `documentSymbols`: the outline of `path` with addresses. `diagnostics`: problems in a file, a glob or
   * all files. `references`: uses of a `symbol`. `implementations`, `typeHierarchy`, `callHierarchy`: to any `depth`.
   * `dependencies`: what `path` imports, or what imports it (`direction: "importedBy"`). `workspaceSymbols`: by name.
   * `codeActions`: refactors available at a position. `search`: by `text`, `regex`, `pattern` or a target. `files`:
   * list files. `projectInfo`. `gitStatus`.
   */
  query<T extends QueryType>(args: QueryArguments & { type: T }, options?: CallOptions): Promise<QueryResult<T>>

  /**
   * Open in Editor: Show a `file` at lines, a `diff` of two files, a `gitDiff` between revisions, or a `symbol` in the
   * user's editor.
   */
  open(args?: OpenArguments, options?: CallOptions): Promise<OpenResult>

  /** Undo Change: Undo a change by its id, or the latest one. Refused if a file changed since. */
  fileUndo(args?: FileUndoArguments, options?: CallOptions): Promise<FileUndoResult>

  /** List Changes: List changes made here, latest first, with ids for file_undo. */
  fileHistory(args?: FileHistoryArguments, options?: CallOptions): Promise<FileHistoryResult>
}
