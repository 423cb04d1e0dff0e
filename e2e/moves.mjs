// Moves and deletes random files and folders, checked by the type checker.
//
//   node moves.mjs [--marq PROGRAM] [--only PACKAGE] [--count NUMBER] [--seed NUMBER] [--kind KIND,…] [--out FOLDER] [--verbose]
//
// An answer is wrong if it claims to be `complete` and the project has new type errors, or if there is an error in a
// file in which it lists nothing, or if undo does not restore every byte. After a delete, only errors about names and
// modules that do not exist count, because a deleted type also causes type errors in files that do not import it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Checker } from './harness/checker.mjs'
import { Marq } from './harness/marq.mjs'
import { KINDS, drawnMoves } from './harness/paths.mjs'
import { pool } from './harness/pool.mjs'
import { answerOf } from './harness/project.mjs'
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

/** Timeout of a call in milliseconds. */
const PATIENCE = 60_000

async function main() {
  const folder = scratch()
  const kinds = flags.kind?.split(',') ?? KINDS
  const unknown = kinds.filter((kind) => !KINDS.includes(kind))
  if (unknown.length > 0) throw new Error(`no kind ${unknown.join(', ')}; the kinds are ${KINDS.join(', ')}`)
  const outcomes = []
  for (const project of projects().filter((project) => !flags.only || project.package === flags.only)) {
    const found = await changes(project, join(folder, project.package), kinds)
    await judge(project, join(folder, project.package), found)
    for (const outcome of found) tell(outcome)
    outcomes.push(...found.map((outcome) => ({ package: project.package, ...outcome })))
  }
  const table = tabulated(outcomes, kinds)
  console.log(`\n${table}`)
  mkdirSync(flags.out, { recursive: true })
  writeFileSync(join(flags.out, 'moves.md'), table + '\n')
  const slim = outcomes.map(({ texts, gone, ...rest }) => rest)
  writeFileSync(join(flags.out, 'moves.json'), JSON.stringify(slim, null, 2) + '\n')
  process.exitCode = outcomes.some(isWrong) ? 1 : 0
}

/** Errors about a name, a module or an export that does not exist. */
const MISSING = /error TS(2304|2305|2306|2307|2503|2552|2614|2694|2724|2792|6053):/

/** Makes all changes, each applied and undone. */
async function changes(project, folder, kinds) {
  const ours = join(folder, 'ours')
  mkdirSync(folder, { recursive: true })
  makeProject(project, ours)
  const pristine = read(ours)
  const drawn = drawnMoves([...pristine.keys()], kinds, Number(flags.count), Number(flags.seed))
  console.log(`${project.package} ${project.version}: ${drawn.length} of ${pristine.size} files`)
  const engine = new Marq(flags.marq, ours, join(folder, 'state'), PATIENCE)
  const outcomes = []
  try {
    for (const change of drawn) outcomes.push(await one({ engine, ours, pristine }, change, outcomes.length))
  } finally {
    await engine.close()
  }
  return outcomes
}

async function one({ engine, ours, pristine }, { kind, from, to }, index) {
  const outcome = { name: `${index}`, kind, from, to, faults: [], listed: [] }
  const started = performance.now()
  let written
  try {
    written = to ? await engine.move({ from, to }, false) : await engine.delete(from)
  } catch (error) {
    if (!error.menu) throw error
    outcome.error = error.message
    return outcome
  } finally {
    outcome.ms = Math.round(performance.now() - started)
  }
  outcome.completeness = written.completeness
  outcome.listed = [...(written.unresolved ?? []), ...(written.dangling ?? [])]
  const after = read(ours)
  if (to) {
    outcome.move = { from, to }
    outcome.texts = answerOf(pristine, after, outcome.move)
  } else {
    outcome.gone = [from]
    outcome.texts = answerOf(new Map([...pristine].filter(([path]) => path !== from)), after)
  }
  await engine.undo(written.id)
  const wrong = unequal(pristine, read(ours))
  if (wrong.length > 0) throw new Error(`not as before after undo: ${wrong.slice(0, 5).join(', ')}`)
  return outcome
}

/** Checks every result for new type errors. A deleted file is checked alone, as errors are expected. */
async function judge(project, folder, outcomes) {
  const checker = new Checker(project, folder, pool(1))
  await checker.start()
  const done = outcomes.filter(({ texts }) => texts)
  const errors = await checker.check(done.map(({ name, texts, move, gone }) => ({ name, texts, move, gone, alone: gone !== undefined })))
  for (const outcome of done) {
    outcome.errors = (errors.get(outcome.name) ?? []).filter((error) => !outcome.gone || MISSING.test(error))
    const isListed = (error) => outcome.listed.some((place) => place.startsWith(`${error.split(': ')[0]}:`))
    outcome.unlisted = outcome.errors.filter((error) => !isListed(error))
  }
}

const isComplete = ({ completeness }) => completeness === 'complete'
const wrongClaim = (outcome) => isComplete(outcome) && outcome.errors?.length > 0
const isSilent = (outcome) => !isComplete(outcome) && outcome.unlisted?.length > 0
const isWrong = (outcome) => wrongClaim(outcome) || isSilent(outcome)

function tell(outcome) {
  const { kind, from, to, error, completeness, errors, listed, ms } = outcome
  const words = []
  if (error) words.push(`refused: ${error}`)
  if (wrongClaim(outcome)) words.push(`WRONG CLAIM, ${errors.length} errors`)
  if (isSilent(outcome)) words.push(`SILENT, ${outcome.unlisted.length} errors`)
  if (words.length === 0 && (isComplete(outcome) || !flags.verbose)) return
  console.log(`  ${kind} ${from}${to ? ` → ${to}` : ''}: ${words.join('; ')} (${completeness ?? 'no answer'}, ${listed.length} listed, ${ms} ms)`)
  for (const text of (outcome.unlisted ?? []).slice(0, 4)) console.log(`      ${text.slice(0, 220)}`)
  if (flags.verbose) for (const place of listed.slice(0, 4)) console.log(`      listed ${place.slice(0, 160)}`)
}

/** Formats a table with a row per kind of change. */
function tabulated(outcomes, kinds) {
  const head = ['change', 'calls', 'complete', 'with places listed', 'refused', 'wrong claims', 'silent', 'median ms', 'slowest ms']
  const rows = [head, head.map(() => '---')]
  for (const kind of [...kinds, 'all']) {
    const some = outcomes.filter((outcome) => kind === 'all' || outcome.kind === kind)
    if (some.length === 0) continue
    const count = (test) => some.filter(test).length
    const times = some.map(({ ms }) => ms).sort((a, b) => a - b)
    rows.push([
      kind,
      some.length,
      count(isComplete),
      count((outcome) => outcome.texts && !isComplete(outcome)),
      count(({ error }) => error),
      count(wrongClaim),
      count(isSilent),
      times[times.length >> 1],
      times.at(-1),
    ])
  }
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

await main()
