// Type-checks a project after a change with TypeScript 7. Reports only new errors.

import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { differentLines, movedPath } from './edits.mjs'
import { nativeCompiler } from './native.mjs'
import { makeProject, read } from './tree.mjs'

/**
 * Checks results: `{ name, texts, move?, names?, gone?, alone? }`. `texts` maps paths (before the case) to texts after
 * it, `names` are the new and old name in a rename, `gone` are deleted files. Results that are expected to have errors
 * are checked `alone`.
 */
export class Checker {
  #project
  #folder
  #pool
  #pristine
  #errorsBefore
  #free = []
  #made = 0
  /** The number of compiler runs. */
  runs = 1

  /** `pool` limits the number of parallel jobs; each has a separate copy of the project. */
  constructor(project, folder, pool) {
    this.#project = project
    this.#folder = folder
    this.#pool = pool
  }

  /** Returns the number of errors in the unchanged project. */
  async start() {
    const place = this.#take()
    this.#pristine = read(place)
    this.#errorsBefore = count(await this.#pool(() => errorsIn(place)), [])
    this.#free.push(place)
    return [...this.#errorsBefore.values()].reduce((sum, more) => sum + more, 0)
  }

  /**
   * Returns the new errors of each result, by name. Results without common lines are checked together. If there are
   * errors, the few results whose names they mention, or which change a file with an error, are checked alone;
   * otherwise the group is split in half. Checking a large project takes half a minute, and there are about a hundred
   * results, most of which change the same few files.
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

  /** Writes the largest group of results without common lines into a copy of the project. Returns its size. */
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

  /** Writes the results of a group. Returns a function that reverts them. */
  #apply(group, place) {
    const lines = new Map()
    for (const { texts } of group) {
      for (const [path, text] of texts) lines.set(path, merged(this.#before(path), lines.get(path), text))
    }
    const moved = (path) => group.reduce((path, { move }) => movedPath(path, move), path)
    const gone = new Set(group.flatMap((result) => result.gone ?? []))
    const changed = [...this.#pristine.keys()].filter((path) => gone.has(path) || lines.has(path) || moved(path) !== path)
    const made = [...lines.keys()].filter((path) => !this.#pristine.has(path))
    for (const path of changed) rmSync(join(place, path))
    const staying = changed.filter((path) => !gone.has(path))
    for (const path of staying) write(join(place, moved(path)), lines.get(path) ?? this.#pristine.get(path))
    for (const path of made) write(join(place, path), lines.get(path))
    return () => {
      for (const path of made) rmSync(join(place, path))
      for (const path of staying) rmSync(join(place, moved(path)))
      for (const path of changed) write(join(place, path), this.#pristine.get(path))
    }
  }
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Returns the results that pass the test, if there are few enough to check each alone. */
function few(group, test) {
  const found = group.filter(test)
  return found.length > 0 && found.length <= Math.max(1, Math.log2(group.length)) ? found : undefined
}

/** Returns whether an error mentions the name that the result changes. */
const isSaid = ({ names }, errors) => names !== undefined && errors.some((error) => whole(names[1]).test(error.slice(error.indexOf(': '))))

/** Returns whether an error is in a file that the result changes. */
const isNamed = ({ texts }, errors) => errors.some((error) => [...texts.keys()].some((path) => error.startsWith(`${path}: `)))

/** Merges the lines of two results that have no changed lines in common. */
function merged(before, already, text) {
  if (already === undefined || already === before) return text
  const [lines, others, all] = [before, text, already].map((text) => text.split('\n'))
  return all.map((line, at) => (others[at] === lines[at] ? line : others[at])).join('\n')
}

/** Groups results such that no two in a group change the same line, move the same path, or use the same names. */
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
  // The new names in errors are replaced by the old ones, so each name may occur in one result only.
  if (a.names && b.names && a.names.some((name) => b.names.includes(name))) return true
  for (const [path, lines] of a.lines) {
    const others = b.lines.get(path)
    if (others && (lines.has(0) || others.has(0) || [...lines].some((line) => others.has(line)))) return true
  }
  return false
}

const within = (a, b) => a === b || a.startsWith(b + '/') || b.startsWith(a + '/')

/** Returns the compiler's errors for a folder, one per line. */
function errorsIn(folder) {
  const options = ['--noEmit', '--pretty', 'false', '--singleThreaded']
  return new Promise((resolve, reject) => {
    execFile(nativeCompiler(), options, { cwd: folder, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error && (typeof error.code !== 'number' || error.code > 2)) reject(new Error(`tsc: ${error.message} ${stderr}`))
      else resolve(stdout.split('\n').filter((line) => /\berror TS\d+:/.test(line)))
    })
  })
}

/** Counts equal errors, without line and column, with the paths and names before the results. */
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

/** A pattern for a name that is not part of a longer one. */
const whole = (name) => new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')

/** A path without its extension, as in error messages. */
const bare = (path) => path.replace(/\.[cm]?tsx?$/, '')
