// Puts the files of the contract in the place of the link before the package is packed, and the link back after.

import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LINK = fileURLToPath(new URL("../wit", import.meta.url));
const SOURCE = "../../wit/language";

if (process.argv.includes("--undo")) {
  // Only what was a link before: an unpacked package has no contract beside it.
  if (!lstatSync(LINK).isSymbolicLink()) {
    rmSync(LINK, { recursive: true });
    symlinkSync(SOURCE, LINK);
  }
} else if (lstatSync(LINK).isSymbolicLink()) {
  const folder = join(LINK, "..", SOURCE);
  rmSync(LINK);
  mkdirSync(LINK);
  for (const file of readdirSync(folder)) cpSync(join(folder, file), join(LINK, file));
}
