// Creates a project from the sources of a package: node make.mjs PACKAGE FOLDER
// Prints the calls that `cargo xtask prove packages` measures in it.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { E2E, makeProject } from './harness/tree.mjs'

const [name, folder] = process.argv.slice(2)
const project = JSON.parse(readFileSync(join(E2E, 'projects', `${name}.json`), 'utf8'))
makeProject(project, resolve(folder))
console.log(JSON.stringify(project.bench))
