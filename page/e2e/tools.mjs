// Tests of the requests that agents send to the page, through the tool `open` and the endpoint of Claude Code.
import assert from "node:assert/strict";
import { join } from "node:path";

export const checks = {
  async "open shows lines of a file, selected"({ page, server, agent, until }) {
    assert.equal((await server.call("open", { type: "file", path: "src/product.ts", startLine: 2, endLine: 3 })).success, true);
    const path = join(server.root, "src/product.ts");
    const lines = server.read("src/product.ts").split("\n");
    const selection = await until("selected", async () => {
      const current = await agent.json("getCurrentSelection");
      return current.filePath === path && current.text !== "" ? current : undefined;
    });
    assert.equal(selection.text, `${lines[1]}\n${lines[2]}`);
    assert.deepEqual(selection.selection.start, { line: 1, character: 0 });
    assert.equal(await page.getAttribute("[data-part=workspace]", "aria-current"), "page");
  },

  async "open shows diffs, revisions and symbols, and one failure does not stop the others"({ page, server }) {
    const items = [
      { type: "diff", left: "src/cart.ts", right: "src/money.ts", title: "Two files" },
      { type: "gitDiff", path: "src/money.ts", from: "HEAD", to: "working" },
      { type: "gitDiff", path: "src/cart.ts", from: "HEAD", to: "working" },
      { type: "symbol", query: "Cart" },
      { type: "file", path: "src/none.ts" },
    ];
    const { results } = await server.call("open", { items });
    assert.deepEqual(results.map(({ success }) => success), [true, true, false, true, false]);
    await page.click('[data-part="proposals"]');
    const names = await page.locator(".proposals .tabs li").allInnerTexts();
    assert.equal(names.length, 2, names.join());
    await page.click(".proposals .tabs button >> nth=1");
    assert.match(await page.locator(".cm-merge-b .cm-changedLine").last().innerText(), /CENTS/);
    for (let left = names.length; left > 0; left -= 1) await page.click('.bar button:text-is("Close")');
    await page.waitForSelector("text=No diff is open");
  },

  async "selections by keyboard and mouse are sent to agents"({ page, agent, until }) {
    await agent.tool("openFile", { filePath: "src/cart.ts" });
    await page.locator(".cm-line", { hasText: "export class Cart" }).click();
    agent.notifications.length = 0;
    await page.keyboard.press("Home");
    await page.keyboard.down("Shift");
    for (let times = 0; times < 6; times += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    const selectionEvent = (text) => agent.notifications.findLast(({ method, params }) => method === "selection_changed" && params.text === text);
    await until("keys", () => selectionEvent("export"));
    await page.locator(".cm-line", { hasText: "export class Cart" }).dblclick({ position: { x: 85, y: 8 } });
    await until("mouse", () => selectionEvent("class"));
    assert.equal((await agent.json("getLatestSelection")).text, "class");
    await page.click("text=Mention");
    const mentioned = await until("mentioned", () => agent.notifications.find(({ method }) => method === "at_mentioned"));
    assert.ok(mentioned.params.filePath.endsWith("src/cart.ts"));
    assert.equal(mentioned.params.lineStart, mentioned.params.lineEnd);
  },

  async "every tool of the endpoint is answered"({ page, server, agent }) {
    const path = join(server.root, "src/money.ts");
    assert.deepEqual(await agent.tool("openFile", { filePath: path, startText: "export", endText: "{" }), [`Opened file: ${path}`]);
    const quiet = await agent.json("openFile", { filePath: path, makeFrontmost: false });
    assert.deepEqual([quiet.success, quiet.languageId], [true, "typescript"]);
    const missing = await agent.tool("openFile", { filePath: path, startText: "no such text" });
    assert.match(missing[0], /the text was not found/);
    await assert.rejects(agent.tool("openFile", { filePath: join(server.root, "none.ts") }), /File not found/);
    const { tabs } = await agent.json("getOpenEditors");
    const tab = tabs.find(({ label }) => label === "money.ts");
    assert.deepEqual([tab.isActive, tab.languageId, tab.isDirty], [true, "typescript", false]);
    const folders = await agent.json("getWorkspaceFolders");
    assert.deepEqual(folders.folders.map(({ path }) => path), [server.root, server.many]);
    const dirty = await agent.json("checkDocumentDirty", { filePath: path });
    assert.deepEqual([dirty.success, dirty.isDirty, dirty.isUntitled], [true, false, false]);
    assert.equal((await agent.json("checkDocumentDirty", { filePath: join(server.root, "page.css") })).success, false);
    assert.equal((await agent.json("saveDocument", { filePath: path })).saved, true);
    const wrong = await agent.json("getDiagnostics", { uri: `file://${path}` });
    assert.deepEqual(wrong[0]?.diagnostics, []);
    assert.deepEqual(await agent.tool("closeAllDiffTabs"), ["CLOSED_0_DIFF_TABS"]);
    assert.equal(await page.locator('.workspace .tabs [title="src/money.ts"]').count(), 1);
  },

  async "a file that changes on disk is reloaded"({ page, server, until }) {
    await server.call("open", { type: "file", path: "src/product.ts" });
    await server.call("file/edit", { file: "src/product.ts", operation: "insert_before", lines: "1", content: "// changed by an agent" });
    await until("shown", async () => (await page.locator(".cm-line").first().innerText()) === "// changed by an agent");
    await server.call("file/undo", {});
    await until("as before", async () => (await page.locator(".cm-line").first().innerText()) !== "// changed by an agent");
  },
};
