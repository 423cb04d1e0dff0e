#!/usr/bin/env node
// A server for tests: each method behaves in one way.

import { Buffer } from 'node:buffer'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const cancelled = new Map()
/** The requests that a client asked to cancel. */
const received = new Set()
const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

const METHODS = {
  echo: (id, params) => send({ id, result: params }),
  flags: (id) => send({ id, result: { args: process.argv.slice(2), cwd: process.cwd(), env: process.env.FAKE } }),
  refuse: (id) => {
    const data = { kind: 'Stale', message: 'the file changed', hint: 'read it again', candidates: ['a', 'b'] }
    send({ id, error: { code: -32008, message: data.message, data } })
  },
  bare: (id) => send({ id, error: { code: -32603, message: 'no data' } }),
  progress: (id, { workDoneToken: token }) => {
    if (token !== undefined) {
      send({ method: '$/progress', params: { token, value: { kind: 'begin', title: 'Work', cancellable: true } } })
      for (const done of [1, 2]) {
        const value = { kind: 'report', cancellable: true, message: `step ${done}/2`, done, total: 2 }
        send({ method: '$/progress', params: { token, value } })
      }
      send({ method: '$/progress', params: { token, value: { kind: 'end' } } })
    }
    send({ id, result: { token: token !== undefined } })
  },
  wait: (id) => {
    cancelled.set(id, () => {
      const data = { kind: 'Cancelled', message: 'the call was cancelled', hint: null, candidates: [] }
      send({ id, error: { code: -32800, message: data.message, data } })
    })
  },
  cancellations: (id) => send({ id, result: [...received] }),
  // The change is complete when the cancellation arrives.
  committed: (id) => cancelled.set(id, () => send({ id, result: { success: true } })),
  pieces: async (id) => {
    const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result: 'é☃\u2028\u2029end' })}\n\n`)
    for (const byte of bytes) {
      process.stdout.write(Buffer.of(byte))
      await pause()
    }
  },
  together: (id) => {
    const line = (id, result) => `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`
    // A response to an unknown request, and the last one of two lines in one chunk.
    process.stdout.write(line(9999, 'other') + line(id, 'mine'))
  },
  large: (id, { bytes }) => send({ id, result: 'x'.repeat(bytes) }),
  die: () => process.stderr.write('out of luck\n', () => process.exit(3)),
  garbage: () => process.stdout.write('this is not JSON\n'),
  slowly: (id) => setTimeout(() => send({ id, result: 'done' }), 200),
  stay: (id) => {
    setInterval(() => {}, 1000)
    send({ id, result: null })
  },
}

let text = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  text += chunk
  const lines = text.split('\n')
  text = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (method === '$/cancelRequest') {
      received.add(params.id)
      cancelled.get(params.id)?.()
    } else METHODS[method](id, params)
  }
})
