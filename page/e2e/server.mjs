// Starts a server on a copy of the sample workspace, and connects clients to it: over HTTP, and to the endpoint of Claude Code.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import WebSocket from "ws";

const PATIENCE = 60_000;

/** Adds a timeout to a promise. */
export function within(promise, what, time = PATIENCE) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not in time`)), time);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Number of files in the second root, so that a call takes long enough to be cancelled. */
const MANY = 3000;

export async function start(marq, sample, name) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const root = join(folder, "shop");
  cpSync(sample, root, { recursive: true });
  mkdirSync(join(folder, "many"), { recursive: true });
  for (let n = 0; n < MANY; n += 1) {
    writeFileSync(join(folder, `many/f${n}.ts`), `import { v${(n + 1) % MANY} } from "./f${(n + 1) % MANY}";\nexport const v${n} = 1;\n`);
  }
  const git = (...words) => execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.org", ...words]);
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
  writeFileSync(join(root, "src/money.ts"), readFileSync(join(root, "src/money.ts"), "utf8") + "\nexport const CENTS = 100;\n");
  const home = join(folder, "home");
  mkdirSync(home);
  // Use the cache of compiled packs: the tests of the page would time out while packs are compiled.
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const env = { ...process.env, XDG_CACHE_HOME: cache, HOME: home, CLAUDE_CONFIG_DIR: join(home, "claude"), MARQ_STATE_DIR: join(folder, "state") };
  delete env.NVIM;
  const server = spawn(marq, ["serve", "--root", root, "--root", join(folder, "many")], { env, stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: server.stdout });
  const announced = {};
  await within(
    new Promise((resolve, reject) => {
      server.once("exit", (code) => reject(new Error(`marq ended: ${code}`)));
      lines.on("line", (line) => {
        announced.address ??= /listening on http:\/\/(\S+)/.exec(line)?.[1];
        announced.token ??= /^token: (\S+)/.exec(line)?.[1];
        if (line.startsWith("Claude Code:")) resolve();
      });
    }),
    "the server starts",
  );
  const locks = join(home, "claude/ide");
  const lock = existsSync(locks) ? readdirSync(locks)[0] : undefined;
  if (!lock) throw new Error("there is no lock file of the endpoint for Claude Code");
  const { authToken } = JSON.parse(readFileSync(join(locks, lock), "utf8"));
  return {
    ...announced,
    root,
    many: join(folder, "many"),
    folder,
    state: env.MARQ_STATE_DIR,
    pid: server.pid,
    page: `http://${announced.address}/ui/#token=${announced.token}`,
    ide: { url: `ws://127.0.0.1:${Number.parseInt(lock, 10)}`, token: authToken },
    read: (path) => readFileSync(join(root, path), "utf8"),
    async call(method, params) {
      const answer = await fetch(`http://${announced.address}/`, {
        method: "POST",
        headers: { authorization: `Bearer ${announced.token}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { result, error } = await answer.json();
      if (error) throw Object.assign(new Error(error.message), error.data);
      return result;
    },
    async stop() {
      server.removeAllListeners("exit");
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await within(ended, "the server ends");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A client of the endpoint of Claude Code. */
export async function client({ url, token }) {
  const socket = new WebSocket(url, ["mcp"], { headers: { "x-claude-code-ide-authorization": token } });
  const waiting = new Map();
  const notifications = [];
  let last = 0;
  socket.on("message", (data) => {
    const { id, method, params, result, error } = JSON.parse(data);
    if (method) notifications.push({ method, params });
    else if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
  });
  await within(new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject)), "the client connects");
  const ask = (method, params) => {
    const id = (last += 1);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
  await ask("initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "e2e", version: "1" } });
  socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  return {
    notifications,
    /** Calls a tool. Returns the texts of its answer. */
    async tool(name, given = {}) {
      const { content, isError } = await within(ask("tools/call", { name, arguments: given }), name);
      if (isError) throw new Error(content[0].text);
      return content.map(({ text }) => text);
    },
    async json(name, given) {
      return JSON.parse((await this.tool(name, given))[0]);
    },
    close: () => socket.close(),
  };
}
