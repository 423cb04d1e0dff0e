// Tests in Extism's JavaScript host: npm run build && npm test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import createPlugin from "@extism/extism";

const TEXT = "title: Shöp 😀\nprice: 10\nprice: 12\nnote:\n";
const plugin = await createPlugin({ wasm: [{ data: readFileSync("NAME.wasm") }] });
after(() => plugin.close());

async function call(name, input) {
  const answer = (await plugin.call(`language_${name}`, typeof input === "string" ? input : JSON.stringify(input))).json();
  if (answer.failure !== undefined) throw answer.failure;
  return answer.ok ?? answer;
}

async function open(text = TEXT) {
  const document = await call("open", `{"path": "a.NAME", "settings": {}}\n${text}`);
  const bytes = Buffer.from(text);
  const find = async (value) => {
    const query = { target: { kind: "path", value }, limit: 9, values: false };
    const { nodes } = (await call("find", { document, query })).nodes;
    // Nodes are lists of their fields.
    return nodes.map(([id, , , , , [start, end]]) => ({ id, span: { start, end } }));
  };
  return {
    // Spans are byte ranges.
    read: async (address) => (await find(address)).map(({ span }) => bytes.subarray(span.start, span.end).toString()),
    diagnostics: async () => (await call("diagnostics", { document })).map(({ message }) => message),
    edit: async (address, operation) => {
      const nodes = (await find(address)).map(({ id }) => id);
      const [made] = await call("edit", { document, nodes, operation, options: { include_doc: false, force: false } });
      return `${bytes.subarray(0, made.span.start)}${made.text}${bytes.subarray(made.span.end)}`;
    },
  };
}

test("values are found by name", async () => {
  assert.deepEqual(await (await open()).read("price[2]"), ["12"]);
  await assert.rejects((await open()).read("titel"), { kind: "target_not_found", candidates: ["title"] });
});

test("edits change lines", async () => {
  assert.equal(await (await open()).edit("price", { replace: "11" }), TEXT.replace("10", "11"));
  assert.equal(await (await open()).edit("note", { replace: "new" }), TEXT.replace("note:", "note: new"));
  assert.equal(await (await open()).edit("price", "delete"), TEXT.replace("price: 10\n", ""));
});

test("invalid lines are reported", async () => {
  assert.deepEqual(await (await open("a: 1\nb\n")).diagnostics(), ["expected `name: value`"]);
});
