// The methods: each calls its tool with its arguments and options.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tools } from '../src/tools.js'

class Recorder extends Tools {
  call(...given) {
    return given
  }
}

const methods = Object.getOwnPropertyNames(Tools.prototype).filter((name) => name !== 'constructor')

test('methods have the names of the tools', () => {
  assert.ok(methods.length >= 11, `${methods}`)
  const recorder = new Recorder()
  for (const method of methods) {
    const args = { file: 'a' }
    const options = { signal: undefined }
    const tool = method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    assert.deepEqual(recorder[method](args, options), [tool, args, options])
  }
})

test('arguments can be left out if none is required', () => {
  assert.deepEqual(new Recorder().fileUndo(), ['file_undo', {}, undefined])
})
