// Applies refactorings at random locations, checked by the type checker.
//
//   node refactors.mjs [--marq PROGRAM] [--only PACKAGE] [--count NUMBER] [--seed NUMBER] [--kind REFACTOR,…] [--out FOLDER] [--verbose]
//
// A result is wrong if it claims to be complete and the project has new type errors, if undo does not restore every
// byte, or if organizing the imports a second time changes them again. Extracted code is inlined again. If that does not
// restore the original text, both texts are shown, because the result may still be right: braces around a body remain, for
// example. If a package ships tests with its sources, results that change different lines are combined, and the tests run on
// them; no test may fail that passed before.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Checker } from './harness/checker.mjs'
import { placeOf } from './harness/edits.mjs'
import { Marq } from './harness/marq.mjs'
import { KINDS, places } from './harness/places.mjs'
import { pool } from './harness/pool.mjs'
import { projects } from './harness/projects.mjs'
import { fileOf, runTests } from './harness/tests.mjs'
import { E2E, makeProject, read, scratch, unequal } from './harness/tree.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(E2E, '../target/debug/marq') },
    out: { type: 'string', default: join(E2E, '../target/e2e') },
    only: { type: 'string' },
    kind: { type: 'string' },
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
})

/** Timeout of a refactoring in milliseconds. */
const PATIENCE = 60_000

/** The inverse of each refactoring, and the pattern of the extracted declaration. */
const BACK = {
  extract_variable: { by: 'inline_variable', declared: /\b(?:const|let|var) (?=NAME\b)/ },
  extract_constant: { by: 'inline_variable', declared: /\b(?:const|let|var) (?=NAME\b)/ },
  extract_function: { by: 'inline_function', declared: /\bfunction\*? (?=NAME\b)/ },
  extract_type: { by: 'inline_variable', declared: /\b(?:type|interface) (?=NAME\b)/ },
}

const isSource = (path) => /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path)

async function main() {
  const folder = scratch()
  const kinds = flags.kind?.split(',') ?? KINDS
  const unknown = kinds.filter((kind) => !KINDS.includes(kind))
  if (unknown.length > 0) throw new Error(`no refactor ${unknown.join(', ')}; there are ${KINDS.join(', ')}`)
  const outcomes = []
  const failing = []
  for (const project of projects().filter((project) => !flags.only || project.package === flags.only)) {
    const found = await refactors(project, join(folder, project.package), kinds)
    const newlyFailing = await judge(project, join(folder, project.package), found)
    failing.push(...newlyFailing.map((test) => `${project.package}: ${test}`))
    for (const outcome of found) {
      outcomes.push({ package: project.package, ...outcome })
      tell(outcome)
    }
  }
  const table = tabulated(outcomes, kinds)
  console.log(`\n${table}\n\n${reasons(outcomes)}`)
  mkdirSync(flags.out, { recursive: true })
  writeFileSync(join(flags.out, 'refactors.md'), `${table}\n\n${reasons(outcomes)}\n`)
  const slim = outcomes.map(({ texts, ...rest }) => rest)
  writeFileSync(join(flags.out, 'refactors.json'), JSON.stringify(slim, null, 2) + '\n')
  for (const test of failing) console.log(`a newly failing test: ${test}`)
  process.exitCode = outcomes.some(isWrong) || failing.length > 0 ? 1 : 0
}

/** Runs all refactorings: applied, reversed by the inverse refactoring, and undone. */
async function refactors(project, folder, kinds) {
  const ours = join(folder, 'ours')
  mkdirSync(folder, { recursive: true })
  makeProject(project, ours)
  const pristine = read(ours)
  const texts = (path) => pristine.get(path).toString('utf8')
  const sources = [...pristine.keys()].filter(isSource).sort().map((path) => [path, texts(path)])
  const drawn = places(sources, kinds, Number(flags.count), Number(flags.seed))
  console.log(`${project.package} ${project.version}: ${drawn.length} places`)
  const scene = { ours, pristine, texts, start: () => new Marq(flags.marq, ours, join(folder, 'state'), PATIENCE) }
  scene.engine = scene.start()
  const outcomes = []
  try {
    for (const place of drawn) outcomes.push(await one(scene, place, outcomes.length))
  } finally {
    await scene.engine.close()
  }
  return outcomes
}

