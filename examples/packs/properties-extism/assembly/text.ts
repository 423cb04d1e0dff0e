// Lines of a UTF-8 text, and edits on it. Texts are kept as bytes, because all offsets of the WIT interface are bytes.

/** The start of the line at this offset. */
export function lineStart(text: Uint8Array, offset: i32): i32 {
  while (offset > 0 && !isBreak(text[offset - 1])) offset--;
  return offset;
}

/** The end of the line at this offset, without its line break. */
export function lineEnd(text: Uint8Array, offset: i32): i32 {
  while (offset < text.length && !isBreak(text[offset])) offset++;
  return offset;
}

/** The start of the next line; the end of the text on the last line. */
export function nextLine(text: Uint8Array, offset: i32): i32 {
  const end = lineEnd(text, offset);
  if (end + 1 < text.length && text[end] == 13 && text[end + 1] == 10) return end + 2;
  return min(end + 1, text.length);
}

/** The start of the previous line; `start` is the start of this line. -1 on the first line. */
export function previousLine(text: Uint8Array, start: i32): i32 {
  if (start == 0) return -1;
  const isPair = start > 1 && text[start - 2] == 13 && text[start - 1] == 10;
  return lineStart(text, start - (isPair ? 2 : 1));
}

/** The start of the text after a byte order mark, which edits preserve. */
export function textStart(text: Uint8Array): i32 {
  return text.length > 2 && text[0] == 0xef && text[1] == 0xbb && text[2] == 0xbf ? 3 : 0;
}

/** Like `lineStart`, but after a byte order mark. */
export function startOfLine(text: Uint8Array, offset: i32): i32 {
  return max(lineStart(text, offset), textStart(text));
}

/** The end of the blanks that start here. */
export function skipBlanks(text: Uint8Array, from: i32, to: i32): i32 {
  while (from < to && (text[from] == 32 || text[from] == 9)) from++;
  return from;
}

/** Returns whether a line contains only white space. */
export function isBlank(text: Uint8Array, from: i32, to: i32): bool {
  for (; from < to; from++) if (text[from] != 32 && (text[from] < 9 || text[from] > 13)) return false;
  return true;
}

export function part(text: Uint8Array, from: i32, to: i32): string {
  return String.UTF8.decodeUnsafe(text.dataStart + from, to - from);
}

export function bytes(text: string): Uint8Array {
  return Uint8Array.wrap(String.UTF8.encode(text));
}

/** Replaces a range of a text. */
export class Edit {
  constructor(public from: i32, public to: i32, public text: string) {}

  applied(old: Uint8Array): Uint8Array {
    const new_ = bytes(this.text);
    const after = new Uint8Array(old.length - (this.to - this.from) + new_.length);
    after.set(old.subarray(0, this.from));
    after.set(new_, this.from);
    after.set(old.subarray(this.to), this.from + new_.length);
    return after;
  }
}

/** Removes surrounding white space. `trim` of AssemblyScript 0.28 leaves some if a short text follows much white space. */
export function trimmed(text: string): string {
  return text.trimStart().trimEnd();
}

/** Removes the line breaks around content. */
export function linesOf(content: string): string {
  let from = 0, to = content.length;
  while (from < to && isBreak(<u8>min(content.charCodeAt(from), 255))) from++;
  while (to > from && isBreak(<u8>min(content.charCodeAt(to - 1), 255))) to--;
  return content.substring(from, to);
}

/** Indents content for its new position: removes the common indentation and puts `indent` before each line. */
export function reindent(content: string, indent: string): string {
  const lines = linesOf(content).trimEnd().replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
  const shared = sharedDepth(lines);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    const cut = i == 0 ? depth(line) : min(shared, depth(line));
    lines[i] = trimmed(line) == "" ? "" : indent + line.substring(cut);
  }
  return lines.join("\n");
}

function sharedDepth(lines: string[]): i32 {
  const depths: i32[] = [];
  for (let i = 0; i < lines.length; i++) if (trimmed(lines[i]) != "") depths.push(depth(lines[i]));
  if (depths.length == 0) return 0;
  let below = i32.MAX_VALUE;
  for (let i = 1; i < depths.length; i++) below = min(below, depths[i]);
  // If only the first line is at the margin, it was probably selected without its indentation: use that of the last line.
  if (depths[0] == 0 && depths.length > 1) return below > 0 ? depths[depths.length - 1] : 0;
  return min(depths[0], below);
}

function depth(line: string): i32 {
  let at = 0;
  while (at < line.length && (line.charCodeAt(at) == 32 || line.charCodeAt(at) == 9)) at++;
  return at;
}

function isBreak(byte: u8): bool {
  return byte == 10 || byte == 13;
}
