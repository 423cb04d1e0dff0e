// Errors: their properties, also those that a server leaves out.

import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { MarquetryError, ProcessError } from '../src/index.js'

test('an error of a tool has what the server sent', () => {
  const content = { kind: 'TargetNotFound', message: 'no value', hint: 'use a candidate', candidates: ['$.a'] }
  const error = new MarquetryError(-32002, content)
  assert.ok(error instanceof Error)
  assert.deepEqual({ ...error }, { name: 'MarquetryError', code: -32002, kind: 'TargetNotFound', hint: 'use a candidate', candidates: ['$.a'] })
  assert.equal(String(error), 'MarquetryError: no value')
  assert.match(inspect(error), /hint: 'use a candidate'/)
  assert.ok(!('cause' in error))
})

test('absent parts of an error are undefined or empty', () => {
  for (const rest of [{}, { hint: null, candidates: null }]) {
    const { hint, candidates } = new MarquetryError(-32603, { kind: 'Internal', message: 'm', ...rest })
    assert.deepEqual([hint, candidates], [undefined, []])
  }
})

test('the cause of a cancellation is kept, whatever it is', () => {
  for (const cause of [new Error('enough'), 'text', null]) {
    assert.equal(new MarquetryError(-32800, { kind: 'Cancelled', message: 'm' }, cause).cause, cause)
  }
})

test('an error of the process has its end and its log', () => {
  const { exitCode, signal, log } = new ProcessError('ended', { exitCode: null, signal: 'SIGKILL', log: 'last words' })
  assert.deepEqual([exitCode, signal, log], [null, 'SIGKILL', 'last words'])
  const closed = new ProcessError('closed')
  assert.deepEqual([closed.name, closed.exitCode, closed.signal, closed.log], ['ProcessError', null, null, ''])
})