async function one(scene, place, index) {
  const { line, character } = place.isDocument ? { line: 0, character: 0 } : placeOf(scene.texts(place.file), place.start)
  const name = `zq${index}`
  const outcome = { name, kind: place.kind, at: `${place.file}:${line + 1}:${character}`, faults: [] }
  const request = requestOf(scene, place, name)
  outcome.asked = { selection: place.end && scene.texts(place.file).slice(place.start, place.end), ...request }
  const written = await asked(scene, request, outcome)
  if (!written?.id) return outcome
  const after = read(scene.ours)
  outcome.texts = new Map(unequal(scene.pristine, after).map((path) => [path, after.get(path).toString('utf8')]))
  const more = place.kind === 'organize_imports' ? await again(scene, request, outcome) : await back(scene, place, name, outcome)
  if (more) await scene.engine.undo(more)
  await scene.engine.undo(written.id)
  const wrong = unequal(scene.pristine, read(scene.ours))
  if (wrong.length > 0) throw new Error(`not as before after undo: ${wrong.slice(0, 5).join(', ')}`)
  return outcome
}

/** Builds the request of a client. */
function requestOf({ texts }, place, name) {
  const { kind, file, start, end, isDocument, destination, parameters } = place
  const request = { file, refactor: kind }
  if (isDocument) return request
  const from = placeOf(texts(file), start)
  if (end === undefined) {
    Object.assign(request, { line: from.line + 1, column: from.character })
  } else {
    const to = placeOf(texts(file), end)
    request.selectionRange = { startLine: from.line + 1, startColumn: from.character, endLine: to.line + 1, endColumn: to.character }
    request.extractedName = name
  }
  if (destination) request.arguments = { destination: `./${name}.ts` }
  if (parameters) request.arguments = { parameters }
  return request
}

/** Sends a request. Returns the answer; `undefined` if it is refused or there is no answer. */
async function asked(scene, request, outcome) {
  const started = performance.now()
  try {
    const written = await scene.engine.refactor(request)
    outcome.completeness = written.completeness
    return written
  } catch (error) {
    outcome.error = error.message
    if (error.menu) return undefined
    // The server may still be working on the request, so start a new one.
    outcome.silent = true
    await scene.engine.close()
    scene.engine = scene.start()
    return undefined
  } finally {
    outcome.ms = Math.round(performance.now() - started)
  }
}

/** Repeats the request, which must not change anything more. */
async function again(scene, request, outcome) {
  const second = await scene.engine.refactor(request)
  if (second.id) outcome.faults.push(`the second time it changes more:\n${second.diff ?? ''}`)
  return second.id
}

/** Reverses an extraction with the inverse refactoring. */
async function back(scene, { kind, file }, name, outcome) {
  const how = BACK[kind]
  const text = outcome.texts.get(file)
  const found = how && text && new RegExp(how.declared.source.replace('NAME', name)).exec(text)
  if (!found) return undefined
  const { line, character } = placeOf(text, found.index + found[0].length)
  try {
    const written = await scene.engine.refactor({ file, refactor: how.by, line: line + 1, column: character })
    const now = readFileSync(join(scene.ours, file), 'utf8')
    outcome.back = now === scene.texts(file) ? 'same' : 'other'
    if (outcome.back === 'other') outcome.difference = firstDifference(scene.texts(file), now)
    return written.id
  } catch (error) {
    if (!error.menu) throw error
    outcome.back = `refused: ${error.message}`
    return undefined
  }
}

/** Returns the lines of both texts from the first to the last that differs. */
function firstDifference(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const part = (lines, sign) => lines.slice(start, lines.length - end).map((line) => `${sign} ${line}`)
  return [...part(a, '-'), ...part(b, '+')].join('\n')
}

