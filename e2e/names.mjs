// Renames random names across formats on a published site: classes, ids, custom properties and animations. The same
// elements and targets must be found in the pages before and after.
//
//   node names.mjs [--marq PROGRAM] [--count NUMBER] [--seed NUMBER] [--out FOLDER] [--verbose]
//
// Checked with jsdom: each selector of each stylesheet matches the same elements of each page, and each link to an
// anchor and each attribute with an id refers to the same element. Names that are used and defined remain so.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { JSDOM } from 'jsdom'
import postcss from 'postcss'
import { oneOf, random } from './harness/chance.mjs'
import { placeOf } from './harness/edits.mjs'
import { Marq } from './harness/marq.mjs'
import { E2E, read, scratch, unequal } from './harness/tree.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(E2E, '../target/debug/marq') },
    out: { type: 'string', default: join(E2E, '../target/e2e') },
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
})

/** Published sites: a folder of a package with its pages, styles and scripts. */
const SITES = ['startbootstrap-resume/dist']

/** Attributes whose values are ids. */
const OF_IDS = ['for', 'form', 'list', 'headers', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns']

/** Patterns of the declarations of each kind: the text before the name, and the name. */
const KINDS = {
  class: { in: '.css', declared: /(?<=\.)-?[A-Za-z_][\w-]*(?=[^{}]*\{)/g },
  id: { in: '.html', declared: /(?<=\bid=")[\w-]+(?=")/g },
  property: { in: '.css', declared: /(?<=[{;]\s*--)[A-Za-z][\w-]*(?=\s*:)/g },
  animation: { in: '.css', declared: /(?<=@keyframes )[\w-]+/g },
}

async function main() {
  const folder = scratch()
  const outcomes = []
  for (const site of SITES) {
    const place = join(folder, site.replaceAll('/', '-'))
    cpSync(join(E2E, 'node_modules', site), place, { recursive: true })
    const pristine = read(place)
    const before = look(pristine)
    const drawn = names(pristine, Number(flags.count), Number(flags.seed))
    console.log(`${site}: ${before.matches.length} selectors and pages, ${before.links.length} links; ${drawn.length} names`)
    const engine = new Marq(flags.marq, place, join(folder, 'state'))
    try {
      for (const name of drawn) outcomes.push(await one({ engine, place, pristine, before }, name))
    } finally {
      await engine.close()
    }
  }
  const table = tabulated(outcomes)
  console.log(`\n${table}`)
  mkdirSync(flags.out, { recursive: true })
  writeFileSync(join(flags.out, 'names.md'), table + '\n')
  process.exitCode = outcomes.some(({ faults }) => faults.length > 0) ? 1 : 0
}

/** Picks names of the site, evenly from all kinds, each with a location where it is declared. */
function names(pristine, count, seed) {
  const chance = random(seed)
  const pools = Object.entries(KINDS).map(([kind, { in: ending, declared }]) => {
    const known = new Map()
    for (const [file, bytes] of pristine) {
      if (!file.endsWith(ending)) continue
      for (const { 0: name, index } of bytes.toString('utf8').matchAll(declared)) {
        if (!known.has(name)) known.set(name, { kind, name, file, offset: index })
      }
    }
    return [...known.values()]
  })
  const drawn = []
  for (let turn = 0; drawn.length < count && pools.some((pool) => pool.length > 0); turn++) {
    const pool = pools[turn % pools.length]
    const found = oneOf(pool, chance)
    if (found) drawn.push(...pool.splice(pool.indexOf(found), 1))
  }
  return drawn
}

async function one({ engine, place, pristine, before }, { kind, name, file, offset }) {
  const at = placeOf(pristine.get(file).toString('utf8'), offset)
  const newName = kind === 'property' ? `--${name}Zq` : `${name}Zq`
  const outcome = { kind, name, at: `${file}:${at.line + 1}:${at.character}`, faults: [] }
  let written
  try {
    written = await engine.rename({ file, place: at, newName }, false)
  } catch (error) {
    if (!error.menu) throw error
    outcome.error = error.message
    console.log(`  ${kind} ${name} at ${outcome.at}: ${error.message}`)
    return outcome
  }
  outcome.files = written.filesAffected?.length ?? 0
  outcome.left = (written.unresolved?.length ?? 0) + (written.mentions?.length ?? 0)
  outcome.faults.push(...compare(before, look(read(place))))
  await engine.undo(written.id)
  const wrong = unequal(pristine, read(place))
  if (wrong.length > 0) outcome.faults.push(`not as before after undo: ${wrong.join(', ')}`)
  if (outcome.faults.length > 0 || flags.verbose) {
    console.log(`  ${kind} ${name} at ${outcome.at}: ${outcome.files} files, ${outcome.left} left; ${outcome.faults.length} faults`)
    for (const fault of outcome.faults.slice(0, 4)) console.log(`      ${fault}`)
  }
  return outcome
}

/**
 * Collects what jsdom finds: the elements of each selector in each page, the targets of links, and the number of
 * undefined names.
 */
function look(files) {
  const text = (path) => files.get(path).toString('utf8')
  const paths = [...files.keys()].sort()
  const sheets = paths.filter((path) => path.endsWith('.css')).map((path) => postcss.parse(text(path), { from: path }))
  const seen = { matches: [], links: [], missing: missing(sheets) }
  for (const path of paths.filter((path) => path.endsWith('.html'))) {
    const { document } = new JSDOM(text(path)).window
    const numbers = new Map([...document.querySelectorAll('*')].map((element, number) => [element, number]))
    for (const sheet of sheets) sheet.walkRules((rule) => seen.matches.push(...found(document, numbers, rule)))
    for (const element of numbers.keys()) seen.links.push(...led(document, numbers, element))
  }
  return seen
}

function found(document, numbers, rule) {
  if (rule.parent.type === 'atrule' && /keyframes$/.test(rule.parent.name)) return []
  return rule.selectors.map((selector) => {
    // Remove pseudo-elements, and pseudo-classes that match only during user interaction, such as `:hover`.
    const plain = selector.replace(/::?(?:before|after|[a-z-]*(?:placeholder|selection|marker|backdrop)|-[a-z-]+)\b(?:\([^)]*\))?/g, '')
    try {
      return [...document.querySelectorAll(plain || '*')].map((element) => numbers.get(element)).join()
    } catch {
      return 'a selector that jsdom does not support'
    }
  })
}

/** Returns the elements that the attributes of an element refer to. */
function led(document, numbers, element) {
  const ids = OF_IDS.flatMap((name) => (element.getAttribute(name) ?? '').split(/\s+/).filter(Boolean))
  const href = element.getAttribute('href')
  if (href?.startsWith('#') && href.length > 1) ids.push(decodeURIComponent(href.slice(1)))
  return ids.map((id) => numbers.get(document.getElementById(id)) ?? 'nowhere')
}

/** Counts uses of custom properties and animations without a definition. */
function missing(sheets) {
  const [defined, used] = [new Set(), []]
  for (const sheet of sheets) {
    sheet.walkAtRules(/keyframes$/, ({ params }) => defined.add(params.trim()))
    sheet.walkDecls(({ prop, value }) => {
      if (prop.startsWith('--')) defined.add(prop)
      for (const [, name] of value.matchAll(/var\(\s*(--[\w-]+)/g)) used.push(name)
      if (/^(-webkit-)?animation(-name)?$/.test(prop)) used.push(...value.split(/[\s,]+/).filter((word) => /^[a-z][\w-]*$/i.test(word)))
    })
  }
  return used.filter((name) => !defined.has(name)).length
}

function compare(before, after) {
  const faults = []
  const differ = (what) => before[what].findIndex((entry, at) => entry !== after[what][at])
  for (const what of ['matches', 'links']) {
    const at = differ(what)
    if (at >= 0 || before[what].length !== after[what].length) {
      faults.push(`${what} ${at}: ${before[what][at]} before, ${after[what][at]} after`)
    }
  }
  if (before.missing !== after.missing) faults.push(`${after.missing} uses without a definition, ${before.missing} before`)
  return faults
}

function tabulated(outcomes) {
  const head = ['kind', 'names', 'renamed', 'refused', 'places left', 'wrong']
  const rows = [head, head.map(() => '---')]
  for (const kind of [...Object.keys(KINDS), 'all']) {
    const some = outcomes.filter((outcome) => kind === 'all' || outcome.kind === kind)
    const count = (test) => some.filter(test).length
    const left = some.reduce((sum, { left = 0 }) => sum + left, 0)
    rows.push([kind, some.length, count(({ error }) => !error), count(({ error }) => error), left, count(({ faults }) => faults.length > 0)])
  }
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

await main()
