// Tokens (cl100k) of the lists of tools and of the answers to fifty typical calls, as clients show them to a model.

import { stdio } from './sdk.mjs'
import { TYPICAL } from './calls.mjs'

/** Maximum number of tokens of the list of tools that agents get by default, and of the core list. */
const MOST = { all: 4600, core: 1750 }
/** Clients that support structured content show only that; others show the text. All clients show the text of errors. */
const shows = {
  'structured content, where there is any': (answer) => answer.structuredContent && !answer.isError ? JSON.stringify(answer.structuredContent) : shows.text(answer),
  text: (answer) => answer.content.map((block) => block.text).join('\n'),
}

/** Returns the table, and the figures that are above their limits. */
export async function table(load, program, root) {
  const { encode } = load('gpt-tokenizer/encoding/cl100k_base')
  const tokens = (text) => encode(text).length
  const rows = []
  const lists = []
  for (const answers of ['text', 'structured', 'both']) {
    const client = await stdio(load, program, root, ['--answers', answers])
    const all = []
    for (const call of TYPICAL) all.push(await client.callTool(call))
    for (const [what, show] of Object.entries(shows)) {
      const sizes = all.map((answer) => tokens(show(answer)))
      const group = (name) => sizes.filter((_, index) => name(TYPICAL[index].name)).reduce((sum, size) => sum + size, 0)
      const changes = (name) => name.startsWith('file_') && !['file_read', 'file_history'].includes(name)
      rows.push([answers, what, group((name) => name === 'file_read'), group(changes), group((name) => ['query', 'file_history'].includes(name)), group(() => true)])
    }
    lists.push([answers, 'all', tokens(JSON.stringify((await client.listTools()).tools))])
    await client.close()
  }
  const core = await stdio(load, program, root, ['--tools', 'core'])
  lists.push(['text', 'core', tokens(JSON.stringify((await core.listTools()).tools))])
  await core.close()
  const line = (cells) => `| ${cells.join(' | ')} |`
  const head = ['`--answers`', 'the client shows', '25 reads', '16 changes', '9 questions', 'all 50']
  const listed = ['`--answers`', '`--tools`', 'the list of tools']
  const exceeded = lists
    .filter(([answers, tools, size]) => answers === 'text' && size > MOST[tools])
    .map(([, tools, size]) => `the list of tools (${tools}) has ${size} tokens, more than ${MOST[tools]}`)
  const text = [
    line(head), line(['---', '---', '---:', '---:', '---:', '---:']), ...rows.map(line), '',
    line(listed), line(['---', '---', '---:']), ...lists.map(line),
  ].join('\n')
  return { text, exceeded }
}
