// The names that the language and its platforms declare, for the TypeScript pack: taken from the declarations that come with
// the compiler.
//
//   node platform.mjs > ../plugins/languages/typescript/src/infer/platform.txt

import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'

const library = dirname(createRequire(import.meta.url).resolve('typescript'))
/** What other hosts than browsers, workers and Node have. */
const isForeign = (file) => file.includes('scripthost')
const DECLARATION = /^(?:declare )?(?:abstract )?(?:interface|var|let|const|function|namespace|class|type) ([A-Za-z_$][\w$]*)/gm

const names = new Set()
for (const file of readdirSync(library).filter((file) => /^lib\..*\.d\.ts$/.test(file) && !isForeign(file))) {
  for (const [, name] of readFileSync(join(library, file), 'utf8').matchAll(DECLARATION)) names.add(name)
}
process.stdout.write([...names].sort((a, b) => (a < b ? -1 : 1)).join('\n') + '\n')
