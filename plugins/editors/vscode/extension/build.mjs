// Builds the extension into `out/`. `--tools PROGRAM` writes the tools of that `marq` to package.json;
// `--check PROGRAM` checks that they are up to date.
import { execFileSync } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The tools in the form that VS Code requires. */
function declared(program) {
  const list = ["tools", "--format", "vscode-lm"];
  return JSON.parse(execFileSync(program, list, { encoding: "utf8", maxBuffer: 1 << 26 }));
}

const [word, program] = process.argv.slice(2);
const file = `${here}package.json`;
const manifest = JSON.parse(await readFile(file, "utf8"));
if (program) {
  const tools = declared(program);
  if (word === "--check" && JSON.stringify(manifest.contributes.languageModelTools) !== JSON.stringify(tools)) {
    console.error("the tools that package.json declares are not those of marq: run `npm run build -- --tools PROGRAM`");
    process.exit(1);
  }
  if (word === "--tools") {
    manifest.contributes.languageModelTools = tools;
    await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}
await build({
  absWorkingDir: here,
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  external: ["vscode", "bufferutil", "utf-8-validate"],
  legalComments: "none",
});
// The only bundled package.
await copyFile(`${here}node_modules/ws/LICENSE`, `${here}out/LICENSE-ws`);
