// What an author imports, with its types. The comments of the contract (`wit/*.wit`) tell what each of them means.
//
// Every offset is an index of a JavaScript string. A field of the contract that may be nothing may be left out in an answer;
// in a question it is `null`. A variant is `{ tag, … }`: the fields of a record stand beside the tag, any other payload is `value`.

export interface Span { start: number; end: number }
export interface Edit { span: Span; text: string }
export type Severity = "error" | "warning" | "info" | "hint";
export interface Problem { severity: Severity; span: Span; message: string; code?: string | null }

export type FailureKind =
  | "target-not-found" | "ambiguous-target" | "invalid-target" | "invalid-argument"
  | "parse-error" | "refactor-failed" | "unsupported" | "limit-exceeded";

/** Thrown by a function that may fail: what was wrong, what to do, and the nearest right answers. */
export class Failure extends Error {
  constructor(kind: FailureKind, message: string, more?: { hint?: string | null; candidates?: string[]; span?: Span | null });
  kind: FailureKind;
  hint: string | null;
  candidates: string[];
  span: Span | null;
  /** The target names nothing; `known` are all addresses there are. */
  static notFound(what: string, wanted: string, known?: Iterable<string>): Failure;
  /** The operation makes no sense for this kind of node, or the pack does not do it. */
  static unsupported(message: string, hint?: string | null): Failure;
  /** A content or another argument is not what it has to be. */
  static invalid(message: string, hint?: string | null, candidates?: string[]): Failure;
}

export type TargetKind = "symbol" | "path" | "selector" | "xpath" | "heading" | "region";
export interface Target { kind: TargetKind; value: string }
export interface Query { target: Target; limit: number; values: boolean }
export type Form = "full" | "signature" | "body" | "summary";

/** An addressable thing. `id` names it within its document: the same text gives the same ids. */
export interface Node {
  id: number;
  /** In an outline: the index of the parent in the same list. */
  parent?: number | null;
  kind: string;
  name: string;
  address: string;
  span: Span;
  selection: Span;
  body?: Span | null;
  doc?: Span | null;
  level?: number | null;
  /** The parsed value as JSON text. */
  value?: string | null;
}

export type Operation =
  | { tag: "replace" | "replace-body" | "insert-before" | "insert-after"; value: string }
  | { tag: "insert-into"; content: string; position: "first" | "last" | "sorted" }
  | { tag: "wrap"; before: string; after: string }
  | { tag: "delete" };
export interface EditOptions { includeDoc: boolean; force: boolean }

/** The text of one file and what was derived from it. The first four methods are needed. */
export interface Document {
  outline(): Iterable<Node>;
  /** All nodes that the target names; more than `query.limit` are cut. None: the nearest addresses are offered. */
  find(query: Query): Node[] | { nodes: Node[]; total: number } | { json: string; text: string };
  /** A part of the document, or a text made for the purpose. */
  view(node: number, form: Form): Span | string;
  edit(nodes: number[], operation: Operation, options: EditOptions): Iterable<Edit>;
  problems?(): Iterable<Problem>;
  /** The errors among them that opening found already, where only a check finds the others. */
  parseErrors?(): Iterable<Problem>;
  /** The ranges beyond the neighbours of the nodes that belong to the operation. Without them, edits there are refused. */
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
export interface Respelling { from: string; to: string; was: string; kind: string; specifier: string }
export interface Links<D> {
  links(document: D): Iterable<Link>;
  resolve?(from: string, requests: { kind: string; specifier: string }[]): Iterable<Destination>;
  spell?(requests: Respelling[]): Iterable<string | Failure>;
  cover?(document: D, relocations: { from: string; to: string }[]): Iterable<Edit>;
  unlink?(document: D, links: number[]): Iterable<Edit>;
}

export interface SharedName { space: string; name: string }
export interface PlaceIn { path: string; offset: number }
export interface DeclaredKey { name: string; places: PlaceIn[]; forms: string[] }
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
  elsewhere?: PlaceIn | null;
}
export interface Renaming {
  name: string;
  edits?: Iterable<Edit>;
  exported?: { old: string; new: string }[];
  unresolved?: Span[];
  elsewhere?: PlaceIn | null;
  declared?: DeclaredKey | null;
  shared?: string | null;
}
export interface Symbols<D> {
  facts?(document: D): Facts;
  resolveSymbol(document: D, subject: Subject): Resolution;
  rename?(document: D, subject: Subject, newName: string): Renaming;
}

/** An interface whose records are as in the contract, with names in camel case. */
export type AsInTheContract = Record<string, (...asked: any[]) => any>;

export interface Pack<D extends Document = Document> {
  id: string;
  name: string;
  /** The pack's own semantic version. */
  version: string;
  /** Globs over file names. */
  files: string[];
  targets: { kind: TargetKind; syntax: string; examples: string[] }[];
  regions?: { name: string; summary: string }[];
  templates?: { name: string; summary: string; extension: string; body: string }[];
  /** JSON Schema of the settings. */
  settingsSchema?: object | string;
  /** A page of Markdown. */
  help?: string;
  /** Never fails: what cannot be parsed becomes problems. */
  open(path: string, text: string, settings: any): D;
  links?: Links<D>;
  symbols?: Symbols<D>;
  refactors?: AsInTheContract;
  insight?: AsInTheContract;
  search?: AsInTheContract;
}

/** Say that this is a pack. Its module exports it as default. */
export function definePack<D extends Document>(pack: Pack<D>): Pack<D>;

/** The known names nearest to the wanted one. */
export function nearest(wanted: string, known: Iterable<string>): string[];
/** Lines for the host's log. */
export const log: Record<"error" | "warn" | "info" | "debug" | "trace", (message: unknown) => void>;

export function lineStart(text: string, offset: number): number;
/** Without the line break. */
export function lineEnd(text: string, offset: number): number;
export function nextLine(text: string, offset: number): number;
export function previousLine(text: string, start: number): number | null;
export function indentAt(text: string, offset: number): string;
/** A content as deep as its new place. */
export function reindent(content: string, indent: string): string;
export function slice(text: string, span: Span): string;
/** The text after edits that are sorted and do not overlap. */
export function apply(text: string, edits: Edit[]): string;

export function folder(path: string): string;
/** The path that a relative one means in a folder; `null` where it leaves the root. */
export function join(base: string, path: string): string | null;
export function relative(base: string, path: string): string;
