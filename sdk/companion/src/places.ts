// Converts positions in a text with `\n` line breaks, and finds the region to reveal.
import { Failure, type Point, type Region, type Reveal, type TextEdit } from "./protocol";

/** Converts an offset to a line and a column. */
export function pointAt(text: string, offset: number): Point {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length - 1, column: offset - start };
}

/** Converts a line and a column to an offset. Positions beyond a line or the text are clamped to its end. */
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

/** The region to reveal, and how much of the requested text was found. */
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

/** Applies edits. Each edit contains the expected old text; if one differs, nothing is edited. */
export function edited(path: string, text: string, edits: TextEdit[]): string {
  let after = text;
  // In reverse order, so that the positions of earlier edits stay valid.
  for (const { region, old, new: put } of [...edits].reverse()) {
    const [from, to] = [offsetAt(text, region.start), offsetAt(text, region.end)];
    if (text.slice(from, to) !== old) {
      throw new Failure(`the text of \`${path}\` has changed at line ${region.start.line + 1}`, "invalid-argument");
    }
    after = after.slice(0, from) + put + after.slice(to);
  }
  return after;
}
