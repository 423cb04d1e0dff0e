// Types of the protocol of companions: the records of wit/editor, with names in camel case. Lines and columns start
// at 0, columns count UTF-16 code units, and texts use `\n` for line breaks.

export interface Point {
  line: number;
  column: number;
}

export interface Region {
  start: Point;
  end: Point;
}

/** The part of a file to show and select. */
export type Reveal = null | { region: Region } | { text: { start: string; end: string | null; toLineEnd: boolean } };

export interface OpenFile {
  path: string;
  reveal: Reveal;
  preview: boolean;
  focus: boolean;
}

/**
 * One side of a diff. Without `text`, the content of the file is shown; with it, the path only selects the language.
 */
export interface Side {
  path: string | null;
  text: string | null;
  label: string;
}

export interface Diff {
  id: number;
  title: string;
  left: Side;
  right: Side;
  decide: boolean;
  focus: boolean;
}

export interface TextEdit {
  region: Region;
  /** The expected text of the region. If it differs, nothing is edited. */
  old: string;
  new: string;
}

export interface Edits {
  path: string;
  edits: TextEdit[];
  save: boolean;
}

export interface Folder {
  name: string;
  path: string;
}

export interface Selected {
  path: string;
  region: Region;
  text: string;
  /** True if `text` is truncated. */
  truncated: boolean;
  language: string;
}

export type Decision = "accepted" | "rejected" | "closed";

export type FailureKind = "file-not-found" | "invalid-argument" | "unsupported" | "editor-failed" | "limit-exceeded";

/** A failure with a kind that is sent to the host. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly kind: FailureKind,
  ) {
    super(message);
  }
}

/** Maximum number of characters of a selection to send; the host also truncates longer ones. */
export const MOST_SELECTED = 200_000;

/** Converts a text to the form that the host uses, with `\n` for line breaks. */
export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
