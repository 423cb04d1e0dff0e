// Replaces the symbolic link `wit` by the files before `npm pack`, and restores the link afterwards.

import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LINK = fileURLToPath(new URL("../wit", import.meta.url));
const SOURCE = "../../wit/language";

if (process.argv.includes("--undo")) {
  // Only restores a former link: an unpacked package has no WIT files beside it.
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
