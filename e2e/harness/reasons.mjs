// Where we answer otherwise than a peer, and why: written down place by place, and none to spare.

/**
 * Takes the differences that a project's reasons explain out of a case's. A reason is
 * `{ case, peer?, places: ["path:line", "path:*"], why }`; without a peer it holds for all.
 */
export class Reasons {
  #reasons

  constructor(reasons) {
    this.#reasons = reasons.map((reason) => ({ ...reason, unused: new Set(reason.places) }))
  }

  /** `{ explained, unexplained }` of the differences from one peer. */
  sort(name, peer, differing) {
    const reasons = this.#reasons.filter((reason) => reason.case === name && (reason.peer ?? peer) === peer)
    const [explained, unexplained] = [[], []]
    for (const difference of differing) {
      const keys = [`${difference.path}:${difference.line}`, `${difference.path}:*`]
      const reason = reasons.find(({ places }) => keys.some((key) => places.includes(key)))
      for (const key of keys) reason?.unused.delete(key)
      if (reason) explained.push({ ...difference, why: reason.why })
      else unexplained.push(difference)
    }
    return { explained, unexplained }
  }

  /** Places that nothing differs at any more, of the cases that ran. */
  stale(ran) {
    return this.#reasons
      .filter((reason) => ran.includes(reason.case) && reason.unused.size > 0)
      .map((reason) => `${reason.case}: ${[...reason.unused].join(', ')}`)
  }
}
