// Builds the plugin into `out/marquetry`, which can be copied to the folder `.obsidian/plugins` of a vault.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = `${here}out/marquetry`;

await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  outfile: `${out}/main.js`,
  bundle: true,
  minify: true,
  format: "cjs",
  platform: "node",
  target: "es2022",
  // Provided by Obsidian, and must not be duplicated.
  external: ["obsidian", "electron", "@codemirror/*", "bufferutil", "utf-8-validate"],
  legalComments: "none",
});
await mkdir(out, { recursive: true });
for (const name of ["manifest.json", "styles.css"]) await copyFile(`${here}${name}`, `${out}/${name}`);
// Licences of the bundled packages.
const licences = await Promise.all(["ws", "diff"].map(async (name) => `${name}\n\n${await readFile(`${here}node_modules/${name}/LICENSE`, "utf8")}`));
await writeFile(`${out}/LICENSES`, licences.join(`\n${"-".repeat(80)}\n\n`));
