#!/usr/bin/env node
// `marquetry-build pack.js -o pack.wasm`: builds the component of a pack.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { componentize } from "componentize-qjs";

import { bundleFor, inspect } from "./bundle.js";
import { withFiles } from "./section.js";
import { FOLDER, readContract } from "./wit.js";

const USAGE = `usage: marquetry-build PACK.js [-o PACK.wasm] [--fast]

  -o, --output FILE   the component to write; by default next to the pack
      --fast          use a larger engine, which needs a third less time for large files`;

async function main() {
  const options = { output: { type: "string", short: "o" }, fast: { type: "boolean" }, help: { type: "boolean", short: "h" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [entry] = positionals;
  if (values.help || positionals.length !== 1) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const output = values.output ?? entry.replace(/\.[cm]?[jt]s$/, ".wasm");
  const { pack, interfaces, usesWorkspace } = await inspect(entry);
  const source = await bundleFor(entry, interfaces, usesWorkspace);
  const component = await made(source, interfaces, usesWorkspace, values.fast !== true);
  const whole = withFiles(component, pack.files);
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, whole);
  const has = ["language", ...interfaces].join(", ");
  console.log(`${output}: \`${pack.id}\` ${pack.version}, ${whole.length} bytes, for ${pack.files.join(" ")}; it has ${has}`);
  if (usesWorkspace) console.log(`it reads the workspace: write \`grants = ["workspace"]\` under \`[plugins.${pack.id}]\``);
  return 0;
}

// Makes a component of a bundled module, with a world that exports the pack's interfaces.
async function made(jsSource, interfaces, usesWorkspace, optSize) {
  const folder = mkdtempSync(join(tmpdir(), "marquetry-"));
  try {
    for (const file of readdirSync(FOLDER)) writeFileSync(join(folder, basename(file)), readFileSync(join(FOLDER, file)));
    const lines = ["include pack;", ...(usesWorkspace ? ["import workspace;"] : []), ...interfaces.map((name) => `export ${name};`)];
    const world = `package marquetry:language@${readContract().version};\nworld built {\n  ${lines.join("\n  ")}\n}\n`;
    writeFileSync(join(folder, "built.wit"), world);
    return (await componentize({ witPath: folder, world: "built", jsSource, sync: true, optSize })).component;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main().then(
  (code) => (process.exitCode = code),
  (error) => {
    // For exceptions of the pack itself, the stack shows the location.
    const describe = ({ location, text }) => `${location?.file ?? ""}:${location?.line ?? ""}: ${text}`;
    console.error(`marquetry-build: ${error.errors ? error.errors.map(describe).join("\n") : error.stack}`);
    process.exitCode = 1;
  },
);
