// Bundles the module of a pack with the SDK, and reads the pack's description.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

import { linesOf } from "./lines.js";
import { neededOf, readContract } from "./wit.js";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

// Loads a pack: its definition, its optional interfaces, and whether it uses the workspace.
export async function inspect(entry) {
  const folder = mkdtempSync(join(tmpdir(), "marquetry-"));
  const file = join(folder, "pack.mjs");
  try {
    const source = [`export { default } from ${quoted(entry)};`, `export { interfacesOf } from ${quoted(join(SOURCES, "pack.js"))};`];
    const { text, inputs } = await bundle(source.join("\n"), entry);
    writeFileSync(file, text);
    const { default: pack, interfacesOf } = await import(pathToFileURL(file));
    if (typeof pack?.open !== "function") throw new Error(`${entry} has no pack: write \`export default definePack({ … })\``);
    const usesWorkspace = inputs.some((input) => resolve(input) === join(SOURCES, "workspace.js"));
    return { pack, interfaces: interfacesOf(pack), usesWorkspace };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Bundles the module for the component: the pack, the parsed WIT interface, and the host's imports.
export async function bundleFor(entry, interfaces, usesWorkspace) {
  const contract = neededOf(readContract(), interfaces);
  const version = contract.version;
  const lines = [
    `import log from "marquetry:language/log@${version}";`,
    usesWorkspace ? `import workspace from "marquetry:language/workspace@${version}";` : "const workspace = null;",
    `import { provide } from ${quoted(join(SOURCES, "host.js"))};`,
    `import { exportsOf } from ${quoted(join(SOURCES, "pack.js"))};`,
    `import pack from ${quoted(entry)};`,
    "provide({ log: (level, message) => log.write(level, message), workspace });",
    // The types are parsed at the first call, because the component is a snapshot that contains everything created
    // during the build.
    "let types = null;",
    `const read = () => JSON.parse(${JSON.stringify(JSON.stringify(contract.types))});`,
    `const all = exportsOf(pack, { interfaces: ${JSON.stringify(contract.interfaces)}, get types() { return (types ??= read()); } });`,
    ...["language", ...interfaces].map((name) => `export const ${name} = all.${name};`),
  ];
  const { text, map } = await bundle(lines.join("\n"), entry);
  // The table of lines is appended at the end, so that it does not change line numbers.
  return `${text}\nglobalThis.__marquetryLines = ${JSON.stringify(linesOf(map, entry, SOURCES))};\n`;
}

async function bundle(contents, entry) {
  const result = await build({
    stdin: { contents, resolveDir: dirname(resolve(entry)), sourcefile: "marquetry-build.js" },
    bundle: true,
    write: false,
    outdir: dirname(resolve(entry)),
    sourcemap: "external",
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    charset: "utf8",
    loader: { ".md": "text", ".txt": "text" },
    external: ["marquetry:*"],
    plugins: [ownSources()],
    logLevel: "silent",
  });
  const [map, text] = result.outputFiles.map((file) => file.text);
  return { text, map, inputs: Object.keys(result.metafile.inputs) };
}

// Resolves every import of the SDK to this copy, so that each class exists only once.
function ownSources() {
  const files = { "@marquetry/sdk": "index.js", "@marquetry/sdk/workspace": "workspace.js" };
  return {
    name: "marquetry-sdk",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^@marquetry\/sdk/ }, ({ path }) => {
        if (path in files) return { path: join(SOURCES, files[path]) };
        return { errors: [{ text: `a pack has \`@marquetry/sdk\` and \`@marquetry/sdk/workspace\`, not \`${path}\`` }] };
      });
    },
  };
}

function quoted(path) {
  return JSON.stringify(resolve(path));
}
