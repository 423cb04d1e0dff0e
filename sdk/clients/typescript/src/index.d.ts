export { Marquetry } from './client.js'
export type { CallOptions, Event, Options, Progress } from './client.js'
export { MarquetryError, ProcessError } from './errors.js'
export type * from './tools.js'
