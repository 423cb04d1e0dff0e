// End-to-end test of the packaged plugin with a fake Obsidian and a real server: user actions, and their effects for
// agents.
//
//     node e2e/run.mjs [--marq PROGRAM]
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { client, start, within } from "../../../../../page/e2e/server.mjs";

const { WebSocketServer } = createRequire(import.meta.url)("ws");
const TOP = fileURLToPath(new URL("../../../../..", import.meta.url));
const PLUGIN = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.indexOf("--marq");
const marq = given > 0 ? process.argv[given + 1] : join(TOP, "target/debug/marq");

/** Starts the fake Obsidian with a vault. */
async function vault(server, state = server.state) {
  const env = { ...process.env, MARQ_STATE_DIR: state };
  const child = fork(join(PLUGIN, "e2e/fake-obsidian.cjs"), [server.root, join(PLUGIN, "out/marquetry")], { env });
  const waiting = new Map();
  let last = 0;
  const answered = (id) => new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  child.on("message", ({ id, answer, error }) => (error === undefined ? waiting.get(id)?.resolve(answer) : waiting.get(id)?.reject(new Error(error))));
  await within(answered(0), "the plugin is loaded");
  return {
    async do(what, more = {}) {
      const id = (last += 1);
      child.send({ id, what, ...more });
      return within(answered(id), what);
    },
    kill: () => child.kill("SIGKILL"),
  };
}

async function until(what, condition, time = 60_000) {
  for (const end = Date.now() + time; Date.now() < end; ) {
    const seen = await condition();
    if (seen) return seen;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`timed out waiting for: ${what}`);
}

const NOTE = "# Plan\n\nFirst the walls, then the roof.\n\n## Costs 😀\n\nten\n";
const note = (server) => join(server.root, "notes/plan.md");
const propose = (agent, server, text, tab, path = note(server)) =>
  agent.tool("openDiff", { old_file_path: path, new_file_path: path, new_file_contents: text, tab_name: tab });
const waits = (obsidian) => until("it waits", async () => (await obsidian.do("shown"))?.includes("waits for your decision"));
const attached = async (server) => (await server.call("ui/workspace", {})).editors.find(({ name, state }) => name === "obsidian" && state === "ready");

