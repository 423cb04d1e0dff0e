// Appends the custom section `marquetry:files` with the file patterns of a pack to its module, so that the host can read
// them without running it: node section.mjs FILE PATTERN…
import { readFileSync, writeFileSync } from "node:fs";

const [file, ...patterns] = process.argv.slice(2);
const name = new TextEncoder().encode("marquetry:files");
const content = new TextEncoder().encode(patterns.join("\n"));
// Lengths are LEB128 numbers.
const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)]);
const body = [...number(name.length), ...name, ...content];
writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0, ...number(body.length), ...body])]));
