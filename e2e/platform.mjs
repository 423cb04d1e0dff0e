// Lists the names that the language and its platforms declare, for the TypeScript pack. They are taken from the
// declarations that come with the compiler.
//
//   node platform.mjs > ../plugins/languages/typescript/src/infer/platform.txt
//   node platform.mjs members > ../plugins/languages/typescript/src/infer/members.txt

import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import ts from 'typescript'

const library = dirname(createRequire(import.meta.url).resolve('typescript'))
/** Declarations for hosts other than browsers, workers and Node. */
const isForeign = (file) => file.includes('scripthost')
const DECLARATION = /^(?:declare )?(?:abstract )?(?:interface|var|let|const|function|namespace|class|type) ([A-Za-z_$][\w$]*)/gm

const files = readdirSync(library).filter((file) => /^lib\..*\.d\.ts$/.test(file) && !isForeign(file))
const texts = files.map((file) => readFileSync(join(library, file), 'utf8'))

/** Names of globals. */
const globals = () => texts.flatMap((text) => [...text.matchAll(DECLARATION)].map(([, name]) => name))

/** Members of all interfaces, and declarations in namespaces. */
const members = () => texts.flatMap((text) => {
  const found = []
  const visit = (node) => {
    const isDeclared = ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)
    const isMember = isDeclared || ts.isTypeElement(node) || ts.isClassElement(node)
    if (isMember && node.name && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) found.push(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('lib.d.ts', text, ts.ScriptTarget.Latest))
  return found
})

const names = new Set(process.argv[2] === 'members' ? members() : globals())
process.stdout.write([...names].sort((a, b) => (a < b ? -1 : 1)).join('\n') + '\n')
