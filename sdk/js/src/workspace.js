// Read access to the workspace. A pack that imports this module requires `grants = ["workspace"]` in the registry.

import { workspaceOf } from "./host.js";

const ask = (name, ...args) => {
  const workspace = workspaceOf();
  if (workspace === null) throw new Error(`\`${name}\` needs a workspace: in a test, pass one to \`open\``);
  return workspace[name]?.(...args) ?? null;
};

// `"file"`, `"directory"`, or `null`.
export const stat = (path) => ask("stat", path);
// The text of a file, or `null`.
export const read = (path) => ask("read", path);
// The entries of a directory: `{ name, kind }`.
export const entries = (path) => [...(ask("entries", path) ?? [])];
// A version number of a file's text: equal numbers mean equal text.
export const version = (path) => ask("version", path);
// A number that changes when files or folders are added, removed or moved.
export const layout = () => ask("layout");
// The files that export a name.
export const exporters = (name) => [...(ask("exporters", name) ?? [])];
