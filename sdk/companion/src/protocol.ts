// The words of the protocol of companions: the records of wit/editor, with names in camel case. Lines and columns are from 0, columns
// in UTF-16 code units; texts have line feeds.

export interface Point {
  line: number;
  column: number;
}

export interface Region {
  start: Point;
  end: Point;
}

/** What of a file is shown and selected. */
export type Reveal = null | { region: Region } | { text: { start: string; end: string | null; toLineEnd: boolean } };

export interface OpenFile {
  path: string;
  reveal: Reveal;
  preview: boolean;
  focus: boolean;
}

/** One side of a diff. Without a text it is the file; with one, the path says only what language the text is in. */
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
  /** What has to stand there; where something else does, nothing is edited. */
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
  cut: boolean;
  language: string;
}

export type Decision = "accepted" | "rejected" | "closed";

export type FailureKind = "file-not-found" | "invalid-argument" | "unsupported" | "editor-failed" | "limit-exceeded";

/** A failure that the host is told the kind of. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly kind: FailureKind,
  ) {
    super(message);
  }
}

/** Letters of a selection that are told; the host cuts longer ones all the same. */
export const MOST_SELECTED = 200_000;

/** A text as the host has it: with line feeds. */
export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
