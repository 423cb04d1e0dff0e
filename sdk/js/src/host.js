// What the host offers to a pack: its log, and the workspace where that is granted. Tests put their own in its place.

let log = (level, message) => globalThis.console?.error?.(`${level}: ${message}`);
let workspace = null;

export function provide(given) {
  if (given.log !== undefined) log = given.log;
  if (given.workspace !== undefined) workspace = given.workspace;
}

// A line for the host's log.
export function write(level, message) {
  log(level, message);
}

// The workspace, or nothing for a pack that does not import it.
export function workspaceOf() {
  return workspace;
}
