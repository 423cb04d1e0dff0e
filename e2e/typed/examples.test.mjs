// Programs in pages: which blocks are programs, and what they must print.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples } from './examples.mjs'

const block = (language, text) => `Text.\n\n\`\`\`${language}\n${text}\`\`\`\n`

test('blocks of both languages are programs', () => {
  const page = block('ts', 'a\n') + block('sh', 'b\n') + block('python', 'c\n')
  const { typescript, python } = examples([{ page: 'docs/a-b.md', text: page }])
  assert.deepEqual(typescript, [{ page: 'docs/a-b.md', name: 'docs_a_b_md_0.ts', text: 'a\n', output: undefined }])
  assert.deepEqual(python, [{ page: 'docs/a-b.md', name: 'docs_a_b_md_2.py', text: 'c\n', output: undefined }])
})

test('a block of text has the output of the program before it', () => {
  const page = block('ts', 'a\n') + block('text', 'one\n\ntwo\n') + block('text', 'other\n') + block('ts', 'b\n')
  const outputs = examples([{ page: 'p', text: page }]).typescript.map(({ output }) => output)
  assert.deepEqual(outputs, ['one\n\ntwo\n', undefined])
})

test('programs of different pages have different names', () => {
  const pages = ['a/README.md', 'b/README.md'].map((page) => ({ page, text: block('ts', 'x\n') + block('ts', 'y\n') }))
  const names = examples(pages).typescript.map(({ name }) => name)
  assert.equal(new Set(names).size, 4)
})

test('backquotes inside of a line do not end a block', () => {
  const { typescript } = examples([{ page: 'p', text: block('ts', 'const a = `\\`\\`\\``\n') }])
  assert.equal(typescript.length, 1)
})
