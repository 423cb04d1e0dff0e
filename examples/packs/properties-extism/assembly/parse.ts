// Parses a text into entries in document order. Never fails: lines that cannot be parsed are reported as diagnostics.

import { isBlank, lineEnd, lineStart, nextLine, part, previousLine, skipBlanks, startOfLine, textStart } from "./text";

const TAB: u8 = 9, BLANK: u8 = 32, EXCLAMATION: u8 = 33, HASH: u8 = 35, COLON: u8 = 58, EQUALS: u8 = 61, BACKSLASH: u8 = 92;

/** An entry; offsets are bytes. */
export class Item {
  /** The value, with all its lines. */
  from: i32 = 0;
  to: i32 = 0;
  /** The comment directly above; -1 if it is missing. */
  docFrom: i32 = -1;
  docTo: i32 = -1;

  /** An entry starts with its key and ends with its value. */
  constructor(public key: string, public start: i32, public keyEnd: i32) {}

  /** The start of its comment, or of the entry itself. */
  get top(): i32 {
    return this.docFrom < 0 ? this.start : this.docFrom;
  }
}

/** A problem: a repeated `key`, or a missing key if `key` is empty. */
export class Diagnostic {
  constructor(public from: i32, public to: i32, private key: string) {}

  get isError(): bool {
    return this.key == "";
  }

  get message(): string {
    if (this.isError) return "a value without a key";
    return "duplicate key `" + this.key + "`: only the last one counts";
  }
}

/** The result of parsing a text. The first item stands for all entries. */
export class Parsed {
  items: Item[] = [];
  diagnostics: Diagnostic[] = [];

  constructor(public text: Uint8Array) {
    const start = textStart(text);
    const all = new Item(".", start, start);
    all.from = all.to = start;
    this.items.push(all);
    this.readLines(start);
    if (this.items.length > 1) {
      all.start = all.keyEnd = all.from = startOfLine(text, this.items[1].start);
      all.to = this.items[this.items.length - 1].to;
    }
    this.findRepeated();
  }

  valueOf(item: Item): string {
    return part(this.text, item.from, item.to);
  }

  errors(): i32 {
    let count = 0;
    for (let i = 0; i < this.diagnostics.length; i++) if (this.diagnostics[i].isError) count++;
    return count;
  }

  private readLines(at: i32): void {
    const text = this.text;
    let doc = -1;
    while (at < text.length) {
      const end = lineEnd(text, at), line = skipBlanks(text, at, end);
      at = nextLine(text, end);
      if (isBlank(text, line, end)) {
        doc = -1;
      } else if (text[line] == HASH || text[line] == EXCLAMATION) {
        if (doc < 0) doc = line;
      } else {
        if (this.entry(line, end, doc)) at = nextLine(text, this.items[this.items.length - 1].to);
        doc = -1;
      }
    }
  }

  private entry(start: i32, end: i32, doc: i32): bool {
    const text = this.text, keyEnd = this.keyEnd(start, end);
    if (keyEnd == start) {
      this.diagnostics.push(new Diagnostic(start, end, ""));
      return false;
    }
    const item = new Item(part(text, start, keyEnd), start, keyEnd);
    // Blanks may surround a separator, or be the separator.
    let from = skipBlanks(text, keyEnd, end);
    if (from < end && (text[from] == EQUALS || text[from] == COLON)) from = skipBlanks(text, from + 1, end);
    item.from = from;
    // A key without a separator has no continuation lines.
    item.to = from == keyEnd ? end : this.valueEnd(start, end);
    if (doc >= 0) {
      item.docFrom = doc;
      item.docTo = lineEnd(text, previousLine(text, lineStart(text, start)));
    }
    this.items.push(item);
    return true;
  }

  /** The key ends at the first separator that is not escaped with `\`. */
  private keyEnd(at: i32, end: i32): i32 {
    for (; at < end; at++) {
      const byte = this.text[at];
      if (byte == BACKSLASH) at++;
      else if (byte == EQUALS || byte == COLON || byte == BLANK || byte == TAB) return at;
    }
    return end;
  }

  /** A line that ends with `\` continues on the next line. */
  private valueEnd(line: i32, end: i32): i32 {
    while (end < this.text.length && this.isContinued(line, end)) {
      line = nextLine(this.text, end);
      end = lineEnd(this.text, line);
    }
    return end;
  }

  /** A backslash that is itself escaped does not continue the line. */
  private isContinued(line: i32, end: i32): bool {
    let at = end;
    while (at > line && this.text[at - 1] == BACKSLASH) at--;
    return (end - at) % 2 == 1;
  }

  /** A repeated key overrides the earlier one. */
  private findRepeated(): void {
    const later = new Set<string>();
    for (let i = this.items.length - 1; i > 0; i--) {
      const item = this.items[i];
      if (later.has(item.key)) this.diagnostics.push(new Diagnostic(item.start, item.to, item.key));
      later.add(item.key);
    }
    this.diagnostics.sort((a, b) => a.from - b.from);
  }
}