const checks = {
  async "the plugin finds the server and introduces itself"({ server, obsidian }) {
    const editor = await until("attached", () => attached(server));
    assert.match(editor.title, /^Obsidian .*fake/);
    assert.equal(editor.channel, "websocket /editors/obsidian");
    assert.equal(await until("welcome", () => obsidian.do("status")), "marq: attached");
  },

  async "open shows lines of a note, symbols and diffs, and no other files"({ server, agent, obsidian }) {
    const items = [
      { type: "file", path: "src/cart.ts" },
      { type: "diff", left: "README.md", right: "notes/plan.md", title: "Two notes" },
      { type: "gitDiff", path: "notes/plan.md", from: "HEAD", to: "working" },
      { type: "symbol", query: "Costs 😀", path: "notes/plan.md" },
      { type: "file", path: "notes/plan.md", startLine: 3, endLine: 3 },
    ];
    const { results } = await server.call("open", { items });
    assert.deepEqual(results.map(({ success }) => success), [false, true, true, true, true], JSON.stringify(results));
    assert.match(results[0].error, /is not a note: Obsidian shows Markdown/);
    const selection = await until("selected", async () => {
      const current = await agent.json("getCurrentSelection");
      return current.text === "First the walls, then the roof." ? current : undefined;
    });
    assert.deepEqual([selection.filePath, selection.selection.start], [note(server), { line: 2, character: 0 }]);
    const shown = await obsidian.do("tabs");
    assert.ok(shown.includes("Two notes") && shown.filter((name) => name === "notes/plan.md").length === 1, shown.join());
    while ((await obsidian.do("shown")) !== null) await obsidian.do("closeFront");
  },

  async "selections are sent, and Mention sends lines"({ server, agent, obsidian }) {
    agent.notifications.length = 0;
    await obsidian.do("select", { from: { line: 4, ch: 3 }, to: { line: 4, ch: 8 } });
    await until("the selection was sent", () => agent.notifications.find(({ method, params }) => method === "selection_changed" && params.text === "Costs"));
    assert.equal((await agent.json("getLatestSelection")).text, "Costs");
    await obsidian.do("command", { name: "mention" });
    const { params } = await until("mentioned", () => agent.notifications.find(({ method }) => method === "at_mentioned"));
    assert.deepEqual(params, { filePath: note(server), lineStart: 4, lineEnd: 4 });
  },

  async "every tool of the endpoint is answered"({ server, agent }) {
    const path = note(server);
    assert.deepEqual(await agent.tool("openFile", { filePath: path, startText: "First", endText: "walls" }), [`Opened file: ${path}`]);
    assert.equal((await agent.json("getCurrentSelection")).text, "First the walls");
    assert.deepEqual(await agent.json("openFile", { filePath: path, makeFrontmost: false }), { success: true, filePath: path, languageId: "markdown", lineCount: 8 });
    await assert.rejects(agent.tool("openFile", { filePath: join(server.root, "none.md") }), /File not found/);
    const { tabs } = await agent.json("getOpenEditors");
    const tab = tabs.find(({ uri }) => uri === `file://${path}`);
    assert.deepEqual([tab.label, tab.isActive, tab.languageId, tab.isDirty], ["plan", true, "markdown", false]);
    assert.equal((await agent.json("getWorkspaceFolders")).folders[0].path, server.root);
    assert.equal((await agent.json("checkDocumentDirty", { filePath: path })).isDirty, false);
    assert.equal((await agent.json("checkDocumentDirty", { filePath: join(server.root, "README.md") })).success, false);
    assert.equal((await agent.json("saveDocument", { filePath: path })).saved, true);
    assert.deepEqual((await agent.json("getDiagnostics", { uri: `file://${path}` }))[0].diagnostics, []);
    assert.deepEqual(await agent.tool("closeAllDiffTabs"), ["CLOSED_0_DIFF_TABS"]);
  },

  async "an unsaved note is read and edited in its editor, where the edit can be undone"({ server, agent, obsidian }) {
    await obsidian.do("select", { from: { line: 2, ch: 0 }, to: { line: 2, ch: 0 } });
    await obsidian.do("type", { text: "Mine. " });
    const edit = { file: "notes/plan.md", operation: "replace_text", old: "ten", content: "twelve 😀" };
    await until("known", async () => (await agent.json("checkDocumentDirty", { filePath: note(server) })).isDirty);
    const { content } = await server.call("file/read", { file: "notes/plan.md", lines: "3" });
    assert.equal(content, "Mine. First the walls, then the roof.");
    const { warnings } = await server.call("file/edit", edit);
    assert.match(warnings.join(), /notes\/plan\.md was edited in Obsidian/);
    assert.equal(await obsidian.do("text"), NOTE.replace("First", "Mine. First").replace("ten", "twelve 😀"));
    await obsidian.do("undo");
    assert.equal(await obsidian.do("text"), NOTE.replace("First", "Mine. First"));
    assert.equal((await agent.json("saveDocument", { filePath: note(server) })).saved, true);
    assert.equal(readFileSync(note(server), "utf8"), NOTE.replace("First", "Mine. First"));
    await until("saved", async () => !(await agent.json("checkDocumentDirty", { filePath: note(server) })).isDirty);
    const onDisk = await server.call("file/edit", edit);
    assert.deepEqual(onDisk.warnings ?? [], []);
    await server.call("file/undo", {});
    await obsidian.do("undo");
    assert.equal((await agent.json("saveDocument", { filePath: note(server) })).saved, true);
    assert.equal(readFileSync(note(server), "utf8"), NOTE);
  },

  async "a proposal is accepted, with and without changes"({ server, agent, obsidian }) {
    const text = NOTE.replace("ten", "nine");
    const first = propose(agent, server, text, "✻ accept me");
    await waits(obsidian);
    assert.match(await obsidian.do("shown"), /- ten\n\+ nine/);
    await obsidian.do("press", { name: "Accept" });
    assert.deepEqual(await first, ["FILE_SAVED", text]);
    assert.equal(readFileSync(note(server), "utf8"), NOTE, "the client writes, not the editor");
    await assert.rejects(obsidian.do("press", { name: "Accept" }), /no button/);
    await agent.tool("close_tab", { tab_name: "✻ accept me" });
    await until("gone", async () => (await obsidian.do("shown")) === null);
    const second = propose(agent, server, "one\n", "edit me", join(server.root, "notes/new.md"));
    await waits(obsidian);
    await obsidian.do("change", { text: "one, and mine\n" });
    assert.match(await obsidian.do("shown"), /\+ one, and mine/);
    await obsidian.do("key", { key: "Enter", ctrlKey: true });
    assert.deepEqual(await second, ["FILE_SAVED", "one, and mine\n"]);
    const third = propose(agent, server, "", "empty");
    await waits(obsidian);
    await obsidian.do("command", { name: "accept" });
    assert.deepEqual(await third, ["FILE_SAVED", ""]);
    assert.deepEqual(await agent.tool("closeAllDiffTabs"), ["CLOSED_2_DIFF_TABS"]);
  },

  async "a proposal is rejected, closed, replaced, and ends with its client"({ server, agent, obsidian }) {
    const first = propose(agent, server, "x\n", "reject me");
    await waits(obsidian);
    await obsidian.do("press", { name: "Reject" });
    assert.deepEqual(await first, ["DIFF_REJECTED", "reject me"]);
    await agent.tool("closeAllDiffTabs");
    const second = propose(agent, server, "x\n", "close me");
    await waits(obsidian);
    await obsidian.do("closeFront");
    assert.deepEqual(await second, ["DIFF_REJECTED", "close me"]);
    const third = propose(agent, server, "x\n", "same");
    await waits(obsidian);
    const fourth = propose(agent, server, "y\n", "same");
    assert.deepEqual(await third, ["DIFF_REJECTED", "same"]);
    await until("the next one", async () => (await obsidian.do("shown"))?.includes("+ y"));
    await agent.tool("closeAllDiffTabs");
    assert.deepEqual(await fourth, ["DIFF_REJECTED", "same"]);
    const other = await client(server.ide);
    propose(other, server, "gone\n", "gone soon").catch(() => undefined);
    await waits(obsidian);
    other.close();
    await until("gone", async () => (await obsidian.do("shown")) === null);
  },

  async "a disabled plugin closes its diffs and its connection, and a crash of Obsidian rejects its diffs"({ server, agent, obsidian }) {
    const decided = propose(agent, server, "x\n", "left behind");
    await waits(obsidian);
    await obsidian.do("unload");
    assert.deepEqual(await decided, ["DIFF_REJECTED", "left behind"]);
    assert.equal(await obsidian.do("shown"), null);
    await until("gone", async () => (await attached(server)) === undefined);
    const again = await vault(server);
    await until("attached", () => attached(server));
    await again.do("open", { path: "notes/plan.md" });
    const lost = propose(agent, server, "x\n", "in the middle");
    await waits(again);
    again.kill();
    assert.deepEqual(await lost, ["DIFF_REJECTED", "in the middle"]);
    await until("gone", async () => (await attached(server)) === undefined);
  },
};

