// Lines of a text, and edits on it. All offsets are indices of JavaScript strings.

// The engine is much faster at this than a loop.
const BREAK = /[\r\n]/g;
const BLANKS = /[ \t]*/y;

// Where the line of this offset starts.
export function lineStart(text, offset) {
  let at = offset;
  while (at > 0 && text[at - 1] !== "\n" && text[at - 1] !== "\r") at -= 1;
  return at;
}

// Where the line of this offset ends, its line break not included.
export function lineEnd(text, offset) {
  BREAK.lastIndex = offset;
  return BREAK.test(text) ? BREAK.lastIndex - 1 : text.length;
}

// Where the next line starts; the end of the text on the last line.
export function nextLine(text, offset) {
  const end = lineEnd(text, offset);
  if (text.startsWith("\r\n", end)) return end + 2;
  return Math.min(end + 1, text.length);
}

// Where the line before the one that starts here starts; nothing before the first line.
export function previousLine(text, start) {
  if (start === 0) return null;
  const end = start - (text.startsWith("\r\n", start - 2) ? 2 : 1);
  return lineStart(text, end);
}

// The blanks at the start of the line of this offset.
export function indentAt(text, offset) {
  BLANKS.lastIndex = lineStart(text, offset);
  return BLANKS.exec(text)[0];
}

// A content as deep as its new place: the blanks that its lines share go, and `indent` comes before each.
export function reindent(content, indent) {
  const lines = content.replace(/^[\r\n]+/, "").trimEnd().split(/\r\n|\n|\r/);
  const depth = (line) => /^[ \t]*/.exec(line)[0].length;
  const filled = lines.filter((line) => line.trim() !== "").map(depth);
  let shared = Math.min(...filled);
  // A first line at the margin while all others are deeper was cut out of its place: the last one tells the margin.
  if (depth(lines[0]) === 0 && filled.length > 1) shared = Math.min(...filled.slice(1)) > 0 ? filled.at(-1) : 0;
  const moved = (line, index) => line.slice(index === 0 ? depth(line) : Math.min(shared, depth(line)));
  return lines.map((line, index) => (line.trim() === "" ? "" : indent + moved(line, index))).join("\n");
}

// The text after the edits, which are sorted and do not overlap.
export function apply(text, edits) {
  let after = "";
  let at = 0;
  for (const edit of edits) {
    after += text.slice(at, edit.span.start) + edit.text;
    at = edit.span.end;
  }
  return after + text.slice(at);
}

// The part of a text that a span covers.
export function slice(text, span) {
  return text.slice(span.start, span.end);
}
