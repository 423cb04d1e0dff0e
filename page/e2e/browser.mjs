// Starts a headless Chromium: the program in `MARQ_CHROMIUM` if it is set; on Linux the one in an npm package that
// page/package-lock.json pins, so that no other download is needed; on other systems an installed one, or the one that Playwright
// downloads.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pinned from "@sparticuz/chromium";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// Folder into which the pinned Chromium is unpacked, once.
const UNPACKED = fileURLToPath(new URL("../../target/e2e/chromium", import.meta.url));

async function program() {
  if (process.env.MARQ_CHROMIUM) return process.env.MARQ_CHROMIUM;
  if (process.platform === "linux" && process.arch === "x64") return unpacked();
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found) return found;
  if (!existsSync(chromium.executablePath())) {
    const cli = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "cli.js");
    execFileSync(process.execPath, [cli, "install", "chromium"], { stdio: "inherit" });
  }
  return chromium.executablePath();
}

// The package unpacks into the folder for temporary files. It is changed here, because checkouts would share the default one.
async function unpacked() {
  mkdirSync(UNPACKED, { recursive: true });
  const before = process.env.TMPDIR;
  process.env.TMPDIR = UNPACKED;
  try {
    return await pinned.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

export async function launch() {
  const browser = await chromium.launch({ executablePath: await program(), args: FLAGS });
  console.log(`    Chromium ${browser.version()}`);
  return browser;
}
