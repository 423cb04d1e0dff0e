// End-to-end tests: user actions in VS Code, and their effects for agents.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { client } from "../../../../../page/e2e/server.mjs";

/** Proposes a text for a file. Resolves with the result of the proposal. */
function propose(agent, server, text, tab) {
  const file = join(server.root, "src/money.ts");
  return agent.tool("openDiff", { old_file_path: file, new_file_path: file, new_file_contents: text, tab_name: tab });
}

const tab = (page, name) => page.locator(".tab", { hasText: name });

/** Waits until a proposal is shown and accepts keys. */
async function shown(page, name) {
  await tab(page, name).waitFor();
  await page.locator(".monaco-diff-editor .editor.modified .view-line").first().waitFor();
  await page.waitForTimeout(1200);
}

/** The texts of open dialogs, lists and notifications. */
async function messages(page) {
  const texts = await page.locator(".monaco-dialog-box, .quick-input-widget, .notification-list-item").allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").slice(0, 500)).join("\n");
}

export const checks = {
  async "the extension finds the server and is attached"({ server, until }) {
    const editors = await until("attached", async () => {
      const { editors } = await server.call("ui/workspace", {});
      const found = editors.filter(({ name, state }) => name === "vscode" && state === "ready");
      return found.length > 0 ? found : undefined;
    }, 90_000);
    assert.match(editors[0].title, /^code-server 1\.\d+\.\d+$/);
    assert.equal(editors[0].channel, "websocket /editors/vscode");
  },

  async "open shows lines of a file, selected"({ server, agent, until, picture }) {
    assert.equal((await server.call("open", { type: "file", path: "src/cart.ts", startLine: 6, endLine: 7 })).success, true);
    const selected = await until("selected", async () => {
      const selection = await agent.json("getCurrentSelection");
      return selection.text?.startsWith("export class Cart") ? selection : undefined;
    });
    assert.equal(selected.filePath, join(server.root, "src/cart.ts"));
    assert.deepEqual(selected.selection.start, { line: 5, character: 0 });
    await picture("opened");
  },

  async "open shows diffs, revisions and symbols"({ server, page }) {
    const items = [
      { type: "diff", left: "src/cart.ts", right: "src/product.ts", title: "Two files" },
      { type: "gitDiff", path: "src/money.ts", from: "HEAD", to: "working" },
      { type: "symbol", query: "Cart" },
      { type: "file", path: "src/none.ts" },
    ];
    const { results } = await server.call("open", { items });
    assert.deepEqual(results.map(({ success }) => success), [true, true, true, false]);
    await tab(page, "Two files").waitFor();
  },

  async "selections by mouse and keyboard are sent to agents"({ page, agent, until }) {
    await agent.tool("openFile", { filePath: "src/cart.ts" });
    await tab(page, "cart.ts").first().click();
    agent.notifications.length = 0;
    const line = page.locator(".view-line", { hasText: "export class Cart" }).first();
    await line.locator("span", { hasText: "class" }).last().dblclick();
    await until("mouse", () => agent.notifications.find(({ method, params }) => method === "selection_changed" && params.text === "class"));
    assert.equal((await agent.json("getLatestSelection")).text, "class");
    await page.keyboard.press("Home");
    for (let times = 0; times < 6; times += 1) await page.keyboard.press("Shift+ArrowRight");
    await until("keys", () => agent.notifications.find(({ method, params }) => method === "selection_changed" && params.text === "export"));
  },

  async "the command Mention sends lines"({ agent, code, until }) {
    await code.ask("command", { name: "marquetry.mention" });
    const { params } = await until("mentioned", () => agent.notifications.find(({ method }) => method === "at_mentioned"));
    assert.ok(params.filePath.endsWith("src/cart.ts"));
    assert.equal(params.lineStart, 5);
  },

  async "unsaved text is read and edited in its editor, where Ctrl+Z undoes it"({ page, server, agent, until, picture }) {
    await agent.tool("openFile", { filePath: "src/product.ts" });
    await page.locator(".monaco-editor .view-lines").first().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("export const typed = 1;\n");
    const filePath = join(server.root, "src/product.ts");
    const before = server.read("src/product.ts");
    await until("dirty", async () => (await agent.json("checkDocumentDirty", { filePath })).isDirty);
    const read = () => server.call("file/read", { file: "src/product.ts", lines: "1-2" });
    // Keys arrive one by one; the last one completes the line.
    const { warnings } = await until("known", () => read().then((read) => (/^export const typed = 1;\n/.test(read.content) ? read : undefined)));
    assert.match(warnings.join(), /src\/product\.ts was read with the unsaved changes in code-server/);
    const edit = { file: "src/product.ts", symbol: "typed", operation: "replace", content: "export const typed = 2; // 😀" };
    const made = await server.call("file/edit", edit);
    assert.match(made.warnings.join(), /src\/product\.ts was edited in code-server/);
    assert.match((await read()).content, /^export const typed = 2; \/\/ 😀\n/);
    await picture("edited");
    assert.equal(server.read("src/product.ts"), before, "nothing is saved without the user");
    await assert.rejects(server.call("file/delete", { paths: ["src/product.ts"] }), ({ kind, message }) => kind === "OverwriteBlocked" && message.includes("code-server"));
    await page.keyboard.press("Control+z");
    await until("taken back", () => read().then(({ content }) => content.startsWith("export const typed = 1;\n")));
    assert.equal((await agent.json("saveDocument", { filePath })).saved, true);
    assert.equal(server.read("src/product.ts"), `export const typed = 1;\n${before}`);
    const dry = { file: "src/product.ts", operation: "insert_before", lines: "1", content: "// agent", dryRun: true };
    await until("saved", () => server.call("file/edit", dry).then(({ warnings }) => !warnings?.length));
  },

  async "tabs, folders and diagnostics are sent"({ server, agent, until }) {
    const { tabs } = await agent.json("getOpenEditors");
    assert.ok(tabs.some(({ label, isActive, languageId }) => label === "product.ts" && isActive && languageId === "typescript"));
    const { folders } = await agent.json("getWorkspaceFolders");
    assert.equal(folders[0].path, server.root);
    const quiet = await agent.json("openFile", { filePath: "src/money.ts", makeFrontmost: false, preview: true });
    assert.deepEqual([quiet.success, quiet.languageId], [true, "typescript"]);
    const [said] = await agent.tool("openFile", { filePath: "src/cart.ts", startText: "export class", endText: "nowhere at all" });
    assert.match(said, /the end text was not found/);
    const uri = `file://${join(server.root, "src/cart.ts")}`;
    const [found] = await until("problems", async () => {
      const all = await agent.json("getDiagnostics", { uri });
      return all[0]?.diagnostics.length > 0 ? all : undefined;
    }, 60_000);
    assert.match(found.diagnostics[0].message, /zod|product/);
  },

  async "a proposal is accepted with its button"({ page, server, agent, picture }) {
    const text = server.read("src/money.ts").replace("100", "1000");
    const decided = propose(agent, server, text, "✻ accept me");
    await shown(page, "accept me");
    await picture("proposal");
    await page.locator(".editor-actions a[aria-label*='Accept proposal']").first().click();
    assert.deepEqual(await decided, ["FILE_SAVED", text]);
    assert.notEqual(server.read("src/money.ts"), text, "the client writes, not the editor");
    await agent.tool("close_tab", { tab_name: "✻ accept me" });
    await tab(page, "accept me").waitFor({ state: "detached" });
  },

  async "a proposal is changed by keys and saved"({ page, server, agent }) {
    const decided = propose(agent, server, "one();\n", "✻ edit me");
    await shown(page, "edit me");
    await page.locator(".monaco-diff-editor .editor.modified .view-line").last().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("mine();\n");
    await page.keyboard.press("Control+s");
    assert.deepEqual(await decided, ["FILE_SAVED", "mine();\none();\n"]);
    await agent.tool("closeAllDiffTabs");
    await tab(page, "edit me").waitFor({ state: "detached" });
  },

  async "a proposal is rejected with its button, and by closing it"({ page, server, agent }) {
    const first = propose(agent, server, "x\n", "✻ reject me");
    await shown(page, "reject me");
    await page.locator(".editor-actions a[aria-label*='Reject proposal']").first().click();
    assert.deepEqual(await first, ["DIFF_REJECTED", "✻ reject me"]);
    await agent.tool("closeAllDiffTabs");
    await tab(page, "reject me").waitFor({ state: "detached" });
    const second = propose(agent, server, "x\n", "✻ close me");
    await shown(page, "close me");
    await tab(page, "close me").click({ button: "middle" });
    assert.deepEqual(await second, ["DIFF_REJECTED", "✻ close me"]);
  },

  async "a proposal, also an edited one, ends when its client disconnects"({ page, server }) {
    const other = await client(server.ide);
    propose(other, server, "gone\n", "✻ gone soon").catch(() => undefined);
    await shown(page, "gone soon");
    await page.locator(".monaco-diff-editor .editor.modified .view-line").last().click();
    await page.keyboard.type("typed");
    other.close();
    await tab(page, "gone soon").waitFor({ state: "detached" });
  },

  async "language models have the tools of marq"({ server, code }) {
    const names = await code.ask("tools");
    assert.ok(names.includes("marquetry_file_read") && names.includes("marquetry_query"), names.join());
    const [read] = await code.ask("invoke", { name: "marquetry_file_read", input: { file: "package.json", path: "$.version" } });
    assert.equal(JSON.parse(read).content, '"1.4.0"');
    const input = { file: "package.json", path: "$.version", operation: "replace", content: '"1.5.0"' };
    await code.ask("invoke", { name: "marquetry_file_edit", input });
    assert.match(server.read("package.json"), /"version": "1\.5\.0"/);
    await assert.rejects(code.ask("invoke", { name: "marquetry_file_read", input: { file: "none.json" } }), /FileNotFound/);
    const { changes } = await server.call("file/history", { limit: 1 });
    assert.match(changes[0].client, /^code-server 1\./);
  },

  async "VS Code starts marq as an MCP server that the extension offers"({ page, code, version, until }) {
    if (version.startsWith("4.100.")) return;
    const start = async () => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("F1");
      await page.keyboard.type("MCP: List Servers");
      await page.keyboard.press("Enter");
      for (const choice of ["marq", /Start Server|Restart Server/]) {
        const row = page.locator(".quick-input-list .monaco-list-row", { hasText: choice }).first();
        await row.waitFor({ timeout: 15_000 });
        await row.click();
      }
    };
    const trusted = page.locator(".monaco-dialog-box button, .monaco-dialog-box a", { hasText: "Trust" }).first();
    const known = () =>
      until("its tools are known", async () => {
        if (await trusted.isVisible()) await trusted.click();
        const found = await code.ask("mcp");
        return found.length > 0 ? found : undefined;
      }, 30_000);
    // A click may have no effect while the list is still being filled.
    let names;
    const failures = [];
    while (names === undefined) {
      names = await start()
        .then(known)
        .catch(async (error) => {
          failures.push(error.message);
          if (failures.length === 5) assert.fail([...failures, await messages(page), code.logs("mcpServer")].join("\n"));
        });
    }
    const [read] = await code.ask("invoke", { name: names[0], input: { file: "package.json", path: "$.name" } });
    assert.match(read, /shop/);
  },

  async "reloading a window rejects its diffs and attaches it again"({ page, agent, code, until, server, picture }) {
    await picture("attached");
    const { editors } = await server.call("ui/workspace", {});
    assert.equal(editors.filter(({ name }) => name.startsWith("vscode")).length, 1, "one window, one editor");
    const lost = propose(agent, server, "x\n", "✻ in the middle");
    await shown(page, "in the middle");
    await code.ask("command", { name: "workbench.action.reloadWindow" }).catch(() => undefined);
    assert.deepEqual(await lost, ["DIFF_REJECTED", "✻ in the middle"]);
    await until("gone", async () => !(await server.call("ui/workspace", {})).editors.some(({ name }) => name.startsWith("vscode")));
    await until("back", async () => (await server.call("ui/workspace", {})).editors.some(({ state }) => state === "ready"), 90_000);
  },
};
