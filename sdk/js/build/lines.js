// Maps positions in a bundle to lines of the pack's files, as a compact text that is stored in the component.

import { relative, resolve, sep } from "node:path";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// `line column file line` in base 36, for every position where the original line changes; the file is `-` for the SDK
// itself.
export function linesOf(map, entry, sdk) {
  const { mappings, sources } = JSON.parse(map);
  const folder = resolve(entry, "..");
  const files = [];
  const names = sources.map((source) => {
    const path = resolve(source);
    if (path.startsWith(sdk + sep) || path.endsWith("marquetry-build.js")) return "-";
    files.push(relative(folder, path).replaceAll(sep, "/"));
    return String(files.length - 1);
  });
  const places = [];
  let [source, line, before] = [0, 0, ""];
  mappings.split(";").forEach((row, at) => {
    let column = 0;
    for (const segment of row.split(",").filter(Boolean)) {
      const [forward, sourceBy = 0, lineBy = 0] = numbers(segment);
      column += forward;
      source += sourceBy;
      line += lineBy;
      const origin = names[source] === "-" ? "- 0" : `${names[source]} ${(line + 1).toString(36)}`;
      if (origin !== before) places.push(`${(at + 1).toString(36)} ${(column + 1).toString(36)} ${origin}`);
      before = origin;
    }
  });
  return { files, places: places.join(",") };
}

// Decodes a segment of a source map: base-64 VLQ, five bits per digit, with the sign in the lowest bit.
function numbers(segment) {
  const found = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter);
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    found.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return found;
}
