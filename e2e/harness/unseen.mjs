// Checks text that no language server updates: after each move in a small site, all files must have exactly the
// expected lines.

import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { movedPath } from './edits.mjs'
import { Marq } from './marq.mjs'
import { E2E, read, unequal } from './tree.mjs'

/** Runs every case: `{ name, faults }`. */
export async function unseen({ marq, folder, only }) {
  const source = join(E2E, 'fixtures/site')
  const site = join(folder, 'site')
  cpSync(source, site, { recursive: true })
  const pristine = read(site)
  const engine = new Marq(marq, site, join(folder, 'state'))
  const outcomes = []
  try {
    const cases = JSON.parse(readFileSync(join(E2E, 'fixtures/site.json'), 'utf8'))
    for (const item of cases.filter(({ name }) => !only || name.includes(only))) {
      outcomes.push({ name: item.name, faults: await faults(engine, site, pristine, item) })
    }
  } finally {
    await engine.close()
  }
  return outcomes
}

async function faults(engine, site, pristine, item) {
  const written = await engine.move(item, false)
  const found = compare(expected(pristine, item), read(site))
  await engine.undo(written.id)
  const wrong = unequal(pristine, read(site))
  if (wrong.length > 0) found.push(`not as before after undo: ${wrong.join(', ')}`)
  return found
}

/** Returns the expected tree: files under their new paths, with the listed lines replaced. */
function expected(pristine, item) {
  const move = { from: item.from, to: item.to }
  const all = new Map()
  for (const [path, bytes] of pristine) all.set(movedPath(path, move), bytes.toString('utf8'))
  for (const [path, lines] of Object.entries(item.lines)) {
    const before = all.get(movedPath(path, move))
    if (before === undefined) throw new Error(`${item.name}: there is no ${path}`)
    let text = before
    for (const [old, now] of Object.entries(lines)) {
      if (text.split(old).length !== 2) throw new Error(`${item.name}: \`${old}\` must be in ${path} exactly once`)
      text = text.replace(old, () => now)
    }
    all.set(movedPath(path, move), text)
  }
  return all
}

function compare(wanted, got) {
  const found = []
  for (const path of new Set([...wanted.keys(), ...got.keys()])) {
    const [want, have] = [wanted.get(path), got.get(path)?.toString('utf8')]
    if (want === have) continue
    if (want === undefined || have === undefined) found.push(`${path}: ${want === undefined ? 'is new' : 'is not there'}`)
    const lines = (want ?? '').split('\n')
    const others = (have ?? '').split('\n')
    lines.forEach((line, at) => {
      if (line !== others[at]) found.push(`${path}:${at + 1}\n      wanted  ${line}\n      got     ${others[at]}`)
    })
  }
  return found
}
