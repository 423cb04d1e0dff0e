// Errors of calls.

export class MarquetryError extends Error {
  constructor(code, { kind, message, hint, candidates }, cause = undefined) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'MarquetryError'
    this.code = code
    this.kind = kind
    this.hint = hint ?? undefined
    this.candidates = candidates ?? []
  }
}

export class ProcessError extends Error {
  constructor(message, { exitCode, signal, log } = { exitCode: null, signal: null, log: '' }, cause = undefined) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ProcessError'
    this.exitCode = exitCode
    this.signal = signal
    this.log = log
  }
}
