// Places in a text with line feeds: lines and columns, and the part that is to be shown.
import { Failure, type Point, type Region, type Reveal, type TextEdit } from "./protocol";

/** The line and the column of an offset. */
export function pointAt(text: string, offset: number): Point {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length - 1, column: offset - start };
}

/** The offset of a place; what is beyond a line is its end, what is beyond the text the text's. */
export function offsetAt(text: string, { line, column }: Point): number {
  let start = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + column, end < 0 ? text.length : end);
}

/** The region that is to be shown, and how much of what was asked for was found. */
export function wanted(text: string, reveal: Reveal): { region?: Region; revealed: "all" | "start-only" | "nothing" } {
  if (!reveal) return { revealed: "all" };
  if ("region" in reveal) return { region: reveal.region, revealed: "all" };
  const { start, end, toLineEnd } = reveal.text;
  const from = text.indexOf(start);
  if (from < 0) return { revealed: "nothing" };
  const first = from + start.length;
  const last = end === null ? -1 : text.indexOf(end, first);
  let to = last < 0 ? first : last + (end ?? "").length;
  const line = text.indexOf("\n", to);
  if (toLineEnd) to = line < 0 ? text.length : line;
  const region = { start: pointAt(text, from), end: pointAt(text, to) };
  return { region, revealed: end !== null && last < 0 ? "start-only" : "all" };
}

/** The text after edits of which each says what has to stand where it is; where something else does, nothing is edited. */
export function edited(path: string, text: string, edits: TextEdit[]): string {
  let after = text;
  // From the end, so that what is before an edit stays where it is.
  for (const { region, old, new: put } of [...edits].reverse()) {
    const [from, to] = [offsetAt(text, region.start), offsetAt(text, region.end)];
    if (text.slice(from, to) !== old) {
      throw new Failure(`the text of \`${path}\` is another one at line ${region.start.line + 1}`, "invalid-argument");
    }
    after = after.slice(0, from) + put + after.slice(to);
  }
  return after;
}
