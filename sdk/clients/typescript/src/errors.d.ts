import type { ErrorKind } from './tools.js'

/** A tool refused or failed. If the call was a change, nothing was written. */
export declare class MarquetryError extends Error {
  constructor(code: number, content: { kind: ErrorKind; message: string; hint?: string | null; candidates?: string[] }, cause?: unknown)
  /** The kind of error. */
  readonly kind: ErrorKind
  /** The JSON-RPC code of the kind. */
  readonly code: number
  /** A suggestion: another argument, another call. */
  readonly hint: string | undefined
  /** The nearest valid values. */
  readonly candidates: string[]
}

/** The process did not start, or it ended before it answered. A change of such a call may have been made. */
export declare class ProcessError extends Error {
  constructor(message: string, ended?: { exitCode: number | null; signal: string | null; log: string }, cause?: unknown)
  /** The exit code of the process; `null` if it did not start or was ended by a signal. */
  readonly exitCode: number | null
  /** The signal that ended the process. */
  readonly signal: string | null
  /** The last output of the process on standard error. */
  readonly log: string
}
