/// <reference lib="esnext.disposable" />
import type { ErrorKind, ToolTypes } from './tools.js'
import { Tools } from './tools.js'

/** Options for starting the process. */
export interface Options {
  /** The folders that calls may read and change [default: the current folder]. */
  root?: string | string[]
  /** The program: a name on the `PATH`, or a path [default: `marq`]. */
  program?: string
  /** More arguments of `marq rpc`, such as `--write-protected`. */
  args?: string[]
  /** The folder in which the process starts [default: the current one]. */
  cwd?: string
  /** The environment of the process [default: that of this process]. */
  env?: Record<string, string | undefined>
  /** The name of your program, for the history. */
  client?: { name: string; version: string }
  /** Receives the events of all calls and of the process. */
  onEvent?: (event: Event) => void
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call. Its promise is rejected with the kind `Cancelled`, unless its change is complete already. */
  signal?: AbortSignal | undefined
  /** Receives the progress of the call. */
  onProgress?: ((progress: Progress) => void) | undefined
}

/** The progress of a call. */
export interface Progress {
  /** The current activity, such as `reading files 3/12`. */
  message: string
  /** Steps that have begun. */
  done: number
  /** Steps that are known so far. */
  total: number
}

/** An event of a call or of the process. */
export type Event =
  | { type: 'begun'; call: number; tool: string }
  | { type: 'progress'; call: number; tool: string; progress: Progress }
  | { type: 'ended'; call: number; tool: string; failure: ErrorKind | 'Disconnected' | undefined }
  | { type: 'log'; text: string }
  | { type: 'exited'; exitCode: number | null; signal: string | null }

/** The tools of Marquetry, in a process that this object starts and ends. */
export declare class Marquetry extends Tools implements AsyncDisposable {
  /** Starts `marq rpc --stdio`. If it cannot start, calls are rejected with a `ProcessError`. */
  constructor(options?: Options)
  call<N extends keyof ToolTypes>(
    tool: N,
    args: ToolTypes[N]['arguments'],
    options?: CallOptions,
  ): Promise<ToolTypes[N]['result']>
  call(tool: string, args?: object, options?: CallOptions): Promise<unknown>
  /** Waits for the answers of all calls, and ends the process. It is killed after `timeout` milliseconds [default: 10000]. */
  close(options?: { timeout?: number }): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