/** Checks for new type errors. Returns the package's own tests that fail now but did not before. */
async function judge(project, folder, outcomes) {
  const checker = new Checker(project, folder, pool(1))
  await checker.start()
  const done = outcomes.filter(({ texts }) => texts?.size > 0)
  const errors = await checker.check(done.map(({ name, texts }) => ({ name, texts })))
  for (const outcome of done) outcome.errors = errors.get(outcome.name) ?? []
  return project.tests ? tested(project, folder, checker, done.filter((outcome) => outcome.errors.length === 0)) : []
}

async function tested(project, folder, checker, outcomes) {
  const [after, before] = [join(folder, 'tested'), join(folder, 'untested')]
  makeProject(project, after)
  const together = checker.write(outcomes.map(({ name, texts }) => ({ name, texts })), after)
  const { all, failing } = await runTests(project, after)
  console.log(`  ${together} results together: ${all - failing.size} of ${all} tests of the package pass`)
  if (failing.size === 0) return []
  makeProject(project, before)
  const known = await runTests(project, before, [...new Set([...failing].map(fileOf))])
  return [...failing].filter((test) => !known.failing.has(test))
}

const isDoubtful = ({ completeness }) => completeness?.startsWith('partial')
const isWrong = (outcome) => (outcome.errors?.length > 0 && !isDoubtful(outcome)) || outcome.faults.length > 0

function tell(outcome) {
  const { kind, at, error, silent, errors, faults, asked, ms, texts, back, difference } = outcome
  const words = []
  if (silent) words.push(`NO ANSWER (${error})`)
  if (errors?.length > 0) words.push(`${isWrong(outcome) ? 'WRONG' : outcome.completeness}, ${errors.length} errors`)
  if (faults.length > 0) words.push(`WRONG, ${faults.join('; ')}`)
  if (flags.verbose && error) words.push(error)
  if (flags.verbose && back === 'other') words.push('different bytes after undo')
  if (words.length === 0) return
  console.log(`  ${kind} at ${at}: ${words.join('; ')} (${ms} ms)`)
  for (const text of (errors ?? []).slice(0, 4)) console.log(`      ${text.slice(0, 220)}`)
  if (errors?.length > 0 || isWrong(outcome)) {
    console.log(`      asked ${JSON.stringify(asked)}`)
    for (const [path, text] of texts) if (path.endsWith(`${outcome.name}.ts`)) console.log(`      new ${path}\n${text}`)
  }
  if (flags.verbose && difference) console.log(difference.replaceAll(/^/gm, '      '))
}

/** Formats a table with a row per refactoring. */
function tabulated(outcomes, kinds) {
  const head = ['refactor', 'places', 'done', 'refused', 'no answer', 'wrong', 'doubtful, with errors', 'taken back', 'to the same bytes', 'median ms', 'slowest ms']
  const rows = [head, head.map(() => '---')]
  for (const kind of [...kinds, 'all']) {
    const some = outcomes.filter((outcome) => kind === 'all' || outcome.kind === kind)
    if (some.length === 0) continue
    const count = (test) => some.filter(test).length
    const times = some.map(({ ms }) => ms).sort((a, b) => a - b)
    rows.push([
      kind,
      some.length,
      count(({ texts }) => texts),
      count(({ error, silent }) => error && !silent),
      count(({ silent }) => silent),
      count(isWrong),
      count((outcome) => outcome.errors?.length > 0 && !isWrong(outcome)),
      count(({ back }) => back === 'same' || back === 'other'),
      count(({ back }) => back === 'same'),
      times[times.length >> 1],
      times.at(-1),
    ])
  }
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Lists the reasons of refusals without names, most frequent first. */
function reasons(outcomes) {
  const counts = new Map()
  for (const { kind, error, silent } of outcomes) {
    if (!error || silent) continue
    const reason = `${kind}: ${error.replaceAll(/`[^`]*`/g, '`…`')}`
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
  return sorted.map(([reason, times]) => `- ${times} × ${reason}`).join('\n')
}

await main()
