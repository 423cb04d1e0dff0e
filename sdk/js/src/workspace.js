// What a pack may ask of the workspace. A pack that imports this module needs `grants = ["workspace"]` in the registry.

import { workspaceOf } from "./host.js";

const ask = (name, ...asked) => {
  const workspace = workspaceOf();
  if (workspace === null) throw new Error(`there is no workspace to ask for \`${name}\`: a test gives one to \`open\``);
  return workspace[name]?.(...asked) ?? null;
};

// `"file"`, `"directory"`, or nothing.
export const stat = (path) => ask("stat", path);
// The text of a file, or nothing.
export const read = (path) => ask("read", path);
// What is in a directory: `{ name, kind }`.
export const entries = (path) => [...(ask("entries", path) ?? [])];
// What the text of a file is known by: the same number, the same text.
export const version = (path) => ask("version", path);
// A number that stays the same as long as the files are where they are.
export const layout = () => ask("layout");
// The files that export a name.
export const exporters = (name) => [...(ask("exporters", name) ?? [])];
