// Read access to the workspace. A pack that imports this module requires `grants = ["workspace"]` in the registry.

import { workspaceOf } from "./host.js";

const ask = (name, ...args) => {
  const workspace = workspaceOf();
  if (workspace === null) throw new Error(`\`${name}\` needs a workspace: in a test, pass one to \`open\``);
  return workspace[name]?.(...args) ?? null;
};

// The host reports a failure as an exception whose payload is the reason.
function attempt(path) {
  try {
    return { text: ask("read", path), denial: null };
  } catch (error) {
    if (typeof error?.payload !== "string") throw error;
    return { text: null, denial: error.payload };
  }
}

// `"file"`, `"directory"`, or `null`.
export const stat = (path) => ask("stat", path);
// The text of a file, or `null`; `denial` gives the reason.
export const read = (path) => attempt(path).text;
// Reason why the text of a file cannot be read: `"not-found"`, `"not-granted"`, `"too-large"`, `"not-text"`, or `null`.
export const denial = (path) => attempt(path).denial;
// The entries of a directory: `{ name, kind }`.
export const entries = (path) => [...(ask("entries", path) ?? [])];
// A version number of a file's text: equal numbers mean equal text.
export const version = (path) => ask("version", path);
// A number that changes when files or folders are added, removed or moved.
export const layout = () => ask("layout");
// The files that export a name.
export const exporters = (name) => [...(ask("exporters", name) ?? [])];
