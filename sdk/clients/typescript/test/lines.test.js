// Lines of a stream, for all ways to split it into chunks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LineReader } from '../src/lines.js'

/** The lines of chunks. */
function linesOf(chunks) {
  const lines = []
  const reader = new LineReader((line) => lines.push(line))
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  return lines
}

test('chunks do not change the lines', () => {
  const bytes = Buffer.from('one\n\n{"a": "é☃"}\r\n\u2028x\u2029\nrest')
  const expected = ['one', '{"a": "é☃"}\r', '\u2028x\u2029']
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]
      assert.deepEqual(linesOf(chunks), expected, `${first} ${second}`)
    }
  }
})

test('a line is passed on when it is complete', () => {
  assert.deepEqual(linesOf(['a', 'b']), [])
  assert.deepEqual(linesOf(['a', 'b', '\n']), ['ab'])
})
