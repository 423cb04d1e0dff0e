// Renames random declarations, checked by the type checker and compared with TypeScript's native server.
//
//   node random.mjs [--marq PROGRAM] [--only PACKAGE] [--count NUMBER] [--seed NUMBER] [--kind WORD] [--out FOLDER] [--verbose]
//
// An answer is wrong if it claims to be `complete` and the project has new type errors. An answer that lists unresolved
// locations is checked three times: with the new name also at the listed locations that the server renames, at all of them, and
// at those in the files with errors. It is wrong if each time it has errors that the server's own answer does not have.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Checker } from './harness/checker.mjs'
import { declarations, drawn } from './harness/declarations.mjs'
import { completed, differences, differentLines, offsetOf, placeOf } from './harness/edits.mjs'
import { Marq } from './harness/marq.mjs'
import { Native } from './harness/native.mjs'
import { pool } from './harness/pool.mjs'
import { isOfFile } from './harness/project.mjs'
import { projects } from './harness/projects.mjs'
import { E2E, makeProject, read, scratch, unequal } from './harness/tree.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(E2E, '../target/debug/marq') },
    out: { type: 'string', default: join(E2E, '../target/e2e') },
    only: { type: 'string' },
    kind: { type: 'string' },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
})

/** Timeout of a rename in milliseconds. */
const PATIENCE = 60_000

/** Sources that both the server and the type checker read. */
const isSource = (path) => /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path)

async function main() {
  const folder = scratch()
  const outcomes = []
  for (const project of projects().filter((project) => !flags.only || project.package === flags.only)) {
    const found = await renames(project, join(folder, project.package))
    await judge(project, join(folder, project.package), found)
    for (const outcome of found) outcomes.push({ package: project.package, ...outcome })
    for (const outcome of found) tell(project, outcome)
  }
  const table = tabulated(outcomes)
  console.log(`\n${table}`)
  mkdirSync(flags.out, { recursive: true })
  writeFileSync(join(flags.out, 'random.md'), table + '\n')
  const slim = outcomes.map(({ before, texts, completed, filled, near, peer, ...rest }) => rest)
  writeFileSync(join(flags.out, 'random.json'), JSON.stringify(slim, null, 2) + '\n')
  process.exitCode = outcomes.some(isWrong) ? 1 : 0
}

/** Runs all renames: with marq, applied and undone, and with the server. */
async function renames(project, folder) {
  const [still, ours] = [join(folder, 'still'), join(folder, 'ours')]
  mkdirSync(folder, { recursive: true })
  makeProject(project, still)
  makeProject(project, ours)
  const pristine = read(ours)
  const texts = (path) => pristine.get(path)?.toString('utf8')
  const sources = [...pristine.keys()].filter(isSource).map((path) => [path, texts(path)])
  const all = declarations(sources).filter(({ kind }) => !flags.kind || kind === flags.kind)
  const picked = drawn(all, Number(flags.count), Number(flags.seed))
  console.log(`${project.package} ${project.version}: ${picked.length} of ${all.length} declarations`)
  const peer = new Native(still, texts)
  const start = () => new Marq(flags.marq, ours, join(folder, 'state'), PATIENCE)
  const scene = { ours, pristine, texts, peer, start }
  scene.engine = scene.start()
  const outcomes = []
  try {
    await peer.start(project.opened)
    for (const declaration of picked) outcomes.push(await one(scene, declaration, outcomes.length))
  } finally {
    await Promise.all([peer.close(), scene.engine.close()])
  }
  return outcomes
}

async function one(scene, { kind, file, name, offset }, index) {
  const place = placeOf(scene.texts(file), offset)
  const newName = `${name}Zq${index}`
  const item = { file, place, newName }
  const outcome = { name: `${index}`, kind, at: `${file}:${place.line + 1}:${place.character}`, names: [newName, name] }
  await ask(scene, item, outcome)
  try {
    outcome.peer = await scene.peer.rename(item)
  } catch (error) {
    outcome.peerError = error.message
  }
  if (outcome.texts && outcome.peer) compare(scene, outcome)
  return outcome
}

