// End-to-end tests of the page in a real browser: user actions with keys and mouse, and their effects for agents. Screenshots go to
// target/e2e/page.
//
//     node e2e/run.mjs [--marq PROGRAM]
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { client, start, within } from "./server.mjs";
import * as look from "./look.mjs";
import * as decide from "./decide.mjs";
import * as tools from "./tools.mjs";
import * as guard from "./guard.mjs";

const TOP = fileURLToPath(new URL("../..", import.meta.url));
const OUT = join(TOP, "target/e2e/page");
const given = process.argv.indexOf("--marq");
const marq = given > 0 ? process.argv[given + 1] : join(TOP, "target/debug/marq");

mkdirSync(join(OUT, "pictures"), { recursive: true });
const browser = await launch();
const server = await start(marq, join(TOP, "examples/shop"), "marq-page");
const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, colorScheme: "light" });
await context.grantPermissions(["clipboard-read", "clipboard-write"]);
const page = await context.newPage();
page.setDefaultTimeout(60_000);
/** Errors that the browser reports, and the hosts that it sends requests to. */
const errors = [];
const hosts = new Set();
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
page.on("pageerror", (error) => errors.push(String(error)));
page.on("request", (request) => hosts.add(new URL(request.url()).host));
const agent = await client(server.ide);

const world = {
  browser,
  context,
  page,
  server,
  agent,
  /** Opens a view of the page by its name. */
  part: (name) => page.click(`[data-part="${name}"]`),
  picture: (name) => page.screenshot({ path: join(OUT, "pictures", `${name}.png`) }),
  /** Waits until a condition holds. Returns its value. */
  async until(what, condition) {
    let seen;
    const end = Date.now() + 60_000;
    while (Date.now() < end) {
      seen = await condition();
      if (seen) return seen;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    assert.fail(`timed out waiting for: ${what}`);
  },
};

let failed = 0;
try {
  for (const [name, check] of [look, tools, decide, guard].flatMap((module) => Object.entries(module.checks))) {
    const since = Date.now();
    try {
      await within(check(world), name, 180_000);
      console.log(`    ok   ${name} (${Date.now() - since} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`    FAIL ${name}: ${error.stack}`);
      await world.picture(`failed-${failed}`).catch(() => undefined);
    }
  }
  if (errors.length > 0) {
    failed += 1;
    console.log(`    FAIL errors in the browser: ${errors.join("; ")}`);
  }
  const others = [...hosts].filter((host) => host !== server.address && host !== "");
  if (others.length > 0) {
    failed += 1;
    console.log(`    FAIL requests to other machines: ${others.join(", ")}`);
  }
} finally {
  agent.close();
  await browser.close();
  await server.stop();
}
if (process.argv.includes("--pictures")) {
  mkdirSync(join(TOP, "docs/pictures"), { recursive: true });
  const kept = { workspace: "page", proposal: "proposal" };
  for (const [from, to] of Object.entries(kept)) copyFileSync(join(OUT, "pictures", `${from}.png`), join(TOP, "docs/pictures", `${to}.png`));
}
console.log(failed === 0 ? "    all checks of the page passed" : `    ${failed} failures; pictures are in ${OUT}/pictures`);
process.exit(failed === 0 ? 0 : 1);
