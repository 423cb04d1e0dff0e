// The packages whose sources are renamed and moved in.

import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { E2E } from './tree.mjs'

/** Every project with the version of its package that is installed. */
export function projects() {
  const files = readdirSync(join(E2E, 'projects')).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => {
    const project = JSON.parse(readFileSync(join(E2E, 'projects', file), 'utf8'))
    const { version } = JSON.parse(readFileSync(join(E2E, 'node_modules', project.package, 'package.json'), 'utf8'))
    return { ...project, version }
  })
}
