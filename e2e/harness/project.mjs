// Runs all cases on the sources of one package, with every engine.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { backwards, changedLines, completed, differences, marked, movedPath } from './edits.mjs'
import { Marq } from './marq.mjs'
import { Native } from './native.mjs'
import { Reasons } from './reasons.mjs'
import { folders, makeProject, read, unequal } from './tree.mjs'
import { Tsserver } from './tsserver.mjs'

/** Returns the outcomes of a project's cases, and the reasons that no longer match the differences. */
export async function examine(project, { marq, folder, only }) {
  // The peers use a separate copy that never changes, as they would otherwise reload the project in every case.
  const still = join(folder, 'still')
  const ours = join(folder, 'ours')
  mkdirSync(folder, { recursive: true })
  makeProject(project, still)
  makeProject(project, ours)
  const pristine = read(ours)
  const texts = (path) => pristine.get(path)?.toString('utf8')
  const engines = { peers: [new Tsserver(still, texts), new Native(still, texts)], marq: new Marq(marq, ours, join(folder, 'state')) }
  const scene = { project, folder: ours, pristine, texts, engines, reasons: new Reasons(project.reasons ?? []) }
  try {
    for (const peer of engines.peers) await peer.start(project.opened)
    const outcomes = []
    for (const item of casesOf(project, texts, only)) {
      outcomes.push(await outcome(scene, item))
    }
    return { outcomes, stale: scene.reasons.stale() }
  } finally {
    await Promise.all([...engines.peers, engines.marq].map((engine) => engine.close()))
  }
}

