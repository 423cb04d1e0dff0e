// Parses a text into entries in document order. Never fails: lines that cannot be parsed are reported as diagnostics.

import { indentAt, lineEnd, lineStart, nextLine, previousLine } from "@marquetry/sdk";

// Only white space; a byte order mark in the middle of a text does not count as white space.
export const BLANK = /^[^\S\ufeff]*$/;

// The first item stands for all entries; `found` contains the diagnostics.
export function parse(text) {
  const start = textStart(text);
  const none = { start, end: start };
  const parsed = { items: [{ name: ".", key: none, value: none, whole: none, doc: null }], found: [] };
  let doc = null;
  for (let at = start; at < text.length; ) {
    const line = at + indentAt(text, at).length;
    const end = lineEnd(text, line);
    const first = text[line];
    at = nextLine(text, end);
    if (BLANK.test(text.slice(line, end))) doc = null;
    else if (first === "#" || first === "!") doc ??= line;
    else {
      const item = entry(text, line, end, parsed.found);
      if (item !== null) {
        item.doc = doc === null ? null : { start: doc, end: lineEnd(text, previousLine(text, lineStart(text, line))) };
        parsed.items.push(item);
        at = nextLine(text, item.whole.end);
      }
      doc = null;
    }
  }
  const [all, ...entries] = parsed.items;
  if (entries.length > 0) all.value = { start: startOfLine(text, entries[0].whole.start), end: entries.at(-1).whole.end };
  all.whole = all.value;
  findRepeated(entries, parsed.found);
  return parsed;
}

// The start of the text after a byte order mark, which edits preserve.
export function textStart(text) {
  return text.startsWith("\ufeff") ? 1 : 0;
}

export function startOfLine(text, offset) {
  return Math.max(lineStart(text, offset), textStart(text));
}

function entry(text, start, end, found) {
  const line = text.slice(start, end);
  // The key ends at the first separator that is not escaped with `\`.
  const written = /^(?:\\.|[^\\=: \t])*\\?/s.exec(line)[0];
  if (written === "") {
    found.push({ severity: "error", span: { start, end }, message: "a value without a key" });
    return null;
  }
  const key = { start, end: start + written.length };
  // Blanks may surround a separator, or be the separator.
  const separator = /^[ \t]*[=:]?[ \t]*/.exec(line.slice(written.length))[0];
  // A key without a separator has no continuation lines.
  const value = { start: key.end + separator.length, end: separator === "" ? end : valueEnd(text, start, end) };
  return { name: written, key, value, whole: { start, end: value.end }, doc: null };
}

// A line that ends with `\` continues on the next line.
function valueEnd(text, start, end) {
  let line = start;
  let last = end;
  while (/\\*$/.exec(text.slice(line, last))[0].length % 2 === 1 && last < text.length) {
    line = nextLine(text, last);
    last = lineEnd(text, line);
  }
  return last;
}

// A repeated key overrides the earlier one.
function findRepeated(entries, found) {
  const later = new Set();
  for (const { name, whole } of entries.toReversed()) {
    const message = `duplicate key \`${name}\`: only the last one counts`;
    if (later.has(name)) found.push({ severity: "warning", span: whole, message });
    later.add(name);
  }
  found.sort((a, b) => a.span.start - b.span.start);
}
