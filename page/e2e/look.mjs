// Tests of the visible page: files, outlines, addresses, the history, plugins and calls, with the keyboard alone, and the rules of
// accessibility.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Checks that the current view violates no rule of accessibility. */
async function accessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const shown = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).map(({ target, any, all }) => `${target} ${[...any, ...all].map((check) => check.message).join(" ")}`).join("; ")}`);
  assert.deepEqual(shown, [], what);
}

const files = ".files";

export const checks = {
  async "the token opens the page and is removed from the address bar"({ page, server, context, until }) {
    await page.goto(server.page);
    await until("connected", async () => (await page.textContent("#state"))?.startsWith("marq "));
    assert.equal(page.url(), `http://${server.address}/ui/`);
    const [cookie] = await context.cookies();
    assert.equal(cookie.sameSite, "Strict");
    assert.ok(cookie.httpOnly && cookie.value !== server.token && cookie.name.endsWith(server.address.split(":")[1]));
    assert.equal(await page.evaluate(() => document.cookie), "");
  },

  async "the keyboard opens a file, and its outline shows addresses"({ page, until, picture }) {
    await page.focus(`${files} summary`);
    // `docs/`, then `src/`.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.focus('[data-path="src/cart.ts"]');
    await page.keyboard.press("Enter");
    await page.waitForSelector('[data-address="Cart.add"]');
    await page.focus('[data-address="Cart.add"]');
    await page.keyboard.press("Enter");
    await until("the address", async () => (await page.textContent(".address")) === "Cart.add");
    assert.match(await page.evaluate(() => getSelection()?.toString() ?? ""), /add\(/);
    await page.click("text=Copy address");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "Cart.add");
    await picture("workspace");
  },

  async "an address that the page shows works in the tools"({ page, server }) {
    const addresses = await page.$$eval("[data-address]", (all) => all.map((one) => one.getAttribute("data-address")));
    assert.ok(addresses.length > 3);
    for (const symbol of addresses) {
      const { matches, content } = await server.call("file/read", { file: "src/cart.ts", symbol });
      assert.ok(content !== undefined || matches?.length === 1, symbol);
    }
  },

  async "a filter finds files by words"({ page }) {
    await page.fill('[aria-label="Filter files"]', "open yaml");
    assert.deepEqual(await page.$$eval(`${files} [data-path]`, (all) => all.map((one) => one.textContent)), ["docs/openapi.yaml"]);
    await page.fill('[aria-label="Filter files"]', "nothing like it");
    assert.equal(await page.textContent(`${files} li`), "no file fits");
    await page.fill('[aria-label="Filter files"]', "");
  },

  async "the history shows each change with its diff and can undo it"({ page, server, part, until, picture }) {
    const before = server.read("package.json");
    const clientInfo = { name: "agent", version: "7" };
    await server.call("file/edit", { file: "package.json", path: "$.version", operation: "replace", content: '"2.0.0"', why: "a release", clientInfo });
    await part("history");
    const entry = page.locator("details[data-change]").first();
    await entry.locator("summary").focus();
    await page.keyboard.press("Enter");
    await entry.locator(".cm-merge-b").waitFor();
    assert.match(await entry.locator(".cm-merge-a .cm-changedLine").innerText(), /1\.4\.0/);
    assert.match(await entry.locator(".cm-merge-b .cm-changedLine").innerText(), /2\.0\.0/);
    const item = page.locator(".history > li").first();
    assert.match(await item.innerText(), /agent 7, file_edit[\s\S]*a release/);
    await picture("history");
    await item.locator("button", { hasText: "Undo" }).click();
    await until("undone", () => server.read("package.json") === before);
    await until("shown as undone", async () => (await page.locator(".history > li.undone").count()) === 1);
  },

  async "an undo that is refused shows the reason"({ page, server, until }) {
    const edit = (content) => server.call("file/edit", { file: "package.json", path: "$.name", operation: "replace", content });
    await edit('"one"');
    await edit('"two"');
    const second = page.locator(".history > li", { has: page.locator("button") }).nth(1);
    await until("both are listed", async () => (await page.locator(".history > li button", { hasText: "Undo" }).count()) >= 3);
    await second.locator("button", { hasText: "Undo" }).click();
    await page.waitForSelector(".wrong");
    assert.match(await page.innerText(".wrong"), /changed since[\s\S]*undo the later changes first/);
    await page.click("text=Dismiss");
    await server.call("file/undo", {});
    await server.call("file/undo", {});
  },

  async "the tab of a moved file follows it, also after an undo"({ page, part, server, until }) {
    await part("workspace");
    const shown = (path) => until(path, async () => (await page.textContent(".bar strong")) === path);
    const outlined = () => page.waitForSelector('[data-address="Cart.add"]');
    await server.call("file/move", { source: "src/cart.ts", destination: "src/shop/basket.ts" });
    await shown("src/shop/basket.ts");
    await outlined();
    await server.call("file/undo", {});
    await shown("src/cart.ts");
    await outlined();
    assert.equal(await page.locator(".wrong").count(), 0);
  },

  async "the text of a deleted file stays, with a remark"({ page, part, server, until }) {
    await part("workspace");
    await server.call("file/create", { path: "gone.txt", content: "one\n" });
    await server.call("open", { file: "gone.txt" });
    await until("the file is shown", async () => (await page.textContent(".bar strong")) === "gone.txt");
    await server.call("file/delete", { path: "gone.txt" });
    await page.waitForSelector("text=The file was deleted");
    assert.match(await page.innerText(".workspace .cm-content"), /one/);
    assert.equal(await page.locator(".wrong").count(), 0);
    await page.click('[aria-label="Close gone.txt"]');
  },

  async "plugins are shown with health, limits and grants"({ page, part, picture }) {
    await part("plugins");
    const row = page.locator("tbody tr", { hasText: /^json/ }).first();
    assert.match(await row.innerText(), /ready[\s\S]*workspace[\s\S]*MiB/);
    const editor = page.locator("tbody tr", { hasText: "websocket /editors/web" });
    assert.match(await editor.innerText(), /web\s+ready\s+page in Chrome \d+/);
    await picture("plugins");
  },

  async "calls in progress are listed and can be cancelled"({ page, server, part, until, picture }) {
    await part("calls");
    const long = server.call("query", { type: "diagnostics", root: server.many, clientInfo: { name: "agent", version: "7" } });
    const ended = long.then(() => "answered", (error) => error.kind);
    const row = page.locator("tbody tr", { hasText: "query" });
    await row.locator("button").waitFor();
    // The call is listed when it starts; the name of the caller is added a moment later.
    await until("the caller is shown", async () => /agent 7/.test(await row.innerText()));
    await picture("calls");
    await row.locator("button").focus();
    await page.keyboard.press("Enter");
    assert.equal(await ended, "Cancelled");
    await page.waitForSelector("text=Nothing is in progress.");
  },

  async "every view passes accessibility checks, in light and dark mode"({ page, part, server }) {
    await server.call("open", { type: "diff", left: "src/cart.ts", right: "src/money.ts" });
    try {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        for (const name of ["workspace", "proposals", "history", "plugins", "calls"]) {
          await part(name);
          await page.waitForTimeout(300);
          await accessible(page, `${name}, ${colorScheme}`);
        }
      }
    } finally {
      await page.emulateMedia({ colorScheme: "light" });
      await part("proposals");
      await page.click('.bar button:text-is("Close")');
    }
  },
};
