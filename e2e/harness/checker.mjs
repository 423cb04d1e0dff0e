// The type checker's verdict on a project after a change: TypeScript 7, and only errors that were not there before.

import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { differentLines, movedPath } from './edits.mjs'
import { nativeCompiler } from './native.mjs'
import { makeProject, read } from './tree.mjs'

/**
 * Checks results: `{ name, texts, move?, names?, alone? }`. `texts` is path (as before the case) to text after it, `names` the
 * new and the old name of what was renamed; those that are expected to have errors are checked alone.
 */
export class Checker {
  #project
  #folder
  #pool
  #pristine
  #errorsBefore
  #free = []
  #made = 0
  /** How often the compiler ran. */
  runs = 1

  /** `pool` runs so many jobs at a time; each has a copy of the project to itself. */
  constructor(project, folder, pool) {
    this.#project = project
    this.#folder = folder
    this.#pool = pool
  }

  /** How many errors the project has as it is. */
  async start() {
    const place = this.#take()
    this.#pristine = read(place)
    this.#errorsBefore = count(await this.#pool(() => errorsIn(place)), [])
    this.#free.push(place)
    return [...this.#errorsBefore.values()].reduce((sum, more) => sum + more, 0)
  }

  /**
   * New errors of each result, by name. Results that have no line in common are checked together; where something is found,
   * the few whose names the errors say alone, or that change a file with one, else in halves: a check of a large project takes
   * half a minute, there are a hundred results, and most of them change the same few files.
   */
  async check(results) {
    const found = new Map(results.map(({ name }) => [name, []]))
    const together = async (group) => {
      const errors = await this.#errors(group)
      if (errors.length === 0) return
      const half = group.length >> 1
      const suspects = few(group, (result) => isSaid(result, errors)) ?? few(group, (result) => isNamed(result, errors))
      if (half === 0) found.set(group[0].name, errors)
      else if (!suspects) {
        await Promise.all([group.slice(0, half), group.slice(half)].map(together))
      } else {
        const others = group.filter((result) => !suspects.includes(result))
        await Promise.all([...suspects.map((result) => [result]), others].map(together))
      }
    }
    await Promise.all(groups(results, (path) => this.#before(path)).map(together))
    return found
  }

  /** The most of the results that have no line in common, written together into a folder with the project; how many they are. */
  write(results, folder) {
    const all = groups(results, (path) => this.#before(path)).sort((a, b) => b.length - a.length)
    if (all.length > 0) this.#apply(all[0], folder)
    return all[0]?.length ?? 0
  }

  #before(path) {
    return this.#pristine.get(path)?.toString('utf8')
  }

  #errors(group) {
    return this.#pool(async () => {
      this.runs++
      const place = this.#take()
      const back = this.#apply(group, place)
      const after = count(await errorsIn(place), group)
      back()
      this.#free.push(place)
      return [...after].filter(([error, times]) => times > (this.#errorsBefore.get(error) ?? 0)).map(([error]) => error)
    })
  }

  #take() {
    const free = this.#free.pop()
    if (free) return free
    const place = join(this.#folder, `check${this.#made++}`)
    makeProject(this.#project, place)
    return place
  }

  /** Write the results of a group; what is returned takes them back. */
  #apply(group, place) {
    const lines = new Map()
    for (const { texts } of group) {
      for (const [path, text] of texts) lines.set(path, merged(this.#before(path), lines.get(path), text))
    }
    const moved = (path) => group.reduce((path, { move }) => movedPath(path, move), path)
    const changed = [...this.#pristine.keys()].filter((path) => lines.has(path) || moved(path) !== path)
    const made = [...lines.keys()].filter((path) => !this.#pristine.has(path))
    for (const path of changed) rmSync(join(place, path))
    for (const path of changed) write(join(place, moved(path)), lines.get(path) ?? this.#pristine.get(path))
    for (const path of made) write(join(place, path), lines.get(path))
    return () => {
      for (const path of made) rmSync(join(place, path))
      for (const path of changed) rmSync(join(place, moved(path)))
      for (const path of changed) write(join(place, path), this.#pristine.get(path))
    }
  }
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Those of which the test is true, where they are so few that each can be checked alone. */
function few(group, test) {
  const found = group.filter(test)
  return found.length > 0 && found.length <= Math.max(1, Math.log2(group.length)) ? found : undefined
}

/** Whether an error says the name that the result changes. */
const isSaid = ({ names }, errors) => names !== undefined && errors.some((error) => whole(names[1]).test(error.slice(error.indexOf(': '))))

/** Whether an error is in a file that the result changes. */
const isNamed = ({ texts }, errors) => errors.some((error) => [...texts.keys()].some((path) => error.startsWith(`${path}: `)))

/** A text with the lines that another result changes; the two change no line in common. */
function merged(before, already, text) {
  if (already === undefined || already === before) return text
  const [lines, others, all] = [before, text, already].map((text) => text.split('\n'))
  return all.map((line, at) => (others[at] === lines[at] ? line : others[at])).join('\n')
}

/** Results in groups in which no two touch the same line, move the same path, or rename to the same name. */
function groups(results, before) {
  const all = []
  for (const result of results) {
    const touched = touches(result, before)
    const group = !result.alone && all.find((group) => !group.alone && !group.touched.some((other) => collide(other, touched)))
    if (group) {
      group.results.push(result)
      group.touched.push(touched)
    } else {
      all.push({ results: [result], touched: [touched], alone: result.alone })
    }
  }
  return all.map((group) => group.results)
}

function touches({ texts, move, names }, before) {
  const lines = new Map()
  for (const [path, text] of texts) lines.set(path, new Set(differentLines(text, before(path) ?? '')))
  return { lines, move, names }
}

function collide(a, b) {
  if (a.move && b.move && [a.move.from, a.move.to].some((path) => [b.move.from, b.move.to].some((other) => within(path, other)))) {
    return true
  }
  // An error names the old name again where it is compared with those before: one name, one result.
  if (a.names && b.names && a.names.some((name) => b.names.includes(name))) return true
  for (const [path, lines] of a.lines) {
    const others = b.lines.get(path)
    if (others && (lines.has(0) || others.has(0) || [...lines].some((line) => others.has(line)))) return true
  }
  return false
}

const within = (a, b) => a === b || a.startsWith(b + '/') || b.startsWith(a + '/')

/** What the compiler says about a folder, an error a line. */
function errorsIn(folder) {
  const options = ['--noEmit', '--pretty', 'false', '--singleThreaded']
  return new Promise((resolve, reject) => {
    execFile(nativeCompiler(), options, { cwd: folder, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error && (typeof error.code !== 'number' || error.code > 2)) reject(new Error(`tsc: ${error.message} ${stderr}`))
      else resolve(stdout.split('\n').filter((line) => /\berror TS\d+:/.test(line)))
    })
  })
}

/** Errors and how often they are there: without line and column, under the paths and names from before the results. */
function count(errors, group) {
  const counts = new Map()
  for (const error of errors) {
    const [, path, message] = /^(.*?)\(\d+,\d+\): (.*)$/.exec(error) ?? [null, '', error]
    let old = path
    let text = message
    for (const { move, names } of group) {
      if (move) old = movedPath(old, { from: move.to, to: move.from })
      if (names) text = text.replace(whole(names[0]), () => names[1])
      if (move) text = text.replaceAll(bare(move.to), bare(move.from))
    }
    const key = `${old}: ${text}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** A name, where it is no part of a longer one. */
const whole = (name) => new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')

/** A path as messages name it. */
const bare = (path) => path.replace(/\.[cm]?tsx?$/, '')
