// Applies refactorings to small programs, runs each program before and after, and compares its behavior.
//
//   node behavior.mjs [--marq PROGRAM] [--count PROGRAMS] [--places NUMBER] [--seed NUMBER] [--only TEXT] [--kind REFACTOR,…] [--peer] [--out FOLDER] [--verbose]
//
// `--places` limits the number of locations for each refactoring in each program; 0 means all. A result is wrong if the
// program behaves differently and the answer has no warning about it, if the program does not start, or if undo does not
// restore every byte. Two differences are accepted: those in `harness/behavior-known.mjs`, and that a program no longer reads
// a variable before its initialization. With `--peer`, TypeScript's own refactorings are applied instead, for comparison.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { knownReason } from './harness/behavior-known.mjs'
import { placesOf, requestNames } from './harness/behavior-places.mjs'
import { random } from './harness/chance.mjs'
import { placeOf } from './harness/edits.mjs'
import { Marq } from './harness/marq.mjs'
import { programs } from './harness/programs.mjs'
import { TypeScriptRefactorings } from './harness/tsrefactor.mjs'
import { Tracer, writeFiles } from './harness/traces.mjs'
import { E2E, read, scratch, unequal } from './harness/tree.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(E2E, '../target/debug/marq') },
    out: { type: 'string', default: join(E2E, '../target/e2e') },
    count: { type: 'string', default: '0' },
    places: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    kind: { type: 'string' },
    peer: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

/** Timeout of a refactoring in milliseconds. */
const PATIENCE = 60_000

async function main() {
  const chance = random(Number(flags.seed))
  const folder = scratch()
  const isNamed = ({ family, title }) => flags.only.length === 0 || flags.only.some((word) => `${family}: ${title}`.includes(word))
  const all = programs().filter(isNamed)
  const chosen = Number(flags.count) > 0 ? sample(all, Number(flags.count), chance) : all
  const outcomes = []
  for (const [index, program] of chosen.entries()) {
    for (const outcome of await refactorProgram(program, join(folder, `${index}`), chance)) {
      outcomes.push(outcome)
      report(outcome)
    }
  }
  const families = new Set(chosen.map(({ family }) => family)).size
  const different = new Set(outcomes.filter(isWrong).map(({ program }) => program)).size
  const summary = `${chosen.length} programs of ${families} families; ${different} do something else after a refactoring`
  const text = `${tabulated(outcomes)}\n\n${summary}\n\n${reasons(outcomes)}`
  console.log(`\n${text}`)
  mkdirSync(flags.out, { recursive: true })
  writeFileSync(join(flags.out, 'behavior.md'), `${text}\n`)
  writeFileSync(join(flags.out, 'behavior.json'), JSON.stringify(outcomes, null, 2) + '\n')
  process.exitCode = outcomes.some(isWrong) ? 1 : 0
}

/** Returns a number of random elements in their order. */
function sample(list, count, chance) {
  const drawn = list.map((item, index) => ({ item, index, by: chance() })).sort((a, b) => a.by - b.by)
  return drawn.slice(0, count).sort((a, b) => a.index - b.index).map(({ item }) => item)
}

/** Requests refactorings in a program, and runs the program after each that is applied. */
async function refactorProgram({ family, title, files }, folder, chance) {
  const ours = join(folder, 'ours')
  writeFiles(files, ours)
  const [main] = files.keys()
  const tracer = new Tracer(join(folder, 'runs'))
  const scene = { folder, ours, files, main, tracer, pristine: read(ours), known: new Map() }
  scene.before = await tracer.trace(files, main)
  if (/^does not start/m.test(scene.before)) throw new Error(`${family}: ${title}: ${scene.before}`)
  scene.engine = startProgram(scene)
  const outcomes = []
  try {
    for (const { name, file, place } of requests(files, chance)) {
      const outcome = { program: `${family}: ${title}`, request: name, file, before: scene.before }
      outcomes.push(await applyAt(scene, file, place, outcome))
    }
  } finally {
    await scene.engine.close()
    await tracer.close()
  }
  return outcomes
}

const startProgram = ({ folder, ours }) => flags.peer ? new TypeScriptRefactorings(ours) : new Marq(flags.marq, ours, join(folder, 'state'), PATIENCE)

/** Returns the requests for a program: at most `--places` of each kind. */
function requests(files, chance) {
  const byName = new Map(requestNames().map((name) => [name, []]))
  for (const [file, text] of files) {
    if (file.endsWith('.json')) continue
    for (const { name, places } of placesOf(file, text)) byName.get(name).push(...places.map((place) => ({ name, file, place })))
  }
  const most = Number(flags.places) || Infinity
  const kinds = flags.kind?.split(',')
  const wanted = [...byName].filter(([name]) => !kinds || kinds.some((kind) => name.startsWith(kind)))
  return wanted.flatMap(([, found]) => sample(found, most, chance))
}

