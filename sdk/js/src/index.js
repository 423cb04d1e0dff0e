// Public API of the SDK.

export { definePack } from "./pack.js";
export { Failure } from "./failure.js";
export { nearest } from "./nearest.js";
export { log } from "./log.js";
export { folder, join, relative } from "./paths.js";
export { apply, indentAt, lineEnd, lineStart, nextLine, previousLine, reindent, slice } from "./text.js";
