// Offsets and positions in texts, edits, and differences between answers.

/** Returns the offset of a line and a UTF-16 column, both from 0. */
export function offsetOf(text, { line, character }) {
  let start = 0
  for (let at = 0; at < line; at++) start = text.indexOf('\n', start) + 1
  return start + character
}

/** Returns the line and the UTF-16 column of an offset, both from 0. */
export function placeOf(text, offset) {
  const before = text.slice(0, offset)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length - 1, character: offset - start }
}

/**
 * Applies edits `{ start, end, text }` with positions from 0. Duplicate ranges are applied once, as peers report some
 * of them twice.
 */
export function applied(before, edits) {
  const once = new Map()
  for (const { start, end, text } of edits) {
    const [from, to] = [offsetOf(before, start), offsetOf(before, end)]
    once.set(`${from}:${to}:${text}`, { from, to, text })
  }
  const sorted = [...once.values()].sort((a, b) => b.from - a.from || b.to - a.to)
  let after = before
  let last = Infinity
  for (const { from, to, text } of sorted) {
    if (to > last) throw new Error(`edits overlap at offset ${from}`)
    after = after.slice(0, from) + text + after.slice(to)
    last = from
  }
  return after
}

/** Returns the position of the `|` in a marked text, which must occur in the file exactly once. */
export function marked(text, mark, file) {
  const at = mark.indexOf('|')
  const plain = mark.slice(0, at) + mark.slice(at + 1)
  const found = text.indexOf(plain)
  if (at < 0 || found < 0 || text.indexOf(plain, found + 1) >= 0) {
    throw new Error(`${file}: \`${plain}\` must be there exactly once, with a mark`)
  }
  return placeOf(text, found + at)
}

/** Returns the path after a move of a file or folder. */
export function movedPath(path, move) {
  if (!move) return path
  if (path === move.from) return move.to
  return path.startsWith(move.from + '/') ? move.to + path.slice(move.from.length) : path
}

/** Returns the inverse move. */
export const backwards = (move) => move && { from: move.to, to: move.from }

/**
 * Returns the lines that differ between two texts, from 1. If the texts have different numbers of lines, returns line 0
 * for the whole text.
 */
export function differentLines(a, b) {
  if (a === b) return []
  const [first, second] = [a.split('\n'), b.split('\n')]
  if (first.length !== second.length) return [0]
  return first.flatMap((line, at) => (line === second[at] ? [] : [at + 1]))
}

/**
 * Returns the differences between two answers: `{ path, line, ours, theirs }`. An answer maps paths before the case to
 * texts; other files are unchanged.
 */
export function differences(before, ours, theirs) {
  const found = []
  for (const path of [...new Set([...ours.keys(), ...theirs.keys()])].sort()) {
    const [our, their] = [ours.get(path) ?? before(path), theirs.get(path) ?? before(path)]
    const [ourLines, theirLines] = [our.split('\n'), their.split('\n')]
    for (const line of differentLines(our, their)) {
      found.push({ path, line, ours: ourLines[line - 1], theirs: theirLines[line - 1] })
    }
  }
  return found
}

/** Returns the number of lines that an answer changes. */
export function changedLines(before, answer) {
  let count = 0
  for (const [path, text] of answer) count += differentLines(text, before(path)).length
  return count
}

/** Returns our answer with the peer's line for each of these differences. */
export function completed(before, ours, differing) {
  const all = new Map(ours)
  for (const { path, line, theirs } of differing) {
    const lines = (all.get(path) ?? before(path)).split('\n')
    lines[line - 1] = theirs
    all.set(path, lines.join('\n'))
  }
  return all
}