/** Returns the cases of a project: moves, then renames, with marks converted to positions. */
function casesOf(project, texts, only) {
  const moves = project.moves.map((item) => ({ ...item, kind: 'move', move: { from: item.from, to: item.to } }))
  const renames = project.renames.map((item) => {
    const text = texts(item.file)
    if (text === undefined) throw new Error(`${project.package}: there is no ${item.file}`)
    const place = marked(text, item.at, item.file)
    const old = /[\w$#]+/y
    old.lastIndex = item.at.indexOf('|')
    const names = [item.newName, old.exec(item.at.replace('|', ''))[0]]
    return { ...item, kind: 'rename', place, names }
  })
  return [...moves, ...renames].filter(({ name }) => !only || name.includes(only))
}

/** Runs one case: the answers of all engines, our changes, and their undo. */
async function outcome(scene, item) {
  const { engines, texts, reasons } = scene
  const result = { name: item.name, kind: item.kind, move: item.move, names: item.names, peers: {}, faults: [] }
  const own = await ownAnswer(scene, item, result)
  for (const peer of engines.peers) {
    const theirs = await timed(() => peer[item.kind](item))
    const peerResult = { ms: theirs.ms }
    result.peers[peer.name] = peerResult
    if (theirs.error || result.marq.error) {
      peerResult.error = theirs.error?.message
      if (peerResult.error && result.marq.error) continue
      const difference = { path: 'answer', line: 0, ours: result.marq.error ?? 'done', theirs: peerResult.error ?? 'done' }
      Object.assign(peerResult, reasons.sort(item.name, peer.name, [difference]))
      continue
    }
    peerResult.files = theirs.value.size
    peerResult.edits = changedLines(texts, theirs.value)
    const differing = differences(texts, own, theirs.value)
    const listed = differing.filter((difference) => isLeft(difference, result.left))
    peerResult.left = listed.length
    Object.assign(peerResult, reasons.sort(item.name, peer.name, differing.filter((difference) => !listed.includes(difference))))
    if (peerResult.explained.length + peerResult.unexplained.length > 0) peerResult.texts = theirs.value
    // If the peers disagree about unresolved locations, use the answer of the newer one.
    result.completed = completed(texts, own, listed)
  }
  result.texts = own
  return result
}

/** Runs a case with marq: as a dry run, applied, and undone. The answer maps paths before the case to texts. */
async function ownAnswer({ engines: { marq }, folder, pristine, texts }, item, result) {
  result.marq = {}
  const preview = await timed(() => marq[item.kind](item, true))
  result.marq.ms = preview.ms
  if (preview.error) {
    result.marq.error = preview.error.message
    return new Map()
  }
  const emptyBefore = folders(folder)
  const written = await marq[item.kind](item, false)
  const after = read(folder)
  const answer = answerOf(pristine, after, item.move)
  result.left = new Set(written.unresolved ?? [])
  Object.assign(result.marq, {
    files: answer.size,
    edits: changedLines(texts, answer),
    completeness: written.completeness,
    left: result.left.size,
    unresolved: written.unresolved?.length ?? 0,
  })
  if (preview.value.diff !== written.diff) result.faults.push('the dry run shows another diff than what was done')
  await marq.undo(written.id)
  const wrong = unequal(pristine, read(folder))
  if (wrong.length > 0) result.faults.push(`not as before after undo: ${wrong.slice(0, 5).join(', ')}`)
  if (folders(folder).join() !== emptyBefore.join()) result.faults.push('other folders than before after undo')
  return answer
}

/** Returns the changes between two trees, with paths before the case. */
export function answerOf(pristine, after, move) {
  const answer = new Map()
  const back = backwards(move)
  for (const [path, bytes] of after) {
    const old = movedPath(path, back)
    const before = pristine.get(old)
    if (!before) throw new Error(`${path} is unexpected`)
    if (!before.equals(bytes)) answer.set(old, bytes.toString('utf8'))
  }
  for (const path of pristine.keys()) {
    if (!after.has(movedPath(path, move))) throw new Error(`${path} is gone`)
  }
  return answer
}

/** Returns whether an entry summarizes several locations in a file: `a.ts:1:2 and 3 more in this file`. */
export function isOfFile(place, path) {
  return place.startsWith(`${path}:`) && place.endsWith(' more in this file')
}

/** Returns whether our answer lists this line as unresolved. */
function isLeft({ path, line }, left) {
  if (!left) return false
  const prefix = `${path}:${line}:`
  for (const place of left) if (place.startsWith(prefix) || isOfFile(place, path)) return true
  return false
}

/**
 * Type-checks our answers and, if they list unresolved locations, the same with the peers' lines at these locations.
 * The second must not have new errors; the first must not if the answer claims to be complete. With `judged`, also
 * type-checks the peers' answers that differ from ours.
 */
export async function verdicts(outcomes, checker, judged) {
  const done = outcomes.filter(({ marq }) => !marq.error)
  const differs = ({ texts, completed }) => completed && [...completed].some(([path, text]) => texts.get(path) !== text)
  const own = done.map((outcome) => {
    const { name, texts, move, names } = outcome
    return { name, texts, move, names, alone: differs(outcome) }
  })
  const filled = done.filter(differs).map(({ name, completed, move, names }) => {
    return { name: `${name} (completed)`, texts: completed, move, names }
  })
  const theirs = judged ? done.flatMap(others) : []
  const errors = await checker.check([...own, ...filled, ...theirs])
  for (const outcome of done) {
    outcome.newErrors = errors.get(outcome.name)
    outcome.newErrorsCompleted = errors.get(`${outcome.name} (completed)`) ?? outcome.newErrors
    for (const [peer, peerResult] of Object.entries(outcome.peers)) peerResult.newErrors = errors.get(`${outcome.name} (${peer})`)
  }
}

/** Returns the answers of the peers in the form that is checked. */
function others({ name, move, names, peers }) {
  const different = Object.entries(peers).filter(([, { texts }]) => texts)
  return different.map(([peer, { texts }]) => ({ name: `${name} (${peer})`, texts, move, names, alone: true }))
}

async function timed(job) {
  const started = performance.now()
  try {
    const value = await job()
    return { value, ms: performance.now() - started }
  } catch (error) {
    return { error, ms: performance.now() - started }
  }
}
