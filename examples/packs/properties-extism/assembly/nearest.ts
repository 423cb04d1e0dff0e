// Finds the known names that are most similar to the wanted one, like the SDKs; Extism's PDKs do not include them.

const MOST_KNOWN = 20000;
const MOST_CANDIDATES = 12;

class Scored {
  constructor(public score: i32, public name: string, public index: i32) {}
}

/** The nearest names: those with the same last part first, then by similarity. */
export function nearest(wanted: string, known: string[]): string[] {
  const lower = wanted.toLowerCase(), names = distinct(known), scored: Scored[] = [];
  for (let i = 0; i < names.length; i++) {
    const score = likeness(lower, names[i].toLowerCase());
    if (score >= 500) scored.push(new Scored(score, names[i], i));
  }
  scored.sort((a, b) => a.score != b.score ? b.score - a.score
    : a.name.length != b.name.length ? a.name.length - b.name.length : a.index - b.index);
  return first(scored);
}

/** The first of the names with the fewest path steps. */
export function outermost(known: string[]): string[] {
  const names = distinct(known), scored: Scored[] = [];
  for (let i = 0; i < names.length; i++) scored.push(new Scored(steps(names[i]), names[i], i));
  scored.sort((a, b) => a.score != b.score ? a.score - b.score : a.index - b.index);
  return first(scored);
}

function distinct(known: string[]): string[] {
  const seen = new Set<string>();
  for (let i = 0; i < known.length && i < MOST_KNOWN; i++) seen.add(known[i]);
  return seen.values();
}

function first(scored: Scored[]): string[] {
  const names: string[] = [];
  for (let i = 0; i < scored.length && i < MOST_CANDIDATES; i++) names.push(scored[i].name);
  return names;
}

function steps(name: string): i32 {
  let count = 1;
  for (let i = 0; i < name.length; i++) if ("./>".includes(name.charAt(i))) count++;
  return count;
}

function likeness(wanted: string, name: string): i32 {
  if (name == wanted) return 2000;
  const last = lastPart(wanted), end = lastPart(name);
  if (end == last) return 1500 + <i32>(similarity(withoutNumbers(wanted), withoutNumbers(name)) * 400);
  const contains = name.includes(last) || (end != "" && wanted.includes(end));
  return <i32>(max(similarity(wanted, name), similarity(last, end)) * 1000) + (contains ? 200 : 0);
}

function lastPart(address: string): string {
  const whole = withoutNumbers(address);
  let to = whole.length;
  while (to > 0 && "'\"]".includes(whole.charAt(to - 1))) to--;
  let from = to;
  while (from > 0 && !".>/'\"[#: ".includes(whole.charAt(from - 1))) from--;
  return whole.substring(from, to);
}

/** The address without the numbers at its end, as in `Install[2]`. */
function withoutNumbers(address: string): string {
  while (address.endsWith("]")) {
    const open = address.lastIndexOf("[");
    if (open < 1 || open + 2 == address.length) break;
    for (let i = open + 1; i < address.length - 1; i++) {
      if (address.charCodeAt(i) < 48 || address.charCodeAt(i) > 57) return address;
    }
    address = address.substring(0, open);
  }
  return address;
}

/** Similarity by edit distance: 1 for equal texts, 0 for texts without common characters. */
function similarity(one: string, other: string): f64 {
  const a = letters(one), b = letters(other);
  const longest = max(a.length, b.length);
  if (longest == 0) return 1;
  // With so few common letters the names cannot be similar: skip the expensive computation.
  if (common(a, b) * 10 < longest * 3) return 0;
  return 1 - <f64>distance(a, b) / <f64>longest;
}

/** Code points, not UTF-16 code units. */
function letters(text: string): i32[] {
  const list: i32[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i);
    if (code > 0xffff) i++;
    list.push(code);
  }
  return list;
}

/** The number of common letters. */
function common(a: i32[], b: i32[]): i32 {
  const left = a.slice(0);
  let shared = 0;
  for (let i = 0; i < b.length; i++) {
    const at = left.indexOf(b[i]);
    if (at < 0) continue;
    left[at] = -1;
    shared++;
  }
  return shared;
}

/** Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours. */
function distance(a: i32[], b: i32[]): i32 {
  let before: i32[] = [], row: i32[] = [];
  for (let j = 0; j <= b.length; j++) row.push(j);
  for (let i = 1; i <= a.length; i++) {
    const next: i32[] = [i];
    for (let j = 1; j <= b.length; j++) {
      let least = min(min(row[j], next[j - 1]) + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (isSwapped) least = min(least, before[j - 2] + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length];
}
