// Runs one operation with ts-morph, like a program that uses it: node tsmorph.mjs FOLDER OPERATION FILE DESTINATION
// NAME NEW-NAME
// Prints milliseconds since the start of the process, the same for a second run if possible, and MiB.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Project } from 'ts-morph'

const [folder, operation, from, to, name, newName] = process.argv.slice(2)
const project = new Project({ tsConfigFilePath: join(folder, 'tsconfig.json') })
const file = project.getSourceFileOrThrow(join(folder, from))
const symbol = () => file.getFunctionOrThrow((node) => [name, newName].includes(node.getName()))

const operations = {
  move: () => void file.move(join(folder, to)),
  rename: () => void symbol().rename(symbol().getName() === name ? newName : name),
  references: () => symbol().findReferencesAsNodes().length,
}

operations[operation]()
const cold = performance.now()
let warm
// ts-morph cannot move a file back: that fails with "already exists".
if (operation !== 'move') {
  operations[operation]()
  warm = performance.now() - cold
}
const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
console.log(JSON.stringify({ cold, warm, memory }))
