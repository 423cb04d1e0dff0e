// The client with a server for tests: messages, progress, cancellation, errors, and the end of the process.

import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Marquetry, MarquetryError, ProcessError } from '../src/index.js'

const SERVER = fileURLToPath(new URL('./server.js', import.meta.url))

/** Runs a test with a client, and closes it. */
function withClient(name, run, options = {}) {
  test(name, async () => {
    const events = []
    const marq = new Marquetry({ program: SERVER, onEvent: (event) => events.push(event), ...options })
    try {
      await run(marq, events)
    } finally {
      await marq.close({ timeout: 2000 })
    }
  })
}

const failure = async (promise) => promise.then(() => assert.fail('the call must fail'), (error) => error)

withClient('arguments are passed as they are', async (marq) => {
  const args = { file: 'a.ts', nested: { from: 1, list: [true, null] }, text: 'é☃\u2028"\\\n' }
  const { workDoneToken, ...rest } = await marq.call('echo', args)
  assert.equal(typeof workDoneToken, 'number')
  assert.deepEqual(rest, args)
})

withClient('undefined is the same as leaving an argument out', async (marq) => {
  assert.deepEqual(await marq.call('echo', { a: undefined, b: 1 }), { b: 1 })
}, { onEvent: undefined })

withClient('arguments of the caller do not change', async (marq) => {
  const args = Object.freeze({ file: 'a' })
  await marq.call('echo', args)
  assert.deepEqual(args, { file: 'a' })
})

withClient('the process gets roots, arguments, folder and environment', async (marq) => {
  const { args, cwd, env } = await marq.call('flags')
  assert.deepEqual(args, ['rpc', '--stdio', '--root', '/one', '--root', '/two', '--write-protected'])
  assert.equal(cwd, dirname(SERVER))
  assert.equal(env, 'yes')
}, { root: ['/one', '/two'], args: ['--write-protected'], cwd: dirname(SERVER), env: { ...process.env, FAKE: 'yes' } })

withClient('one root is a string', async (marq) => {
  assert.deepEqual((await marq.call('flags')).args, ['rpc', '--stdio', '--root', '/one'])
}, { root: '/one' })

withClient('the name of the program is sent with each call', async (marq) => {
  assert.deepEqual(await marq.call('echo', { a: 1 }), { a: 1, clientInfo: { name: 'mine', version: '2' } })
}, { client: { name: 'mine', version: '2' }, onEvent: undefined })

withClient('answers arrive in any order', async (marq) => {
  const order = []
  const calls = ['slowly', 'echo', 'echo'].map((name) => marq.call(name).then(() => order.push(name)))
  await Promise.all(calls)
  assert.deepEqual(order, ['echo', 'echo', 'slowly'])
})

withClient('characters in two chunks and unusual line breaks are read', async (marq) => {
  assert.equal(await marq.call('pieces'), 'é☃\u2028\u2029end')
  assert.equal(await marq.call('together'), 'mine')
})

withClient('large answers are read', async (marq) => {
  const bytes = 8 * 1024 * 1024
  assert.equal((await marq.call('large', { bytes })).length, bytes)
})

withClient('errors have kind, hint and candidates', async (marq) => {
  const error = await failure(marq.call('refuse'))
  assert.ok(error instanceof MarquetryError && error instanceof Error)
  const { kind, code, message, hint, candidates } = error
  assert.deepEqual([kind, code, message, hint, candidates], ['Stale', -32008, 'the file changed', 'read it again', ['a', 'b']])
  assert.match(error.stack, /client\.test\.js/, 'the stack must contain the caller')
})

withClient('errors without data are internal', async (marq) => {
  const { kind, code, message, hint, candidates } = await failure(marq.call('bare'))
  assert.deepEqual([kind, code, message, hint, candidates], ['Internal', -32603, 'no data', undefined, []])
})

withClient('progress is reported to the call and as events', async (marq, events) => {
  const seen = []
  await marq.call('progress', {}, { onProgress: (progress) => seen.push(progress) })
  const steps = [1, 2].map((done) => ({ message: `step ${done}/2`, done, total: 2 }))
  assert.deepEqual(seen, steps)
  const call = { call: 1, tool: 'progress' }
  assert.deepEqual(events, [
    { type: 'begun', ...call },
    ...steps.map((progress) => ({ type: 'progress', ...call, progress })),
    { type: 'ended', ...call, failure: undefined },
  ])
})

withClient('progress is not requested without a listener', async (marq) => {
  assert.deepEqual(await marq.call('progress'), { token: false })
}, { onEvent: undefined })

withClient('an aborted call is cancelled at the server', async (marq, events) => {
  const controller = new AbortController()
  const call = marq.call('wait', {}, { signal: controller.signal })
  await marq.call('echo')
  controller.abort(new Error('enough'))
  const error = await failure(call)
  assert.deepEqual([error.kind, error.code, error.cause.message], ['Cancelled', -32800, 'enough'])
  assert.equal(events.at(-1).failure, 'Cancelled')
})

withClient('a change that is complete when it is aborted has its answer', async (marq) => {
  const controller = new AbortController()
  const call = marq.call('committed', {}, { signal: controller.signal })
  controller.abort()
  assert.deepEqual(await call, { success: true })
})

withClient('a call with an aborted signal is not sent', async (marq, events) => {
  const error = await failure(marq.call('die', {}, { signal: AbortSignal.abort('no') }))
  assert.deepEqual([error.kind, error.cause], ['Cancelled', 'no'])
  assert.deepEqual(events, [])
  await marq.call('echo')
})

