// Folders of text: created for a run, read as a whole, compared byte for byte.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

export const E2E = dirname(import.meta.dirname)
const MODULES = join(E2E, 'node_modules')

/** Creates a temporary folder that is deleted at exit. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'marq-e2e-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Reads every file below a folder: path to bytes. Skips installed packages and symbolic links. */
export function read(folder) {
  const files = new Map()
  const visit = (at) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name)
      if (entry.isDirectory() && entry.name !== 'node_modules') visit(path)
      else if (entry.isFile()) files.set(relative(folder, path), readFileSync(path))
    }
  }
  visit(folder)
  return files
}

/** Lists all folders, including empty ones. */
export function folders(folder) {
  const found = []
  const visit = (at) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name === 'node_modules') continue
      found.push(relative(folder, join(at, entry.name)))
      visit(join(at, entry.name))
    }
  }
  visit(folder)
  return found.sort()
}

/** Returns the paths at which two trees differ. */
export function unequal(a, b) {
  const paths = new Set([...a.keys(), ...b.keys()])
  return [...paths].filter((path) => !(a.has(path) && b.has(path) && a.get(path).equals(b.get(path)))).sort()
}

/** Creates a project from a package's own sources in a new folder. */
export function makeProject(project, folder) {
  const source = join(MODULES, project.package)
  const left = new Set(['node_modules', ...(project.without ?? [])])
  mkdirSync(folder, { recursive: true })
  for (const path of project.sources) {
    cpSync(join(source, path), join(folder, path), {
      recursive: true,
      filter: (from) => !left.has(relative(source, from)),
    })
  }
  const overlay = join(E2E, 'projects', project.package)
  if (project.overlay) cpSync(overlay, folder, { recursive: true })
  for (const [path, content] of Object.entries(project.files)) {
    writeFileSync(join(folder, path), JSON.stringify(content, null, 2) + '\n')
  }
  linkPackages(project, folder)
}

/**
 * Links the dependencies of the project, but not the project itself, whose built declarations would replace its
 * sources.
 */
function linkPackages(project, folder) {
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(MODULES)) {
    const own = name === project.package || name.startsWith('.') || name.startsWith('typescript')
    if (!own) symlinkSync(join(MODULES, name), join(folder, 'node_modules', name))
  }
}
