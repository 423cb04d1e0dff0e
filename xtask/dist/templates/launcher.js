#!/usr/bin/env node
// Starts the program of the package that npm installed for this platform, with the same arguments and streams.
"use strict";

const { spawnSync } = require("node:child_process");

const name = `@SCOPE@/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "marq.exe" : "marq";

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(`marq: the package ${name} is not installed.`);
  console.error("It is an optional dependency: reinstall without `--omit=optional`. Other platforms build from source.");
  process.exit(1);
}
// The program handles signals of the terminal itself.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`marq: ${program} cannot be started: ${error.message}`);
  process.exit(1);
}
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
