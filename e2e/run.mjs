// Compares marq with TypeScript's own servers on the sources of packages, and checks links that no server updates.
//
//   node run.mjs [--marq PROGRAM] [--only PACKAGE] [--case TEXT] [--out FOLDER] [--answers] [--judge]
//
// With --answers, type checks are skipped, which take most of the time. With --judge, the answers of the servers are
// type-checked as well where they differ from ours, which helps to write reasons.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Checker } from './harness/checker.mjs'
import { pool } from './harness/pool.mjs'
import { examine, verdicts } from './harness/project.mjs'
import { projects } from './harness/projects.mjs'
import { HEAD, details, failures, line, markdown } from './harness/report.mjs'
import { E2E, scratch } from './harness/tree.mjs'
import { unseen } from './harness/unseen.mjs'

const { values: flags } = parseArgs({
  options: {
    marq: { type: 'string', default: join(E2E, '../target/debug/marq') },
    out: { type: 'string', default: join(E2E, '../target/e2e') },
    only: { type: 'string' },
    case: { type: 'string' },
    answers: { type: 'boolean', default: false },
    judge: { type: 'boolean', default: false },
  },
})

async function main() {
  const started = performance.now()
  const folder = scratch()
  const all = projects().filter((project) => !flags.only || project.package === flags.only)
  // The servers run one after the other, so that their times are meaningful; then the type checks, two at a time.
  const runs = []
  for (const project of all) {
    process.stdout.write(`    ${project.package} ${project.version}\n`)
    const examined = await examine(project, { marq: flags.marq, folder: join(folder, project.package), only: flags.case })
    runs.push({ project, ...examined })
  }
  if (!flags.answers) await typeCheck(runs, folder)
  const plain = flags.only ? [] : await unseen({ marq: flags.marq, folder, only: flags.case })
  const wrong = print(runs, plain)
  keep(runs, plain)
  console.log(`\n${wrong === 0 ? 'all checks passed' : `${wrong} cases fail`}, ${((performance.now() - started) / 1000).toFixed(0)} s`)
  process.exitCode = wrong === 0 ? 0 : 1
}

async function typeCheck(runs, folder) {
  process.stdout.write('    the type checks\n')
  const jobs = pool(2)
  await Promise.all(
    runs.map(async (run) => {
      const checker = new Checker(run.project, join(folder, run.project.package), jobs)
      run.errorsBefore = await checker.start()
      await verdicts(run.outcomes, checker, flags.judge)
      process.stdout.write(`    ${run.project.package}: ${checker.runs} runs of the compiler\n`)
    }),
  )
}

/** Prints all results. Returns the number of failed cases. */
function print(runs, plain) {
  let wrong = 0
  for (const { project, outcomes, stale, errorsBefore } of runs) {
    console.log(`\n${project.package} ${project.version} (files/lines changed; ${errorsBefore ?? '?'} type errors before)\n${HEAD}`)
    for (const outcome of outcomes) {
      console.log(line(outcome))
      if (failures(outcome).length > 0) wrong++
      for (const detail of details(outcome)) console.log(detail)
    }
    for (const place of stale) console.log(`    a reason that does not apply: ${place}`)
    wrong += stale.length
  }
  if (plain.length > 0) console.log('\nwhat no server updates')
  for (const { name, faults } of plain) {
    console.log(`${name.padEnd(46)} ${faults.length === 0 ? 'as expected' : 'DIFFERENT'}`)
    for (const fault of faults) console.log(`    ${fault}`)
    if (faults.length > 0) wrong++
  }
  return wrong
}

/** An outcome without whole texts. */
function plainly({ texts, completed, left, peers, ...outcome }) {
  const withoutTexts = Object.entries(peers).map(([peer, { texts, ...rest }]) => [peer, rest])
  return { ...outcome, left: [...(left ?? [])], peers: Object.fromEntries(withoutTexts) }
}

/** Writes the results as JSON and Markdown. */
function keep(runs, plain) {
  mkdirSync(flags.out, { recursive: true })
  const slim = runs.map(({ project, outcomes, stale, errorsBefore }) => ({
    package: project.package,
    version: project.version,
    errorsBefore,
    stale,
    outcomes: outcomes.map((outcome) => ({ ...plainly(outcome), failures: failures(outcome) })),
  }))
  writeFileSync(join(flags.out, 'report.json'), JSON.stringify({ runs: slim, unseen: plain }, null, 2) + '\n')
  writeFileSync(join(flags.out, 'report.md'), markdown(runs))
}

await main()