/** Runs a rename with marq, and records the resulting texts by path. */
async function ask(scene, item, outcome) {
  const started = performance.now()
  let written
  try {
    written = await scene.engine.rename(item, false)
  } catch (error) {
    outcome.error = error.message
    if (!error.menu) {
      // The server may still be working on the request, so start a new one.
      await scene.engine.close()
      scene.engine = scene.start()
      outcome.silent = true
    }
    return
  } finally {
    outcome.ms = Math.round(performance.now() - started)
  }
  const after = read(scene.ours)
  outcome.texts = new Map()
  for (const path of unequal(scene.pristine, after)) outcome.texts.set(path, after.get(path).toString('utf8'))
  outcome.completeness = written.completeness
  outcome.left = written.unresolved ?? []
  await scene.engine.undo(written.id)
  const wrong = unequal(scene.pristine, read(scene.ours))
  if (wrong.length > 0) throw new Error(`not as before after undo: ${wrong.slice(0, 5).join(', ')}`)
}

/** Compares the lines that the server changes with those that marq changes or lists. */
function compare({ texts }, outcome) {
  const left = new Set(outcome.left.map((place) => /^(.*?:\d+)(:|$)/.exec(place)?.[1]))
  const differing = differences(texts, outcome.texts, outcome.peer)
  const isListed = ({ path, line }) => left.has(`${path}:${line}`) || outcome.left.some((place) => isOfFile(place, path))
  const listed = differing.filter(isListed)
  outcome.lines = 0
  outcome.missed = []
  const changed = new Map()
  for (const [path, text] of outcome.peer) {
    const lines = differentLines(text, texts(path))
    changed.set(path, new Set(lines))
    outcome.lines += lines.length
  }
  for (const difference of differing) {
    const isTheirs = changed.get(difference.path)?.has(difference.line)
    if (isTheirs && !listed.includes(difference)) outcome.missed.push(difference)
  }
  outcome.beyond = differing.filter(({ path, line }) => !changed.get(path)?.has(line))
  outcome.before = texts
  outcome.completed = completed(texts, outcome.texts, listed)
  outcome.filled = filled(texts, outcome)
}

/** Our answer, with the remaining listed locations in certain files renamed as well. */
function filled(before, { texts, left, names: [newName, name] }, isFilled = () => true) {
  const all = new Map(texts)
  const places = left.map((place) => /^(.*?):(\d+):(\d+)/.exec(place)).filter((place) => place && isFilled(place[1]))
  // From the end of each file, so that earlier offsets stay valid.
  for (const [, path, line, column] of places.reverse()) {
    const text = all.get(path) ?? before(path)
    // Other edits in the same line may have moved the name.
    const start = offsetOf(text, { line: Number(line) - 1, character: 0 })
    const end = text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start)
    const rest = text.slice(start, end)
    const at = [Number(column), rest.indexOf(name)].find((at) => at >= 0 && rest.startsWith(name, at))
    if (at === undefined || rest.startsWith(newName, at)) continue
    all.set(path, text.slice(0, start + at) + newName + text.slice(start + at + name.length))
  }
  return all
}

/** Checks for new type errors in our answer, in our answer with the listed lines renamed as well, and in the server's answer. */
async function judge(project, folder, outcomes) {
  const checker = new Checker(project, folder, pool(1))
  await checker.start()
  const done = outcomes.filter(({ texts }) => texts?.size > 0)
  const isComplete = ({ completeness }) => completeness === 'complete'
  const results = done.flatMap((outcome) => {
    const texts = isComplete(outcome) ? outcome.texts : outcome.completed
    return texts ? [{ name: outcome.name, texts, names: outcome.names }] : []
  })
  const errors = await checker.check(results)
  for (const outcome of done) outcome.errors = errors.get(outcome.name) ?? []
  const doubtful = done.filter(({ errors, peer }) => errors.length > 0 && peer)
  const theirs = await checker.check(doubtful.map(({ name, peer, names }) => ({ name, texts: peer, names, alone: true })))
  for (const outcome of doubtful) outcome.peerErrors = theirs.get(outcome.name)
  const ours = doubtful.filter((outcome) => outcome.filled && wrongEdit(outcome))
  const whole = await checker.check(ours.map(({ name, filled, names }) => ({ name, texts: filled, names, alone: true })))
  for (const outcome of ours) outcome.filledErrors = whole.get(outcome.name)
  await judgeNear(checker, ours.filter(wrongEdit))
}

/** Checks for new type errors in our answer with the listed locations in the files with errors renamed as well. */
async function judgeNear(checker, outcomes) {
  for (const outcome of outcomes) {
    const files = new Set(outcome.errors.map((error) => error.split(': error TS')[0]))
    outcome.near = filled(outcome.before, outcome, (path) => files.has(path))
  }
  const found = await checker.check(outcomes.map(({ name, near, names }) => ({ name, texts: near, names, alone: true })))
  for (const outcome of outcomes) outcome.nearErrors = found.get(outcome.name)
}

