// Small programs as text: `behavior/FAMILY.txt`.
//
//   ==== TITLE
//   $NAME = a text           several lines with the same name give several programs
//   //- /main.mjs            the file that runs; other files follow
//   log($NAME);
//
// A template gives one program for each combination of its texts. `log` is a global function that records its arguments
// and returns the first one.

import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { E2E } from './tree.mjs'

const FOLDER = join(E2E, 'behavior')

/** Reads all programs: `{ family, title, files }`, where `files` maps paths to texts and the first file runs. */
export function programs() {
  const families = readdirSync(FOLDER).filter((name) => name.endsWith('.txt')).sort()
  return families.flatMap((name) => parsePrograms(basename(name, '.txt'), readFileSync(join(FOLDER, name), 'utf8')))
}

/** Parses the text of a family. */
export function parsePrograms(family, text) {
  const templates = text.split(/^==== /m).slice(1)
  return templates.flatMap((template) => {
    const [title, ...lines] = template.split('\n')
    const choices = new Map()
    const files = new Map()
    let file
    for (const line of lines) {
      const choice = file === undefined && /^\$([A-Z]+) = (.*)$/.exec(line)
      if (choice) choices.set(choice[1], [...(choices.get(choice[1]) ?? []), choice[2]])
      else if (line.startsWith('//- /')) files.set((file = line.slice('//- /'.length).trim()), [])
      else if (file !== undefined) files.get(file).push(line)
      else if (line.trim()) throw new Error(`${family}: \`${line}\` is not in a file`)
    }
    return combinations([...choices]).map((values) => ({
      family,
      title: [title.trim(), ...values.values()].join(' · '),
      files: withSettings(new Map([...files].map(([path, lines]) => [path, substitute(`${lines.join('\n').trim()}\n`, values, family)]))),
    }))
  })
}

/** Adds the settings of TypeScript, so that new imports have the paths that Node needs. */
function withSettings(files) {
  if (![...files.keys()].some((path) => path.endsWith('.ts'))) return files
  const settings = { compilerOptions: { module: 'nodenext', target: 'es2022' } }
  return new Map([...files, ['package.json', '{ "type": "module" }\n'], ['tsconfig.json', JSON.stringify(settings)]])
}

/** Returns every combination of one text for each name. */
function combinations([first, ...others]) {
  if (!first) return [new Map()]
  const [name, texts] = first
  return texts.flatMap((text) => combinations(others).map((values) => new Map([[name, text], ...values])))
}

/** Replaces the names; a text may itself contain names that are declared later. */
function substitute(text, values, family) {
  let result = text
  for (const [name, value] of values) result = result.replaceAll(new RegExp(`\\$${name}\\b`, 'g'), () => value)
  const unknown = /\$[A-Z]{2,}\b/.exec(result)
  if (unknown) throw new Error(`${family}: ${unknown[0]} has no text`)
  return result
}