withClient('one signal cancels all calls that use it', async (marq) => {
  const controller = new AbortController()
  const calls = ['wait', 'wait', 'wait'].map((name) => failure(marq.call(name, {}, { signal: controller.signal })))
  const other = marq.call('slowly')
  controller.abort()
  assert.deepEqual((await Promise.all(calls)).map(({ kind }) => kind), ['Cancelled', 'Cancelled', 'Cancelled'])
  assert.equal(await other, 'done')
  assert.deepEqual(await marq.call('cancellations'), [1, 2, 3])
})

withClient('a signal that is aborted after the answer cancels nothing', async (marq) => {
  const controller = new AbortController()
  await marq.call('echo', {}, { signal: controller.signal })
  await failure(marq.call('refuse', {}, { signal: controller.signal }))
  controller.abort()
  assert.deepEqual(await marq.call('cancellations'), [])
})

withClient('a timeout is a signal', async (marq) => {
  const error = await failure(marq.call('wait', {}, { signal: AbortSignal.timeout(50) }))
  assert.deepEqual([error.kind, error.cause.name], ['Cancelled', 'TimeoutError'])
})

withClient('a signal has no listeners after its calls', async (marq) => {
  const { signal } = new AbortController()
  let listeners = 0
  for (const [name, step] of [['addEventListener', 1], ['removeEventListener', -1]]) {
    const original = signal[name].bind(signal)
    signal[name] = (...rest) => {
      listeners += step
      return original(...rest)
    }
  }
  await marq.call('echo', {}, { signal })
  await failure(marq.call('refuse', {}, { signal }))
  assert.equal(listeners, 0)
})

withClient('all calls fail if the process ends', async (marq, events) => {
  const [other, error] = await Promise.all([failure(marq.call('wait')), failure(marq.call('die'))])
  assert.ok(error instanceof ProcessError)
  assert.equal(error, other)
  assert.deepEqual([error.exitCode, error.signal, error.log], [3, null, 'out of luck'])
  assert.match(error.message, /server\.js` ended with exit code 3: out of luck$/)
  assert.equal((await failure(marq.call('echo'))).exitCode, 3)
  const ended = events.filter(({ type }) => type === 'ended')
  assert.deepEqual(ended.map(({ failure }) => failure), ['Disconnected', 'Disconnected', 'Disconnected'])
  assert.equal(events.filter(({ type }) => type === 'log').map(({ text }) => text).join(''), 'out of luck\n')
  assert.ok(events.some(({ type, exitCode }) => type === 'exited' && exitCode === 3))
})

withClient('output that is not JSON ends the connection', async (marq) => {
  const error = await failure(marq.call('garbage'))
  assert.ok(error instanceof ProcessError)
  assert.match(error.message, /not JSON: this is not JSON/)
})

test('a program that does not exist fails its calls', async () => {
  const marq = new Marquetry({ program: 'no-such-program-of-marquetry' })
  const error = await failure(marq.fileHistory())
  assert.ok(error instanceof ProcessError)
  assert.match(error.message, /^`no-such-program-of-marquetry` cannot be started: /)
  assert.deepEqual([error.exitCode, error.cause.code], [null, 'ENOENT'])
  assert.equal(await failure(marq.fileHistory()), error)
  await marq.close()
})

withClient('calls that are too long are refused', async (marq) => {
  const error = await failure(marq.call('echo', { text: 'x'.repeat(64 * 1024 * 1024) }))
  assert.deepEqual([error.kind, error.hint], ['LimitExceeded', 'make several calls'])
  assert.equal((await marq.call('echo', { text: 'y' })).text, 'y')
})

withClient('arguments that are not JSON are refused', async (marq) => {
  const circular = {}
  circular.self = circular
  assert.ok((await failure(marq.call('echo', circular))) instanceof TypeError)
  assert.ok((await failure(marq.call('echo', { size: 1n }))) instanceof TypeError)
})

test('close waits for running calls and can be repeated', async () => {
  const events = []
  const marq = new Marquetry({ program: SERVER, onEvent: (event) => events.push(event) })
  const call = marq.call('slowly')
  await Promise.all([marq.close(), marq.close()])
  assert.equal(await call, 'done')
  assert.match((await failure(marq.call('echo'))).message, /the client is closed/)
  assert.deepEqual(events.filter(({ type }) => type === 'exited'), [{ type: 'exited', exitCode: 0, signal: null }])
})

test('close kills a process that does not end', async () => {
  const events = []
  const marq = new Marquetry({ program: SERVER, onEvent: (event) => events.push(event) })
  await marq.call('stay')
  await marq.close({ timeout: 100 })
  assert.deepEqual(events.at(-1), { type: 'exited', exitCode: null, signal: 'SIGKILL' })
})

test('the client can be disposed', { skip: !Symbol.asyncDispose }, async () => {
  const marq = new Marquetry({ program: SERVER })
  await marq[Symbol.asyncDispose]()
  assert.match((await failure(marq.call('echo'))).message, /the client is closed/)
})

test('a failing listener does not interrupt the connection', async () => {
  const uncaught = []
  const listener = (error) => uncaught.push(error.message)
  process.on('uncaughtException', listener)
  const others = process.listeners('uncaughtException').filter((other) => other !== listener)
  for (const other of others) process.off('uncaughtException', other)
  const marq = new Marquetry({ program: SERVER })
  const fail = () => {
    throw new Error('of the listener')
  }
  assert.deepEqual(await marq.call('progress', {}, { onProgress: fail }), { token: true })
  assert.equal((await marq.call('echo', { a: 1 })).a, 1)
  await marq.close()
  process.off('uncaughtException', listener)
  for (const other of others) process.on('uncaughtException', other)
  assert.deepEqual(uncaught, ['of the listener', 'of the listener'])
})