/** Applies one refactoring, runs the program, and undoes the refactoring. */
async function applyAt(scene, file, place, outcome) {
  const text = scene.files.get(file)
  const from = placeOf(text, place.start ?? 0)
  const request = { file, refactor: place.refactor, arguments: { ...place.arguments } }
  outcome.at = `${file}:${from.line + 1}:${from.character}`
  if (place.end !== undefined) {
    const to = placeOf(text, place.end)
    request.selectionRange = { startLine: from.line + 1, startColumn: from.character, endLine: to.line + 1, endColumn: to.character }
    request.arguments.extractedName = 'extracted1'
    outcome.selection = text.slice(place.start, place.end)
  } else if (!place.isDocument) {
    Object.assign(request, { line: from.line + 1, column: from.character })
    outcome.selection = text.slice(place.start).split('\n')[0]
  }
  if (Object.keys(request.arguments).length === 0) delete request.arguments
  outcome.asked = request
  let written
  try {
    written = await scene.engine.refactor(request)
  } catch (error) {
    outcome.error = error.message
    if (error.menu) return outcome
    outcome.silent = true
    await scene.engine.close()
    scene.engine = startProgram(scene)
    return outcome
  }
  if (!written.id) return { ...outcome, error: 'nothing changes' }
  outcome.completeness = written.completeness
  outcome.diff = written.diff
  const after = read(scene.ours)
  const texts = new Map([...after].map(([path, bytes]) => [path, bytes.toString('utf8')]))
  outcome.lines = changedLines(scene.files, texts)
  outcome.after = await traceOnce(scene, texts)
  await scene.engine.undo(written.id)
  const changed = unequal(scene.pristine, read(scene.ours))
  if (changed.length > 0) throw new Error(`not as before after undo: ${changed.join(', ')}`)
  return outcome
}

/** Runs the program, unless another refactoring had the same result. */
async function traceOnce({ tracer, main, known }, texts) {
  const key = JSON.stringify([...texts])
  if (!known.has(key)) known.set(key, await tracer.trace(texts, main))
  return known.get(key)
}

/** Returns the number of lines after a refactoring that are not in a file of the same path before it. */
function changedLines(before, after) {
  let count = 0
  for (const [path, text] of after) {
    const known = new Set((before.get(path) ?? '').split('\n'))
    count += text.split('\n').filter((line) => line.trim() && !known.has(line)).length
  }
  return count
}

const isApplied = ({ after }) => after !== undefined
const isDifferent = (outcome) => isApplied(outcome) && outcome.after !== outcome.before
const isBroken = (outcome) => isDifferent(outcome) && /^(does not start|stopped)/m.test(outcome.after)
/** Trace of a variable that is read before its initialization: the error, or the value `undefined`. */
const EARLY = /^(.* )?(ReferenceError|TypeError|NaN)(:.*)?$/m
/** Returns whether the program read a variable before its initialization, and no longer does. */
const isRepaired = ({ program, before, after }) => /^(dead-zone|import-cycles): /.test(program) && EARLY.test(before) && !EARLY.test(after)
const isAccepted = (outcome) => isRepaired(outcome) || knownReason(outcome) !== undefined
const isWarned = ({ completeness }) => completeness?.startsWith('partial') ?? false
const isWrong = (outcome) => outcome.silent === true || (isDifferent(outcome) && !isAccepted(outcome) && (isBroken(outcome) || !isWarned(outcome)))

function report(outcome) {
  const { program, request, at, selection, error, silent, completeness, diff, before, after } = outcome
  if (!isWrong(outcome) && !(flags.verbose && (error || isDifferent(outcome)))) return
  const verdict = silent ? 'NO ANSWER' : error ? 'refused' : isBroken(outcome) ? 'DOES NOT START' : isWarned(outcome) ? 'different, with a warning' : 'DIFFERENT'
  console.log(`\n  ${verdict}: ${request} at ${at} of ${program}`)
  if (selection) console.log(`      selected ${JSON.stringify(selection)}`)
  if (error) return console.log(`      ${error}`)
  console.log(`      answer ${completeness}`)
  console.log(diff?.replaceAll(/^/gm, '      ') ?? '')
  console.log(`      before ${before.replaceAll('\n', ' / ')}\n      after  ${after.replaceAll('\n', ' / ')}`)
}

/** Formats a table with a row per request. */
function tabulated(outcomes) {
  const head = ['refactor', 'tried', 'refused', 'refused %', 'applied', 'same', 'different', 'warned', 'does not start', 'accepted', 'no answer', 'median lines']
  const rows = [head, head.map(() => '---')]
  for (const name of [...requestNames(), 'all']) {
    const some = outcomes.filter(({ request }) => name === 'all' || request === name)
    if (some.length === 0) continue
    const count = (test) => some.filter(test).length
    const refused = count(({ error, silent }) => error && !silent)
    const lengths = some.filter(isApplied).map(({ lines }) => lines).sort((a, b) => a - b)
    rows.push([
      name,
      some.length,
      refused,
      Math.round((100 * refused) / some.length),
      count(isApplied),
      count((outcome) => isApplied(outcome) && !isDifferent(outcome)),
      count((outcome) => isApplied(outcome) && isWrong(outcome) && !isBroken(outcome)),
      count((outcome) => isDifferent(outcome) && !isBroken(outcome) && !isAccepted(outcome) && isWarned(outcome)),
      count((outcome) => isBroken(outcome) && !isAccepted(outcome)),
      count((outcome) => isDifferent(outcome) && isAccepted(outcome)),
      count(({ silent }) => silent === true),
      lengths[lengths.length >> 1] ?? '',
    ])
  }
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Lists the reasons of refusals without names, most frequent first. */
function reasons(outcomes) {
  const counts = new Map()
  for (const { request, error, silent } of outcomes) {
    if (!error || silent) continue
    const reason = `${request}: ${error.replaceAll(/`[^`]*`/g, '`…`')}`
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
  return sorted.map(([reason, times]) => `- ${times} × ${reason}`).join('\n')
}

await main()
