// Documented reasons for differences between our answers and those of a peer.

/**
 * Separates the differences that the reasons of a project explain from the others. A reason is `{ case, line, lines,
 * why, peer? }`: `line` is a pattern for our line, `lines` the number of such lines. Without `peer`, it applies to
 * every peer.
 */
export class Reasons {
  #reasons
  #counts = []

  constructor(reasons) {
    this.#reasons = reasons.map((reason) => ({ ...reason, pattern: new RegExp(reason.line) }))
  }

  /** Returns the differences from one peer as `{ explained, unexplained }`. */
  sort(name, peer, differing) {
    const [explained, unexplained] = [[], []]
    const counts = new Map()
    for (const reason of this.#reasons) {
      if (reason.case === name && (reason.peer ?? peer) === peer) counts.set(reason, 0)
    }
    for (const difference of differing) {
      const reason = [...counts.keys()].find(({ pattern }) => pattern.test(difference.ours))
      if (reason) counts.set(reason, counts.get(reason) + 1)
      if (reason) explained.push({ ...difference, why: reason.why })
      else unexplained.push(difference)
    }
    for (const [reason, count] of counts) this.#counts.push({ reason, peer, count })
    return { explained, unexplained }
  }

  /** Returns the reasons whose number of lines is not the actual one. */
  stale() {
    return this.#counts
      .filter(({ reason, count }) => count !== reason.lines)
      .map(({ reason, peer, count }) => `${reason.case} (${peer}): ${count} lines like ${reason.line}, not ${reason.lines}`)
  }
}
