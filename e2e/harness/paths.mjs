// Picks random moves and deletes of files and folders; the same seed gives the same ones.

import { posix } from 'node:path'
import { oneOf, random } from './chance.mjs'

/** The number of draws of a kind before it is skipped. */
const PATIENCE = 40

/** The parts of a path: its folder, its name before the first dot, and the rest. */
const partsOf = (path) => {
  const name = posix.basename(path)
  const dot = name.indexOf('.')
  return { folder: posix.dirname(path), stem: name.slice(0, dot), extension: name.slice(dot) }
}

const isSource = (path) => /\.[cm]?[jt]sx?$/.test(path) && path.includes('/')

/** All kinds of changes. Each returns the destination; `undefined` if the kind does not apply, `null` for a delete. */
const CHANGES = {
  'file, other folder': (path, folders, chance) => posix.join(oneOf(folders, chance), posix.basename(path)),
  'file, new folder': (path) => posix.join(posix.dirname(path), 'zq', posix.basename(path)),
  'file, new name': (path) => {
    const { folder, stem, extension } = partsOf(path)
    return posix.join(folder, `${stem}Zq${extension}`)
  },
  folder: (path) => `${path}Zq`,
  delete: () => null,
}

/** The names of all kinds. */
export const KINDS = Object.keys(CHANGES)

/** Picks changes, evenly for all kinds: `{ kind, from, to }`; a delete has no `to`. */
export function drawnMoves(files, kinds, count, seed) {
  const chance = random(seed)
  const sources = files.filter(isSource).sort()
  const folders = [...new Set(sources.map((path) => posix.dirname(path)))]
  const nested = folders.filter((folder) => folder.includes('/'))
  const exists = new Set(files)
  const found = new Map()
  for (let tries = 0; found.size < count && tries < count * PATIENCE; tries++) {
    const kind = kinds[tries % kinds.length]
    const from = oneOf(kind === 'folder' ? nested : sources, chance)
    const to = from && CHANGES[kind](from, folders, chance)
    if (to === undefined || to === from || exists.has(to)) continue
    found.set(`${kind} ${from} ${to}`, to === null ? { kind, from } : { kind, from, to })
  }
  return [...found.values()]
}
