// End-to-end tests of the VS Code extension: user actions with keys and mouse, and their effects for agents. VS Code
// is code-server in a headless Chromium, with the real workbench, extension host and extensions. Screenshots go to
// target/e2e/vscode.
//
//     node e2e/run.mjs --marq PROGRAM [--code 4.139.1]
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../../../../../page/e2e/browser.mjs";
import { client, start as serve, within } from "../../../../../page/e2e/server.mjs";
import { start } from "./code.mjs";
import { checks } from "./checks.mjs";
import { install } from "./install.mjs";

const TOP = fileURLToPath(new URL("../../../../..", import.meta.url));
const OUT = join(TOP, "target/e2e/vscode");
const given = (name, usual) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : usual);
const marq = given("--marq", join(TOP, "target/debug/marq"));
const version = given("--code", "4.139.1");

mkdirSync(join(OUT, "pictures"), { recursive: true });
const installed = install(OUT, version);
const server = await serve(marq, join(TOP, "examples/shop"), "marq-vscode");
const code = await start(installed, server, marq);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1400, height: 850 } });
page.setDefaultTimeout(60_000);
const elsewhere = new Set();
page.on("request", (request) => {
  const { protocol, hostname } = new URL(request.url());
  if (/^(http|ws)/.test(protocol) && hostname !== "127.0.0.1") elsewhere.add(hostname);
});
const agent = await client(server.ide);
const world = {
  page,
  server,
  agent,
  code,
  version,
  picture: (name) => page.screenshot({ path: join(OUT, "pictures", `${name}.png`) }),
  async until(what, condition, time = 60_000) {
    const end = Date.now() + time;
    while (Date.now() < end) {
      const seen = await condition();
      if (seen) return seen;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`timed out waiting for: ${what}`);
  },
};
let failed = 0;
try {
  await page.goto(code.page);
  await page.waitForSelector(".monaco-workbench", { timeout: 90_000 });
  for (const [name, check] of Object.entries(checks)) {
    const since = Date.now();
    try {
      await within(check(world), name, 300_000);
      console.log(`    ok   ${name} (${Date.now() - since} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`    FAIL ${name}: ${error.stack}`);
      await world.picture(`failed-${failed}`).catch(() => undefined);
    }
  }
  if (elsewhere.size > 0) console.log(`    note: VS Code itself asked ${[...elsewhere].join(", ")}`);
} finally {
  agent.close();
  await browser.close();
  code.stop();
  await server.stop().catch(() => undefined);
}
if (process.argv.includes("--pictures")) copyFileSync(join(OUT, "pictures/proposal.png"), join(TOP, "docs/pictures/vscode.png"));
console.log(failed === 0 ? `    VS Code (code-server ${version}): all checks passed` : `    ${failed} failures; pictures are in ${OUT}/pictures`);
process.exit(failed === 0 ? 0 : 1);
