// Types of the SDK. The comments of the WIT files (`wit/*.wit`) describe the meaning of each.
//
// Every offset is an index of a JavaScript string. Optional fields may be omitted in results; in arguments they are
// `null`. A variant is `{ tag, … }`: fields of a record are beside the tag, any other payload is `value`.

export interface Span { start: number; end: number }
export interface Edit { span: Span; text: string }
export type Severity = "error" | "warning" | "info" | "hint";
export interface Diagnostic { severity: Severity; span: Span; message: string; code?: string | null }

export type FailureKind =
  | "target-not-found" | "ambiguous-target" | "invalid-target" | "invalid-argument"
  | "parse-error" | "refactor-failed" | "unsupported" | "limit-exceeded";

/** Thrown by a function that can fail: what is wrong, what to do, and the nearest valid alternatives. */
export class Failure extends Error {
  constructor(kind: FailureKind, message: string, more?: { hint?: string | null; candidates?: string[]; span?: Span | null });
  kind: FailureKind;
  hint: string | null;
  candidates: string[];
  span: Span | null;
  /** The target does not exist; `known` are all existing addresses. */
  static notFound(what: string, wanted: string, known?: Iterable<string>): Failure;
  /** The operation is not supported by the pack or for this kind of node. */
  static unsupported(message: string, hint?: string | null): Failure;
  /** The content or another argument is invalid. */
  static invalid(message: string, hint?: string | null, candidates?: string[]): Failure;
}

export type TargetKind = "symbol" | "path" | "selector" | "xpath" | "heading" | "region";
export interface Target { kind: TargetKind; value: string }
export interface Query { target: Target; limit: number; values: boolean }
export type Form = "full" | "signature" | "body" | "summary";

/** An addressable part of a document. `id` identifies it within the document: the same text gives the same ids. */
export interface Node {
  id: number;
  /** In an outline, the index of the parent in the same list. */
  parent?: number | null;
  kind: string;
  name: string;
  address: string;
  span: Span;
  selection: Span;
  body?: Span | null;
  doc?: Span | null;
  level?: number | null;
  /** The parsed value as JSON. */
  value?: string | null;
}

export type Operation =
  | { tag: "replace" | "replace-body" | "insert-before" | "insert-after"; value: string }
  | { tag: "insert-into"; content: string; position: "first" | "last" | "sorted" }
  | { tag: "wrap"; before: string; after: string }
  | { tag: "delete" };
export interface EditOptions { includeDoc: boolean; force: boolean }

/** The text of one file and the data derived from it. The first four methods are required. */
export interface Document {
  outline(): Iterable<Node>;
  /**
   * All nodes that the target matches; the list is truncated to `query.limit`. If it is empty, the nearest addresses
   * are suggested.
   */
  find(query: Query): Node[] | { nodes: Node[]; total: number } | { json: string; text: string };
  /** A span of the document, or generated text. */
  view(node: number, form: Form): Span | string;
  edit(nodes: number[], operation: Operation, options: EditOptions): Iterable<Edit>;
  diagnostics?(): Iterable<Diagnostic>;
  /** The errors that parsing already found, if `diagnostics` runs further checks. */
  parseErrors?(): Iterable<Diagnostic>;
  /** Ranges that the operation may change besides the nodes and the text next to them. Other edits are rejected. */
  editRanges?(nodes: number[], operation: Operation): Iterable<Span>;
  insertMissing?(target: Target, content: string): Iterable<Edit>;
  dependencies?(node: number): Iterable<{ symbol: string; from: string }>;
  staysWellFormed?(edits: Edit[]): boolean;
  embedded?(): Iterable<{ span: Span; language: string }>;
}

export interface Link { kind: string; span: Span; statement: Span; specifier: string; names?: string[]; typeOnly?: boolean }
export type Destination =
  | { tag: "inside"; path: string; suffix: string } | "external" | { tag: "external" }
  | { tag: "missing"; value: string } | { tag: "unknown"; value: string };
/** The file for which a function is called that receives no document. `settings` is JSON. */
export interface Context { path: string; settings: string }
export interface FileMoves {
  /** The path of the document after the change. */
  path: string;
  relocations: { from: string; to: string }[];
  /** The affected links, by index. */
  links: { link: number; from: string; to: string }[];
}
/** The contribution of one document to a refactoring or a move. */
export interface Rewrite {
  edits?: Iterable<Edit>;
  ask?: { audience: { tag: "importers" | "containing"; value: string[] } | { tag: "file"; value: string }; payload: string }[];
  create?: { path: string; text: string }[];
  unresolved?: Span[];
  incomplete?: string | null;
  nameAt?: number | null;
}
export interface SpecifierRequest { from: string; to: string; was: string; kind: string; specifier: string }
export interface Links<D> {
  links(document: D): Iterable<Link>;
  resolve?(context: Context, requests: { kind: string; specifier: string }[]): Iterable<Destination>;
  /** Moves of other files and folders that belong to the move of a file. */
  additionalMoves?(context: Context, relocation: { from: string; to: string }): Iterable<{ from: string; to: string }>;
  formatSpecifiers?(context: Context, requests: SpecifierRequest[]): Iterable<string | Failure>;
  /** The edits that the document needs when files move, apart from new specifiers. See `relinks` of the pack. */
  relink?(document: D, moves: FileMoves): Rewrite | Iterable<Edit>;
  unlink?(document: D, links: number[]): Rewrite | Iterable<Edit>;
}