const wrongClaim = ({ completeness, errors }) => completeness === 'complete' && errors?.length > 0

/**
 * Errors that the server's own answer does not have, by file and code, as messages of the same error vary between runs.
 */
function beyondPeer(errors, peerErrors = []) {
  const key = (error) => /^.*?: error TS\d+/.exec(error)?.[0] ?? error
  const theirs = peerErrors.map(key)
  return errors.map(key).filter((error) => {
    const at = theirs.indexOf(error)
    if (at >= 0) theirs.splice(at, 1)
    return at < 0
  })
}

function wrongEdit({ completeness, errors = [], peerErrors, filledErrors = errors, nearErrors = errors }) {
  const isWrong = (found) => beyondPeer(found, peerErrors).length > 0
  return completeness !== 'complete' && [errors, filledErrors, nearErrors].every(isWrong)
}

const isWrong = (outcome) => wrongClaim(outcome) || wrongEdit(outcome)
const onlyRefused = ({ error, peerError, silent }) => error && !peerError && !silent

function tell(project, outcome) {
  const { kind, names, at, error, peerError, silent, missed, beyond, errors, peerErrors, completeness, left, ms } = outcome
  const { filledErrors, nearErrors } = outcome
  const words = []
  if (silent) words.push('NO ANSWER')
  else if (onlyRefused(outcome)) words.push(`refused: ${error}`)
  if (wrongClaim(outcome)) words.push(`WRONG CLAIM, ${errors.length} errors`)
  if (wrongEdit(outcome)) words.push(`WRONG EDIT, ${errors.length} errors`)
  if (missed?.length > 0) words.push(`${missed.length} lines missed`)
  if (words.length === 0 && !flags.verbose) return
  console.log(`  ${kind} ${names[1]} at ${at}: ${words.join('; ')} (${completeness ?? 'no answer'}, ${left?.length ?? 0} left, ${ms} ms)`)
  for (const { path, line, ours, theirs } of (missed ?? []).slice(0, 4)) {
    console.log(`      missed ${path}:${line}  ${ours.trim().slice(0, 100)}`)
    if (ours.includes(names[0])) console.log(`        server ${theirs.trim().slice(0, 100)}`)
  }
  for (const { path, line, ours } of (isWrong(outcome) ? (beyond ?? []) : []).slice(0, 4)) {
    console.log(`      beyond ${path}:${line}  ${ours.trim().slice(0, 100)}`)
  }
  for (const text of (errors ?? []).slice(0, 4)) console.log(`      ${text.slice(0, 220)}`)
  if (peerErrors?.length > 0) console.log(`      (the server's own answer has ${peerErrors.length} new errors)`)
  if (filledErrors) console.log(`      (with the new name at all places that are left: ${filledErrors.length} new errors)`)
  if (nearErrors) console.log(`      (with it at those in the files of the errors: ${nearErrors.length} new errors)`)
  if (error && peerError) console.log(`      the server refuses, too: ${peerError}`)
}

/** Formats a table with a row per kind of declaration. */
function tabulated(outcomes) {
  const head = ['declaration', 'renames', 'complete', 'with places left', 'refused by us alone', 'no answer', 'wrong claims', 'wrong edits', 'lines of the server', 'renamed or listed', 'median ms', 'slowest ms']
  const rows = [head, head.map(() => '---')]
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))].sort()
  for (const kind of [...kinds, 'all']) {
    const some = outcomes.filter((outcome) => kind === 'all' || outcome.kind === kind)
    const count = (test) => some.filter(test).length
    const sum = (number) => some.reduce((total, outcome) => total + number(outcome), 0)
    const lines = sum(({ lines = 0 }) => lines)
    const missed = sum(({ missed = [] }) => missed.length)
    const times = some.map(({ ms }) => ms).sort((a, b) => a - b)
    const share = lines === 0 ? '–' : `${((100 * (lines - missed)) / lines).toFixed(1)} %`
    rows.push([
      kind,
      some.length,
      count(({ completeness }) => completeness === 'complete'),
      count(({ texts, completeness }) => texts && completeness !== 'complete'),
      count(onlyRefused),
      count(({ silent }) => silent),
      count(wrongClaim),
      count(wrongEdit),
      lines,
      share,
      times[times.length >> 1],
      times.at(-1),
    ])
  }
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

await main()
