// Calls the tools of Marquetry from a program. `client.d.ts` and `tools.d.ts` have the types.

export { Marquetry } from './client.js'
export { MarquetryError, ProcessError } from './errors.js'
