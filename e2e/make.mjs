// The sources of a package as a project of its own: node make.mjs PACKAGE FOLDER
// Prints what `cargo xtask bench packages` does with it.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { E2E, makeProject } from './harness/tree.mjs'

const [name, folder] = process.argv.slice(2)
const project = JSON.parse(readFileSync(join(E2E, 'projects', `${name}.json`), 'utf8'))
makeProject(project, resolve(folder))
console.log(JSON.stringify(project.bench))
