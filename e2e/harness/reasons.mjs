// Where we answer otherwise than a peer, and why: written down line by line, and none to spare.

/**
 * Takes the differences that a project's reasons explain out of a case's. A reason is `{ case, line, lines, why, peer? }`:
 * `line` is a pattern for our line, `lines` how many of them there are; without a peer it holds for each.
 */
export class Reasons {
  #reasons
  #counts = []

  constructor(reasons) {
    this.#reasons = reasons.map((reason) => ({ ...reason, pattern: new RegExp(reason.line) }))
  }

  /** `{ explained, unexplained }` of the differences from one peer. */
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

  /** Reasons that are about more or fewer lines than there are. */
  stale() {
    return this.#counts
      .filter(({ reason, count }) => count !== reason.lines)
      .map(({ reason, peer, count }) => `${reason.case} (${peer}): ${count} lines like ${reason.line}, not ${reason.lines}`)
  }
}
