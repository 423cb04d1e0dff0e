// Reports the results of a run: a line per case with its failures, and everything as JSON and Markdown.

/** Returns the reasons why a case fails; empty if it passes. */
export function failures(outcome) {
  const wrong = [...outcome.faults]
  for (const [peer, { unexplained = [] }] of Object.entries(outcome.peers)) {
    if (unexplained.length > 0) wrong.push(`${unexplained.length} lines different from ${peer}, without a reason`)
  }
  if (outcome.newErrorsCompleted?.length > 0) wrong.push(`${outcome.newErrorsCompleted.length} new type errors`)
  if (outcome.newErrors?.length > 0 && outcome.marq.completeness === 'complete') {
    wrong.push(`${outcome.newErrors.length} new type errors after an answer that says it is complete`)
  }
  return wrong
}

/** Formats a case as one line. */
export function line(outcome) {
  const { marq, peers } = outcome
  const size = ({ files, edits, error }) => (error ? 'refused' : `${files}/${edits}`)
  const columns = [
    outcome.name.padEnd(46),
    size(marq).padStart(10),
    ...Object.values(peers).map((peer) => size(peer).padStart(10)),
    verdict(outcome).padStart(24),
    String(outcome.newErrors?.length ?? '').padStart(6),
    `${marq.ms.toFixed(0)}`.padStart(7),
    ...Object.values(peers).map(({ ms }) => ms.toFixed(0).padStart(7)),
  ]
  return columns.join(' ')
}

export const HEAD = [
  'case'.padEnd(46),
  ...['marq', 'tsserver', 'native'].map((name) => name.padStart(10)),
  'answers'.padStart(24),
  'errors'.padStart(6),
  ...['ms', 'ms', 'ms'].map((name) => name.padStart(7)),
].join(' ')

function verdict({ marq, peers }) {
  const words = new Set()
  for (const { unexplained = [], explained = [], error, left } of Object.values(peers)) {
    if (unexplained.length > 0) words.add('DIFFERENT')
    else if (explained.length > 0 || error) words.add('reason')
    if (left > 0) words.add(`left ${left}/${marq.left}`)
  }
  return words.size === 0 ? 'same' : [...words].join(', ')
}

/** Formats the failures in detail. */
export function details(outcome, most = 6) {
  const lines = failures(outcome).map((wrong) => `    ${wrong}`)
  for (const [peer, { unexplained = [] }] of Object.entries(outcome.peers)) {
    for (const { path, line, ours, theirs } of unexplained.slice(0, most)) {
      lines.push(`    ${path}:${line}`, `      marq      ${ours?.trim()}`, `      ${peer.padEnd(9)} ${theirs?.trim()}`)
    }
  }
  for (const error of (outcome.newErrorsCompleted ?? []).slice(0, most)) lines.push(`    ${error}`)
  for (const [peer, { newErrors }] of Object.entries(outcome.peers)) {
    if (newErrors) lines.push(`    ${newErrors.length} new type errors after the answer of ${peer}`)
    for (const error of (newErrors ?? []).slice(0, 2)) lines.push(`      ${error}`)
  }
  return lines
}

/** Formats the table and the reasons as Markdown. */
export function markdown(runs) {
  const out = []
  for (const { project, outcomes } of runs) {
    out.push(`## ${project.package} ${project.version}`, '')
    out.push('| case | marq | tsserver | native | answers | new errors | ms: marq, tsserver, native |', '| --- | --- | --- | --- | --- | --- | --- |')
    for (const outcome of outcomes) out.push(row(outcome))
    const why = outcomes.flatMap(({ name, peers }) => {
      const explanations = new Set(Object.values(peers).flatMap(({ explained = [] }) => explained.map(({ why }) => why)))
      return [...explanations].map((why) => `- ${name}: ${why}`)
    })
    if (why.length > 0) out.push('', 'Where the answers differ:', '', ...why)
    out.push('')
  }
  return out.join('\n')
}

function row(outcome) {
  const { marq, peers } = outcome
  const size = ({ files, edits, error }) => (error ? 'refused' : `${files} files, ${edits} lines`)
  const times = [marq, ...Object.values(peers)].map(({ ms }) => ms.toFixed(0)).join(', ')
  const cells = [outcome.name, size(marq), ...Object.values(peers).map(size), verdict(outcome), outcome.newErrors?.length ?? '–', times]
  return `| ${cells.join(' | ')} |`
}
