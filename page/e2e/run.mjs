// The page in a real browser: what a person does in it with keys and mouse, and what agents see of that. Pictures and a report come
// to target/e2e/page.
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
page.setDefaultTimeout(20_000);
/** What the browser complains of, and whom it asks. */
const complaints = [];
const asked = new Set();
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("request", (request) => asked.add(new URL(request.url()).host));
const agent = await client(server.ide);

const world = {
  browser,
  context,
  page,
  server,
  agent,
  /** A part of the page by its name. */
  part: (name) => page.click(`[data-part="${name}"]`),
  picture: (name) => page.screenshot({ path: join(OUT, "pictures", `${name}.png`) }),
  /** Wait until something that is asked is so. */
  async until(what, so) {
    let seen;
    const end = Date.now() + 20_000;
    while (Date.now() < end) {
      seen = await so();
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
      await within(check(world), name, 90_000);
      console.log(`    ok   ${name} (${Date.now() - since} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`    FAIL ${name}: ${error.stack}`);
      await world.picture(`failed-${failed}`).catch(() => undefined);
    }
  }
  if (complaints.length > 0) {
    failed += 1;
    console.log(`    FAIL errors in the browser: ${complaints.join("; ")}`);
  }
  const others = [...asked].filter((host) => host !== server.address && host !== "");
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
