// The imports of a pack: the host's log, and the workspace if it is granted. Tests replace them.

let log = (level, message) => globalThis.console?.error?.(`${level}: ${message}`);
let workspace = null;

export function provide(given) {
  if (given.log !== undefined) log = given.log;
  if (given.workspace !== undefined) workspace = given.workspace;
}

// Writes a line to the host's log.
export function write(level, message) {
  log(level, message);
}

// The workspace; `null` for a pack that does not import it.
export function workspaceOf() {
  return workspace;
}