/** A process that listens on the port of a killed server, may fake its proof, and asks for the user's files. */
async function impostor(folder, root, prove) {
  mkdirSync(join(folder, "servers"), { recursive: true, mode: 0o700 });
  const received = [];
  const token = "0123456789abcdef";
  const http = createServer((request, response) => {
    received.push(`${request.url} ${request.headers.authorization ?? ""}`);
    const nonce = new URL(request.url, "http://x").searchParams.get("nonce") ?? "";
    const { port } = http.address();
    const key = prove ? token : "another";
    const proof = createHmac("sha256", key).update(`marquetry server proof\n${nonce}\n${port}\n${process.pid}`).digest("hex");
    response.writeHead(200, { "content-length": proof.length }).end(proof);
  });
  const answers = [];
  const sockets = new WebSocketServer({ server: http });
  sockets.on("connection", (socket) => {
    const ask = (id, method, params) => socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    socket.on("message", (data) => {
      const message = JSON.parse(data);
      received.push(message.method ?? "answer");
      if (message.method === "introduce") {
        socket.send(JSON.stringify({ jsonrpc: "2.0", method: "welcome", params: {} }));
        ask(1, "open", { path: "/etc/passwd", reveal: null, preview: true, focus: false });
        ask(2, "text", { path: join(root, "../outside.md") });
        ask(3, "apply", { files: [{ path: join(root, "linked.md"), edits: [], save: true }] });
        ask(4, "dirty", { path: join(root, "notes/plan.md") });
      } else if (message.id) answers.push(message);
    });
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  const text = JSON.stringify({ pid: process.pid, address: `127.0.0.1:${http.address().port}`, root, roots: [root], token });
  writeFileSync(join(folder, "servers", `${process.pid}.json`), text, { mode: 0o600 });
  return { received, answers, close: () => (sockets.close(), http.closeAllConnections(), http.close()) };
}

Object.assign(checks, {
  async "a process that cannot prove that it is the server gets neither token nor answers"({ server }) {
    const folder = join(server.folder, "planted");
    const other = await impostor(folder, server.root, false);
    const obsidian = await vault(server, folder);
    await until("the proof was requested", () => other.received.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.ok(other.received.every((said) => /^\/proof\?nonce=[0-9a-f]{64} $/.test(said)), other.received.join());
    assert.equal(await obsidian.do("status"), "marq: no server");
    obsidian.kill();
    other.close();
  },

  async "even a verified server cannot open, read or edit files outside of the vault"({ server }) {
    const folder = join(server.folder, "proved");
    writeFileSync(join(server.folder, "outside.md"), "mine");
    symlinkSync(join(server.folder, "outside.md"), join(server.root, "linked.md"));
    const other = await impostor(folder, server.root, true);
    const obsidian = await vault(server, folder);
    await until("answered", () => other.answers.length === 4);
    const failed = other.answers.filter(({ error }) => error?.message.includes("is outside of the folders of this editor"));
    assert.deepEqual(failed.map(({ id }) => id).sort(), [1, 2, 3], JSON.stringify(other.answers));
    assert.equal(readFileSync(join(server.folder, "outside.md"), "utf8"), "mine");
    obsidian.kill();
    other.close();
  },
});

const server = await start(marq, join(TOP, "examples/shop"), "marq-obsidian");
mkdirSync(join(server.root, "notes"));
writeFileSync(note(server), NOTE);
const agent = await client(server.ide);
const obsidian = await vault(server);
let failed = 0;
try {
  for (const [name, check] of Object.entries(checks)) {
    const since = Date.now();
    try {
      await within(check({ server, agent, obsidian }), name, 180_000);
      console.log(`    ok   ${name} (${Date.now() - since} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`    FAIL ${name}: ${error.stack}`);
    }
  }
} finally {
  obsidian.kill();
  agent.close();
  await server.stop();
}
console.log(failed === 0 ? "    all checks passed with a fake Obsidian; the real one was not tested" : `    ${failed} failures`);
process.exit(failed === 0 ? 0 : 1);
