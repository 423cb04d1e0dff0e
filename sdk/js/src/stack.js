// Maps the stack of an exception to the pack's files and lines: in a component all modules are bundled into one.

// Source positions that the build appended to the bundle; missing in Node, where stacks are already correct.
const key = "__marquetryLines";

export function stackOf(error) {
  const lines = String(error?.stack ?? "").split("\n").filter((line) => /^\s*at /.test(line));
  const known = globalThis[key];
  if (known === undefined) return lines;
  const places = known.places.split(",").map((place) => place.split(" "));
  const mapped = lines.map((line) => {
    const at = /^(\s*at .*?)\(?[^\s(]*:(\d+):(\d+)\)?$/.exec(line);
    const origin = at === null ? null : originOf(places, Number(at[2]), Number(at[3]));
    return origin === null ? null : `${at[1]}(${known.files[Number(origin[2])]}:${parseInt(origin[3], 36)})`;
  });
  return mapped.filter((line) => line !== null);
}

// The last entry at or before a line and column; `null` if it belongs to the SDK.
function originOf(places, line, column) {
  let found = null;
  for (const place of places) {
    const at = parseInt(place[0], 36);
    if (at > line || (at === line && parseInt(place[1], 36) > column)) break;
    found = place;
  }
  return found === null || found[2] === "-" ? null : found;
}
