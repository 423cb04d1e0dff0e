// What answers cost a model: fifty typical calls, by what is sent and by what a client shows of it. Four bytes are one token.

import { stdio } from './sdk.mjs'
import { TYPICAL } from './calls.mjs'

const tokens = (text) => Math.round(Buffer.byteLength(text) / 4)
/** Clients that have structured content show that alone; others show the text. Of errors all show the text. */
const shows = {
  'structured content, where there is any': (answer) => answer.structuredContent && !answer.isError ? JSON.stringify(answer.structuredContent) : shows.text(answer),
  text: (answer) => answer.content.map((block) => block.text).join('\n'),
}

/** The table. */
export async function table(load, program, root) {
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
    lists.push([answers, 'all', tokens(JSON.stringify(await client.listTools()))])
    await client.close()
  }
  const core = await stdio(load, program, root, ['--tools', 'core'])
  lists.push(['text', 'core', tokens(JSON.stringify(await core.listTools()))])
  await core.close()
  const line = (cells) => `| ${cells.join(' | ')} |`
  const head = ['`--answers`', 'the client shows', '25 reads', '16 changes', '9 questions', 'all 50']
  const listed = ['`--answers`', '`--tools`', 'the list of tools']
  return [
    line(head), line(['---', '---', '---:', '---:', '---:', '---:']), ...rows.map(line), '',
    line(listed), line(['---', '---', '---:']), ...lists.map(line),
  ].join('\n')
}
