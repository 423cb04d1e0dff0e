// Lines of a text, and edits on it. All offsets are indices of JavaScript strings.

// Regular expressions are much faster in the engine than a loop.
const BREAK = /[\r\n]/g;
const BLANKS = /[ \t]*/y;

// The start of the line at this offset.
export function lineStart(text, offset) {
  let at = offset;
  while (at > 0 && text[at - 1] !== "\n" && text[at - 1] !== "\r") at -= 1;
  return at;
}

// The end of the line at this offset, without its line break.
export function lineEnd(text, offset) {
  BREAK.lastIndex = offset;
  return BREAK.test(text) ? BREAK.lastIndex - 1 : text.length;
}

// The start of the next line; the end of the text on the last line.
export function nextLine(text, offset) {
  const end = lineEnd(text, offset);
  if (text.startsWith("\r\n", end)) return end + 2;
  return Math.min(end + 1, text.length);
}

// The start of the previous line; `start` is the start of this line. `null` on the first line.
export function previousLine(text, start) {
  if (start === 0) return null;
  const end = start - (text.startsWith("\r\n", start - 2) ? 2 : 1);
  return lineStart(text, end);
}

// The blanks at the start of the line at this offset.
export function indentAt(text, offset) {
  BLANKS.lastIndex = lineStart(text, offset);
  return BLANKS.exec(text)[0];
}

// Indents content for its new position: removes the common indentation and puts `indent` before each line.
export function reindent(content, indent) {
  const lines = content.replace(/^[\r\n]+/, "").trimEnd().split(/\r\n|\n|\r/);
  const depth = (line) => /^[ \t]*/.exec(line)[0].length;
  const filled = lines.filter((line) => line.trim() !== "").map(depth);
  let shared = Math.min(...filled);
  // If only the first line is at the margin, it was probably selected without its indentation: then the last line
  // gives the margin.
  if (depth(lines[0]) === 0 && filled.length > 1) shared = Math.min(...filled.slice(1)) > 0 ? filled.at(-1) : 0;
  const moved = (line, index) => line.slice(index === 0 ? depth(line) : Math.min(shared, depth(line)));
  return lines.map((line, index) => (line.trim() === "" ? "" : indent + moved(line, index))).join("\n");
}

// Applies edits, which must be sorted and not overlap.
export function apply(text, edits) {
  let after = "";
  let at = 0;
  for (const edit of edits) {
    after += text.slice(at, edit.span.start) + edit.text;
    at = edit.span.end;
  }
  return after + text.slice(at);
}

// The text at a span.
export function slice(text, span) {
  return text.slice(span.start, span.end);
}
