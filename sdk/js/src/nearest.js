// Which of the known names are like the wanted one.

const MOST_KNOWN = 20000;
const MOST_CANDIDATES = 12;

// The nearest names: same last part first, then by likeness.
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

// The first names of those with the fewest steps.
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

// The address without the numbers at its end: `Install[2]`.
function withoutNumbers(address) {
  return address.replace(/(?<=.)(\[\d+\])+$/, "");
}

// 1 for the same text, 0 for one that shares nothing: by the changes that turn one into the other.
function similarity(one, other) {
  // Characters, not halves of them.
  const [a, b] = [[...one], [...other]];
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  // Too little in common to be near, whatever else speaks for it: the table is not worth its time.
  if (common(a, b) * 10 < longest * 3) return 0;
  return 1 - distance(a, b) / longest;
}

// How many letters both have.
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

// Letters put in, taken out, changed, or swapped with their neighbour.
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
