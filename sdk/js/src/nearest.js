// Finds the known names that are most similar to the wanted one.

const MOST_KNOWN = 20000;
const MOST_CANDIDATES = 12;

// The nearest names: those with the same last part first, then by similarity.
export function nearest(wanted, known) {
  const lower = wanted.toLowerCase();
  const last = lastPart(lower);
  const scored = [];
  for (const name of new Set([...known].slice(0, MOST_KNOWN))) {
    const score = likeness(lower, last, name);
    if (score >= 500) scored.push([score, name]);
  }
  scored.sort((a, b) => b[0] - a[0] || a[1].length - b[1].length);
  return scored.slice(0, MOST_CANDIDATES).map(([, name]) => name);
}

// The first of the names with the fewest path steps.
export function outermost(known) {
  const steps = (name) => name.split(/[./>]|\['/).length;
  const names = [...new Set(known.slice(0, MOST_KNOWN))];
  return names.sort((a, b) => steps(a) - steps(b)).slice(0, MOST_CANDIDATES);
}

function likeness(wanted, last, name) {
  const lower = name.toLowerCase();
  if (lower === wanted) return 2000;
  const end = lastPart(lower);
  if (end === last) return 1500 + Math.floor(similarity(withoutNumbers(wanted), withoutNumbers(lower)) * 400);
  const contains = lower.includes(last) || (end !== "" && wanted.includes(end));
  const best = Math.max(similarity(wanted, lower), similarity(last, end));
  return Math.floor(best * 1000) + (contains ? 200 : 0);
}

function lastPart(address) {
  return withoutNumbers(address).replace(/['"\]]+$/, "").split(/[.>/'"[#: ]/).pop();
}

// The address without the numbers at its end, as in `Install[2]`.
function withoutNumbers(address) {
  return address.replace(/(?<=.)(\[\d+\])+$/, "");
}

// Similarity by edit distance: 1 for equal texts, 0 for texts without common characters.
function similarity(one, other) {
  // Code points, not UTF-16 code units.
  const [a, b] = [[...one], [...other]];
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  // With so few common letters the names cannot be similar: skip the expensive computation.
  if (common(a, b) * 10 < longest * 3) return 0;
  return 1 - distance(a, b) / longest;
}

// The number of common letters.
function common(a, b) {
  const counts = new Map();
  for (const letter of a) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let shared = 0;
  for (const letter of b) {
    const left = counts.get(letter) ?? 0;
    if (left > 0) shared += 1;
    counts.set(letter, left - 1);
  }
  return shared;
}

// Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours.
function distance(a, b) {
  let before = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[b.length];
}
