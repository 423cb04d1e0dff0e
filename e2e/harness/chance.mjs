// Chance that only a seed decides: a run that failed can be run again.

/** Numbers from 0 to 1 that only the seed decides (mulberry32). */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of them; nothing where there is none. */
export const oneOf = (list, chance) => list[Math.floor(chance() * list.length)]
