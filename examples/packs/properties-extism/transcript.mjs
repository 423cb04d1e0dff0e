// Runs the calls of a transcript in Extism's own host and writes the results: node transcript.mjs FILE TRANSCRIPT
//
// A transcript has lines `> FUNCTION INPUT`, with the input as a JSON string, each followed by the result. The tests of the
// host make the same calls and compare.
import { readFileSync, writeFileSync } from "node:fs";
import createPlugin from "@extism/extism";

const [file, transcript] = process.argv.slice(2);
const plugin = await createPlugin({ wasm: [{ data: readFileSync(file) }] });
const lines = [];
for (const line of readFileSync(transcript, "utf8").split("\n").filter((line) => line.startsWith("> "))) {
  const [, name, input] = /^> (\S+) (.*)$/.exec(line);
  const output = await plugin.call(name, JSON.parse(input));
  lines.push(line, output ? JSON.stringify(output.text()) : '""');
}
writeFileSync(transcript, lines.join("\n") + "\n");
process.exit(0);
