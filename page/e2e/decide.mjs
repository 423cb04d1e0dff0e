// Tests of proposals: accepted, edited and accepted, rejected, closed, replaced, and ended because the client or the page
// disconnected.
import assert from "node:assert/strict";
import { join } from "node:path";
import { client } from "./server.mjs";

/** Proposes a text for a file. Resolves with the result of the proposal. */
function propose(agent, server, text, tab = "proposal", path = "src/money.ts") {
  const file = join(server.root, path);
  return agent.tool("openDiff", { old_file_path: file, new_file_path: file, new_file_contents: text, tab_name: tab });
}

const waits = (page) => page.waitForSelector(".bar button.good");
/** Presses a button of the visible proposal. */
const press = (page, name) => page.click(`.bar button:text-is("${name}")`);
const none = (page) => page.waitForSelector("text=No diff is open");

export const checks = {
  async "accepting a proposal returns its text, and the page does not write the file"({ page, server, agent, picture }) {
    const text = server.read("src/money.ts").replace("100", "1000");
    const decided = propose(agent, server, text, "✻ [Claude Code] money.ts");
    await waits(page);
    assert.equal(await page.title(), "(1) marq");
    await picture("proposal");
    await press(page, "Accept");
    assert.deepEqual(await decided, ["FILE_SAVED", text]);
    assert.notEqual(server.read("src/money.ts"), text, "the client writes the file, not the page");
    await agent.tool("close_tab", { tab_name: "✻ [Claude Code] money.ts" });
    await none(page);
  },

  async "a diff is edited and accepted with the keyboard"({ page, server, agent }) {
    const decided = propose(agent, server, "one();\ntwo();\n");
    await waits(page);
    await page.locator(".cm-merge-b .cm-line", { hasText: "two" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(" // 😀 mine");
    await page.keyboard.press("Control+Enter");
    assert.deepEqual(await decided, ["FILE_SAVED", "one();\ntwo(); // 😀 mine\n"]);
    await agent.tool("closeAllDiffTabs");
    await none(page);
  },

  async "the keyboard rejects a proposal"({ page, server, agent }) {
    const decided = propose(agent, server, "x\n");
    await waits(page);
    await page.focus(".bar button.bad");
    await page.keyboard.press("Enter");
    assert.deepEqual(await decided, ["DIFF_REJECTED", "proposal"]);
    await agent.tool("closeAllDiffTabs");
    await none(page);
  },

  async "closing a diff rejects it"({ page, server, agent }) {
    const decided = propose(agent, server, "x\n");
    await waits(page);
    await press(page, "Close");
    assert.deepEqual(await decided, ["DIFF_REJECTED", "proposal"]);
    await none(page);
  },

  async "proposals of empty texts, new files and texts with CRLF are accepted unchanged"({ page, server, agent }) {
    for (const [text, path] of [["", "src/money.ts"], ["new\n", "src/new.ts"], ["a\r\nb\r\n", "src/crlf.ts"]]) {
      const decided = propose(agent, server, text, "proposal", path);
      await waits(page);
      await press(page, "Accept");
      assert.deepEqual(await decided, ["FILE_SAVED", text], path);
      await agent.tool("close_tab", { tab_name: "proposal" });
      await none(page);
    }
  },

  async "a second proposal of the same name replaces the first"({ page, server, agent }) {
    const first = propose(agent, server, "first\n");
    await waits(page);
    const second = propose(agent, server, "second\n");
    assert.deepEqual(await first, ["DIFF_REJECTED", "proposal"]);
    await page.locator(".cm-merge-b", { hasText: "second" }).waitFor();
    assert.equal(await page.locator(".proposals .tabs li").count(), 1);
    assert.deepEqual(await agent.tool("closeAllDiffTabs"), ["CLOSED_1_DIFF_TABS"]);
    assert.deepEqual(await second, ["DIFF_REJECTED", "proposal"]);
    await none(page);
  },

  async "two diffs are decided one by one, and edits are kept"({ page, server, agent }) {
    const one = propose(agent, server, "one\n", "first");
    await waits(page);
    const other = propose(agent, server, "other\n", "second", "src/cart.ts");
    await page.locator(".proposals .tabs li >> nth=1").waitFor();
    await page.locator(".cm-merge-b .cm-line", { hasText: "other" }).click();
    await page.keyboard.press("Home");
    await page.keyboard.type("an");
    await page.click('.proposals .tabs button:has-text("first")');
    await press(page, "Accept");
    await page.click('.proposals .tabs button:has-text("second")');
    await press(page, "Accept");
    assert.deepEqual([await one, await other], [["FILE_SAVED", "one\n"], ["FILE_SAVED", "another\n"]]);
    await agent.tool("closeAllDiffTabs");
    await none(page);
  },

  async "proposals end when their client disconnects"({ page, server }) {
    const other = await client(server.ide);
    propose(other, server, "gone\n").catch(() => undefined);
    await waits(page);
    other.close();
    await none(page);
  },

  async "reloading the page rejects its diffs, and the page reconnects"({ page, server, agent, until }) {
    const decided = propose(agent, server, "gone\n");
    await waits(page);
    page.once("dialog", (dialog) => dialog.accept());
    await page.reload();
    assert.deepEqual(await decided, ["DIFF_REJECTED", "proposal"]);
    // The tab stored its session key, so it connects without the token.
    await until("connected", async () => (await page.textContent("#state"))?.startsWith("marq "));
    await until("attached", async () => (await server.call("ui/workspace", {})).editors.some(({ name, state }) => name.startsWith("web") && state === "ready"));
    const again = propose(agent, server, "again\n");
    await waits(page);
    await press(page, "Reject");
    assert.deepEqual(await again, ["DIFF_REJECTED", "proposal"]);
    await agent.tool("closeAllDiffTabs");
  },
};
