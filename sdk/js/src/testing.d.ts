// Runs a pack in Node, through the functions that a component exports.

import type { Document, Form, Pack, TargetKind } from "./index.js";

export interface Bench {
  readonly text: string;
  /** Indented lines: `kind name @address`. */
  outline(): string;
  /** The nodes as WIT records, with byte offsets. */
  nodes(): any[];
  /** `line:column message`; both start at 1. */
  diagnostics(): string[];
  find(value: string, kind?: TargetKind, query?: { limit?: number; values?: boolean }): any;
  read(value: string, kind?: TargetKind): string[];
  view(value: string, form?: Form, kind?: TargetKind): string;
  /** The text after an operation, whose payload is a WIT value. */
  edit(value: string, operation: string, payload?: unknown, options?: { includeDoc?: boolean; force?: boolean; kind?: TargetKind }): string;
  insertMissing(value: string, content: string, kind?: TargetKind): string;
  call(name: string, word: string, ...asked: unknown[]): any;
  links(): string[];
  rename(subject: number | { tag: string; val: unknown }, newName: string): string;
  renaming(subject: number | { tag: string; val: unknown }, newName: string): any;
}

export function open(pack: Pack<any>, path: string, text: string, more?: { settings?: object; workspace?: Record<string, string> }): Bench;
/** Checks the laws (properties) that every pack must satisfy for any text. Throws if one is broken. */
export function laws(pack: Pack<any>, path: string, text: string): void;
