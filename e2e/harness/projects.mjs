// The packages whose sources are used for moves and renames.

import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { E2E } from './tree.mjs'

/** Returns every project with the installed version of its package. */
export function projects() {
  const files = readdirSync(join(E2E, 'projects')).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => {
    const project = JSON.parse(readFileSync(join(E2E, 'projects', file), 'utf8'))
    const { version } = JSON.parse(readFileSync(join(E2E, 'node_modules', project.package, 'package.json'), 'utf8'))
    return { ...project, version }
  })
}