export interface SharedName { namespace: string; name: string }
export interface FileLocation { path: string; offset: number }
export interface DeclaredKey { name: string; locations: FileLocation[]; forms: string[] }
export interface ExportedName { name: string; local?: string | null; span: Span; kind: string; typeOnly?: boolean }
export interface ImportedName { specifier: string; name: string; local?: string | null; exported?: string | null; typeOnly?: boolean }
export type Usage = "declaration" | "read" | "write" | "called" | "type-use" | "imported" | "exported" | "in-string" | "in-comment";
export type Subject =
  | { tag: "at"; value: number } | { tag: "address" | "exported"; value: string }
  | { tag: "imported"; specifiers: string[]; name: string }
  | { tag: "imported-default"; specifiers: string[]; called: string }
  | ({ tag: "declared" } & DeclaredKey) | ({ tag: "shared" } & SharedName);
export interface Facts { exports?: ExportedName[]; imports?: ImportedName[]; shared?: SharedName[]; free?: SharedName[] }
export interface Resolution {
  name: string;
  kind: string;
  address?: string | null;
  occurrences?: Iterable<{ span: Span; usage: Usage; certain: boolean }>;
  exportedAs?: string[];
  origin?: ImportedName | null;
  incomplete?: string | null;
  declared?: DeclaredKey | null;
  shared?: string | null;
  elsewhere?: FileLocation | null;
}
export interface RenameResult {
  name: string;
  edits?: Iterable<Edit>;
  exported?: { old: string; new: string }[];
  unresolved?: Span[];
  elsewhere?: FileLocation | null;
  declared?: DeclaredKey | null;
  shared?: string | null;
  file?: string | null;
}
export interface Symbols<D> {
  facts?(document: D): Facts;
  resolveSymbol(document: D, subject: Subject): Resolution;
  rename?(document: D, subject: Subject, newName: string): RenameResult;
}

/** An interface with the records of the WIT files, with names in camel case. */
export type AsInTheContract = Record<string, (...asked: any[]) => any>;

export interface Pack<D extends Document = Document> {
  id: string;
  name: string;
  /** Semantic version of the pack. */
  version: string;
  /** Globs of file names. */
  files: string[];
  targets: { kind: TargetKind; syntax: string; examples: string[] }[];
  regions?: { name: string; summary: string }[];
  templates?: { name: string; summary: string; extension: string; body: string }[];
  /** JSON Schema of the settings. */
  settingsSchema?: object | string;
  /**
   * `links.relink` is always called for documents with a `glob` link that concerns a moved file. If this is true, it is
   * also called for every moved document and for every document that links to a moved file.
   */
  relinks?: boolean;
  /** Help in Markdown. */
  help?: string;
  /** Opens a document. Never fails: text that cannot be parsed is reported as diagnostics. */
  open(path: string, text: string, settings: any): D;
  links?: Links<D>;
  symbols?: Symbols<D>;
  refactors?: AsInTheContract;
  hover?: AsInTheContract;
  search?: AsInTheContract;
  mentions?: AsInTheContract;
}

/** Defines a pack. The module must export it as default. */
export function definePack<D extends Document>(pack: Pack<D>): Pack<D>;

/** The known names nearest to the wanted one. */
export function nearest(wanted: string, known: Iterable<string>): string[];
/** Writes to the host's log. */
export const log: Record<"error" | "warn" | "info" | "debug" | "trace", (message: unknown) => void>;

export function lineStart(text: string, offset: number): number;
/** The offset of the end of the line, before its line break. */
export function lineEnd(text: string, offset: number): number;
export function nextLine(text: string, offset: number): number;
export function previousLine(text: string, start: number): number | null;
export function indentAt(text: string, offset: number): string;
/** Indents content for its new position. */
export function reindent(content: string, indent: string): string;
export function slice(text: string, span: Span): string;
/** Applies edits that are sorted and do not overlap. */
export function apply(text: string, edits: Edit[]): string;

export function folder(path: string): string;
/** Joins a relative path to a folder; `null` if the result is outside of the root. */
export function join(base: string, path: string): string | null;
export function relative(base: string, path: string): string;
