// Installs the clients, at the versions pinned here, below `target/e2e/clients`.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const HERE = fileURLToPath(new URL('.', import.meta.url))
export const TARGET = join(HERE, '../../target/e2e/clients')

/** Runs `make` unless `stamp` already contains the same text. */
function once(folder, stamp, text, make) {
  const file = join(folder, stamp)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(folder, { recursive: true })
  make()
  writeFileSync(file, text)
}

/** Installs the npm packages. Returns a function that loads them, and one that finds their programs. */
export function npm() {
  const folder = join(TARGET, 'npm')
  const lock = readFileSync(join(HERE, 'package-lock.json'), 'utf8')
  once(folder, '.installed', lock, () => {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(HERE, file), join(folder, file))
    execFileSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'], { stdio: 'inherit' })
  })
  const load = createRequire(join(folder, 'package.json'))
  return { load, program: (name) => join(folder, 'node_modules/.bin', name) }
}

/** Creates a Python environment with the packages of a requirements file. */
export function python(name, requirements) {
  const folder = join(TARGET, name)
  const wanted = readFileSync(join(HERE, requirements), 'utf8')
  const program = join(folder, 'bin/python')
  once(folder, '.installed', wanted, () => {
    execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: 'inherit' })
    execFileSync(program, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', join(HERE, requirements)], { stdio: 'inherit' })
  })
  return program
}
