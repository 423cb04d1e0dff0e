// Runs VS Code in a browser, with the packaged extension and the workspace of a server.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const EXTENSION = fileURLToPath(new URL("..", import.meta.url));
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "git.autofetch": false,
  "files.autoSave": "off",
  // Suggestions must not change what is typed.
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.suggestOnTriggerCharacters": false,
  "editor.acceptSuggestionOnEnter": "off",
  "typescript.disableAutomaticTypeAcquisition": true,
  "chat.commandCenter.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
};

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Packages the extension and the probe. */
function packed(folder) {
  return [EXTENSION, join(EXTENSION, "e2e/probe")].map((place, at) => {
    const file = join(folder, `${at}.vsix`);
    const words = ["package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", file];
    execFileSync(join(EXTENSION, "node_modules/.bin/vsce"), words, { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
    return file;
  });
}

export async function start({ node, entry }, server, marq) {
  const home = join(server.folder, "code");
  rmSync(home, { recursive: true, force: true });
  const probe = join(home, "probe");
  mkdirSync(join(home, "data/User"), { recursive: true });
  mkdirSync(probe);
  writeFileSync(join(home, "data/User/settings.json"), JSON.stringify({ ...SETTINGS, "marquetry.command": marq }));
  writeFileSync(join(home, "config.yaml"), "auth: none\n");
  const folders = ["--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions"), "--config", join(home, "config.yaml")];
  const own = Object.fromEntries(["CONFIG", "DATA", "CACHE"].map((name) => [`XDG_${name}_HOME`, join(home, name)]));
  const env = { ...process.env, ...own, MARQ_STATE_DIR: server.state, MARQ_PROBE: probe, EXTENSIONS_GALLERY: "{}" };
  for (const file of packed(home)) {
    execFileSync(node, [entry, ...folders, "--install-extension", file, "--force"], { env, stdio: ["ignore", "ignore", "inherit"] });
  }
  const port = await freePort();
  const words = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override"];
  const log = openSync(join(home, "log"), "w");
  const code = spawn(node, [entry, ...folders, ...words], { env, stdio: ["ignore", log, log], detached: true });
  for (let tries = 0; tries < 300; tries += 1) {
    if (await fetch(`http://127.0.0.1:${port}/healthz`).then(({ ok }) => ok, () => false)) break;
    await sleep(200);
  }
  let asked = 0;
  return {
    page: `http://127.0.0.1:${port}/?folder=${encodeURIComponent(server.root)}`,
    /** Sends a question to the probe. */
    async ask(what, given = {}) {
      const path = join(probe, `${(asked += 1)}`);
      writeFileSync(`${path}.part`, JSON.stringify({ what, ...given }));
      renameSync(`${path}.part`, `${path}.ask`);
      for (let tries = 0; tries < 400 && !existsSync(`${path}.answer`); tries += 1) await sleep(50);
      const { answer, error } = JSON.parse(readFileSync(`${path}.answer`, "utf8"));
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    /** The last lines of the log files with a name. */
    logs(name) {
      const files = readdirSync(join(home, "data/logs"), { recursive: true }).filter((file) => file.includes(name) && file.endsWith(".log"));
      return files.map((file) => `${file}:\n${readFileSync(join(home, "data/logs", file), "utf8").slice(-2000)}`).join("\n") || `no log of ${name}`;
    },
    stop() {
      try {
        process.kill(-code.pid, "SIGTERM");
      } catch {
        // The process has already exited.
      }
    },
  };
}
