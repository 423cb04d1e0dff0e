#!/usr/bin/env node
// Starts the program of the package that npm installed for this platform, with the same arguments and streams.
"use strict";

const { spawn } = require("node:child_process");

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

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`marq: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
// A client that ends the server signals this process only. A terminal also sends SIGINT to the program itself.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
child.on("exit", (status, signal) => {
  if (!signal) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
