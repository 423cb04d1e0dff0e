// Builds the page into `built/`. With `--check`, fails if the files in `built/` are not up to date.
import { readFile, writeFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const { outputFiles, metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["src/page.ts", "src/page.css"],
  outdir: "built",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome123", "firefox121", "safari17.5"],
  charset: "utf8",
  legalComments: "none",
  // Short enough lines for diffs and search results.
  lineLimit: 400,
  metafile: true,
  write: false,
});

/** Returns the licences of the bundled packages. */
async function licences() {
  const inputs = Object.keys(metafile.inputs).map((path) => /(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  const packages = [...new Set(inputs.filter((folder) => folder !== undefined))].sort();
  const texts = packages.map(async (folder) => {
    const { name, version } = JSON.parse(await readFile(`${here}${folder}/package.json`, "utf8"));
    return `${name} ${version}\n\n${await readFile(`${here}${folder}/LICENSE`, "utf8")}`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}

const files = new Map(outputFiles.map((file) => [file.path.slice(`${here}built/`.length), Buffer.from(file.contents)]));
files.set("licences.txt", Buffer.from(await licences()));
files.set("index.html", await readFile(`${here}src/index.html`));

if (process.argv.includes("--check")) {
  const stale = [];
  for (const [name, bytes] of files) {
    const there = await readFile(`${here}built/${name}`).catch(() => Buffer.alloc(0));
    if (!there.equals(bytes)) stale.push(name);
  }
  if (stale.length > 0) {
    console.error(`page/built is not up to date (${stale.join(", ")}): run \`npm run build\` in page/`);
    process.exit(1);
  }
} else {
  await mkdir(`${here}built`, { recursive: true });
  for (const [name, bytes] of files) await writeFile(`${here}built/${name}`, bytes);
}
for (const [name, bytes] of files) console.log(`    ${name} ${Math.ceil(bytes.length / 1000)} kB`);
