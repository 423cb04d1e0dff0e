// Creates a small project with a file for every server, and with installed servers: links to the ones in
// `e2e/servers/package-lock.json`.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const HERE = import.meta.dirname
const MODULES = join(HERE, 'node_modules')

const SCHEMA = {
  type: 'object',
  properties: { size: { type: 'number', description: 'How large the thing is.' }, name: { type: 'string' } },
}

/** The files. Text after `ö😀` distinguishes bytes, characters and UTF-16 code units. */
export const FILES = {
  'tsconfig.json': `{
  // This file may contain comments.
  "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "types": [] },
  "include": ["src"]
}
`,
  'package.json': '{ "name": "things", "type": "module", "private": true }\n',
  'src/thing.ts': `/** A thing with a label. */
export interface Thing {
  label: string
  next?: Thing
}

export class Box {
  constructor(private readonly thing: Thing) {}

  open(): Thing {
    return this.thing
  }
}

export function make(label: string): Thing {
  return { label }
}
`,
  'src/use.ts': `import { Box, make } from './thing.js'

const box = new Box(make('one'))
export const shown = ['ö😀', box.open().label.toUpperCase()]
export const other = { label: 1 }
`,
  'src/wrong.ts': `import { make } from './thing.js'

export const wrong: number = make('x').label
`,
  'thing.schema.json': JSON.stringify(SCHEMA, null, 2) + '\n',
  'thing.json': '{\n  "$schema": "./thing.schema.json",\n  "size": "big"\n}\n',
  'thing.yaml': '# yaml-language-server: $schema=./thing.schema.json\nsize: big\n',
  'style.css': 'a {\n  colour: red;\n  color: red;\n}\n',
  'page.html': '<!doctype html>\n<table>\n  <tr></tr>\n</table>\n<style>\n  a { colour: red; }\n</style>\n',
}

const scratch = mkdtempSync(join(tmpdir(), 'marq-servers-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))

/**
 * Creates a project.
 * @param {string} name
 * @param {{ programs?: string[], packages?: string[], scripts?: Record<string, string>, files?: Record<string, string>
 * }} has
 */
export function makeProject(name, { programs = [], packages = [], scripts = {}, files = {} } = {}) {
  const folder = join(scratch, name, 'things')
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const link = (path) => {
    const to = join(folder, 'node_modules', path)
    mkdirSync(dirname(to), { recursive: true })
    if (!existsSync(join(MODULES, path))) throw new Error(`${path} is not installed: run \`npm ci\` in e2e/servers`)
    symlinkSync(join(MODULES, path), to)
  }
  for (const [path, text] of Object.entries({ ...FILES, ...files })) write(path, text)
  for (const program of programs) link(`.bin/${program}`)
  for (const path of packages) link(path)
  for (const [program, text] of Object.entries(scripts)) {
    write(`node_modules/.bin/${program}`, text)
    chmodSync(join(folder, 'node_modules/.bin', program), 0o755)
  }
  return { folder, state: join(scratch, name, 'state') }
}

/** Returns the current texts of a project. */
export function texts({ folder }) {
  return Object.fromEntries(Object.keys(FILES).map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** Returns the position of a word in a file in the form of the tools: lines from 1, columns from 0. */
export function placeOf(path, before, word) {
  const at = FILES[path].indexOf(before + word)
  if (at < 0) throw new Error(`no ${before}${word} in ${path}`)
  const lines = FILES[path].slice(0, at + before.length).split('\n')
  return { line: lines.length, column: lines.at(-1).length }
}

/** Returns the processes in the folder of a project, except marq: ids and command lines. */
export function processes({ folder }) {
  const found = []
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${id}/cwd`) !== folder || readlinkSync(`/proc/${id}/exe`).endsWith('/marq')) continue
      found.push({ id: Number(id), command: readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() })
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return found
}
