// Measures the load that attached editors cause on the server: two idle ones, the overhead of `open` and `openDiff`, and many that
// send notifications while a client reads files. `--events` is the number of notifications per second.
//
//     node e2e/load.mjs [--marq PROGRAM] [--editors 32] [--events 1000] [--seconds 60] [--idle 30]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import { client, start } from "./server.mjs";

const TOP = fileURLToPath(new URL("../..", import.meta.url));
const given = (name, usual) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : usual);
const [editors, events, seconds, idle] = [given("--editors", 32), given("--events", 1000), given("--seconds", 60), given("--idle", 30)].map(Number);
const server = await start(given("--marq", join(TOP, "target/debug/marq")), join(TOP, "examples/shop"), "marq-load");
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Memory of the server in MiB, and its CPU time in seconds. */
function cost() {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  const times = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return { memory: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024, processor: (Number(times[11]) + Number(times[12])) / 100 };
}

/** Reads a file again and again for this number of seconds. Returns the durations in milliseconds. */
async function reads(time) {
  const all = [];
  for (const end = Date.now() + time * 1000; Date.now() < end; ) {
    const since = performance.now();
    await server.call("file/read", { file: "package.json", path: "$.name" });
    all.push(performance.now() - since);
    await sleep(5);
  }
  return `${all.length} reads, ${shares(all)}`;
}

function shares(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${sorted.at(-1).toFixed(1)} ms`;
}

/** Waits until the server is idle: after its start it compiles packs in the background, on one core. */
async function ready() {
  for (let before = -1, now = cost().processor; now > before; now = cost().processor) {
    before = now;
    await sleep(1000);
  }
}

function attach(at) {
  const socket = new WebSocket(`ws://${server.address}/editors/web`, { headers: { authorization: `Bearer ${server.token}` } });
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      const folders = [{ name: "shop", path: server.root }];
      const abilities = ["tabs", "selection", "open", "show-diff", "decide"];
      send({ method: "introduce", params: { title: `editor ${at}`, folders, abilities } });
    });
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse(data);
      if (method === "open") send({ id, result: { language: "typescript", lines: 1, revealed: "all" } });
      if (method === "close-diff") send({ id, result: null });
      if (method === "show-diff") {
        send({ id, result: null });
        // The user decides at once, so that only the overhead of the server is measured.
        if (params.decide) send({ method: "decided", params: { id: params.id, decision: "accepted", text: params.right.text } });
      }
      if (method !== "tabs") return;
      send({ id, result: [] });
      resolve({ socket, send });
    });
  });
}

{
  const two = [await attach("a"), await attach("b")];
  await ready();
  const before = cost();
  await sleep(idle * 1000);
  console.log(`    two editors, idle for ${idle} s: ${(cost().processor - before.processor).toFixed(2)} s of CPU time`);
  const times = { open: [], openDiff: [] };
  const agent = await client(server.ide);
  const file = join(server.root, "src/cart.ts");
  for (let round = 0; round < 200; round += 1) {
    let since = performance.now();
    await server.call("open", { type: "file", path: "src/cart.ts", startLine: 6, endLine: 7 });
    times.open.push(performance.now() - since);
    since = performance.now();
    await agent.tool("openDiff", { old_file_path: file, new_file_path: file, new_file_contents: `${round}\n`, tab_name: "t" });
    times.openDiff.push(performance.now() - since);
    await agent.tool("closeAllDiffTabs");
  }
  for (const [name, all] of Object.entries(times)) console.log(`    ${name}, with an editor that answers at once: ${shares(all)}`);
  agent.close();
  for (const { socket } of two) socket.close();
  await sleep(500);
}
await reads(2);
console.log(`    alone: ${await reads(Math.min(seconds, 15))}`);
const before = cost();
const all = [];
for (let at = 0; at < editors; at += 1) all.push(await attach(at));
await sleep(500);
const quiet = cost();
await sleep(5000);
const rested = cost();
console.log(`    ${editors} editors: ${(quiet.memory - before.memory).toFixed(0)} MiB more; idle for 5 s: ${(rested.processor - quiet.processor).toFixed(2)} s of CPU time`);

let sent = 0;
const every = 20;
const timer = setInterval(() => {
  for (let count = 0; count < (events * every) / 1000; count += 1) {
    const region = { start: { line: sent % 30, column: 0 }, end: { line: (sent % 30) + 1, column: 3 } };
    const selected = { path: join(server.root, "src/cart.ts"), region, text: "x".repeat(200), language: "typescript" };
    all[sent % all.length].send({ method: "selection", params: { selected } });
    sent += 1;
  }
}, every);
const memories = [];
const watch = setInterval(() => memories.push(cost().memory), 1000);
const meanwhile = await reads(seconds);
clearInterval(timer);
clearInterval(watch);
const after = cost();
console.log(`    ${(sent / seconds).toFixed(0)} selections a second for ${seconds} s: ${meanwhile}; ${((after.processor - rested.processor) / seconds).toFixed(2)} cores in use`);
const third = Math.floor(memories.length / 3);
const mean = (list) => (list.reduce((sum, one) => sum + one, 0) / list.length).toFixed(0);
console.log(`    memory: ${mean(memories.slice(0, third))} MiB in the first third, ${mean(memories.slice(-third))} MiB in the last`);
const waiting = (await server.call("ui/workspace", {})).editors.filter(({ state }) => state === "ready").length;
console.log(`    ${waiting} of ${editors} editors are still attached`);
for (const { socket } of all) socket.close();
await server.stop();
process.exit(waiting === editors ? 0 : 1);
