// Tests in Extism's JavaScript host: npm run build && npm test
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import createPlugin from "@extism/extism";

const plugin = await createPlugin({ wasm: [{ data: readFileSync("build/properties.wasm") }] });
after(() => plugin.close());

const JAVA = "! Server.\nserver.port = 8080\nserver.hosts a.example, \\\n             b.example\nserver[0]:x\nempty\n";

async function call(name, input) {
  const output = await plugin.call(`language_${name}`, typeof input === "string" ? input : JSON.stringify(input));
  const answer = output.json();
  if (answer.failure !== undefined) throw answer.failure;
  return answer.ok ?? answer;
}

// Nodes are lists of their fields.
const node = ([id, , , , address, [start, end]]) => ({ id, address, span: { start, end } });

// Opens a document with shorthands for tests.
async function on(text) {
  const document = await call("open", `{"path": "a.properties", "settings": {}}\n${text}`);
  const bytes = Buffer.from(text);
  const part = ({ start, end }) => bytes.subarray(start, end).toString();
  const find = async (value) => {
    const query = { target: { kind: "path", value }, limit: 9, values: false };
    return (await call("find", { document, query })).nodes.nodes.map(node);
  };
  // Spans are byte ranges.
  const spliced = (edits) => edits.toReversed().reduce((whole, { span, text: made }) => {
    return Buffer.concat([whole.subarray(0, span.start), Buffer.from(made), whole.subarray(span.end)]);
  }, bytes).toString();
  return {
    outline: async () => (await call("outline", { document })).map((listed) => node(listed).address),
    read: async (address) => (await find(address)).map(({ span }) => part(span)),
    view: async (address, form) => part((await call("view", { document, node: (await find(address))[0].id, form })).span),
    diagnostics: async () => (await call("diagnostics", { document })).map(({ span, message }) => `${span.start}: ${message}`),
    edit: async (address, operation, force = false) => {
      const nodes = (await find(address)).map(({ id }) => id);
      return spliced(await call("edit", { document, nodes, operation, options: { include_doc: false, force } }));
    },
    make: async (value, content) => spliced(await call("insert_missing", { document, target: { kind: "path", value }, content })),
  };
}

async function edits(cases) {
  for (const [text, address, operation, expected] of cases) assert.equal(await (await on(text)).edit(address, operation), expected);
}

test("a key finds its value", async () => {
  const java = await on(JAVA);
  assert.deepEqual(await java.outline(), ["server.port", "server.hosts", "server[0]", "empty"]);
  assert.deepEqual(await java.read("server.hosts"), ["a.example, \\\n             b.example"]);
  assert.deepEqual(await (await on("a=1\nb=2\na=3")).read("a"), ["1", "3"]);
  assert.deepEqual(await (await on("\ufeffa\\ b=1")).read("a\\ b"), ["1"]);
  assert.deepEqual(await (await on("a=1\na=2\na[1]=3\n")).outline(), ["a[1][1]", "a[2]", "a[1]"]);
  assert.equal(await java.view("server.hosts", "signature"), "server.hosts a.example, \\");
});

test("an unknown key is refused with the nearest keys", async () => {
  const java = await on(JAVA);
  await assert.rejects(java.read("servr.port"), { kind: "target_not_found", candidates: ["server.port", "server.hosts"] });
  await assert.rejects(java.read("$.server.port"), { kind: "invalid_target", candidates: ["server.port"] });
  await assert.rejects((await on("")).read("a"), { kind: "target_not_found", candidates: [] });
});

test("replace changes only the value", () => edits([
  ["a = 1\r\nb = 2\r\n", "a", { replace: "9" }, "a = 9\r\nb = 2\r\n"],
  ["😀 = é\nb=2", "b", { replace: "ü" }, "😀 = é\nb=ü"],
  ["a=1", "a", { replace: "a = 2" }, "a=2"],
  ["a=1", "a", { replace: "\n\n    b\n" }, "a=b"],
  ["empty\n", "empty", { replace: "1" }, "empty=1\n"],
  ["a =\n", "a", { replace: "1" }, "a = 1\n"],
  ["a b\\\n", "a", { replace_body: "b\\\n" }, "a b\\\n"],
  ["a=1\n", "a", { wrap: { before: "<", after: ">" } }, "a=<1>\n"],
]));

test("insert and delete handle whole entries with their comments", () => edits([
  ["# doc\nb=1\n", "b", { insert_before: "a=0" }, "a=0\n# doc\nb=1\n"],
  ["  b=1", "b", { insert_after: "c=2" }, "  b=1\n  c=2"],
  ["a=1\nc=3\n", ".", { insert_into: { content: "b=2", position: "sorted" } }, "a=1\nb=2\nc=3\n"],
  ["\ufeff", ".", { insert_into: { content: "a=1", position: "last" } }, "\ufeffa=1\n"],
  ["# a\na=1\n\n# b\nb=2\n", "a", "delete", "# b\nb=2\n"],
  ["# a\na=1\n\n# b\nb=2\n", "b", "delete", "# a\na=1\n"],
  ["\ufeffa=1\r\nb=2", "a", "delete", "\ufeffb=2"],
  ["a=1\na=2\nb=3\n", "a", "delete", "b=3\n"],
]));

test("content that would be parsed differently is refused", async () => {
  const refused = async (text, operation, message) => assert.rejects((await on(text)).edit("a", operation), { message });
  await refused("a=1\n", { replace: "x\ny" }, "the content would be parsed differently here");
  await refused("a=1\nb=2\n", { replace: "x\\" }, "the content would be parsed differently here");
  await refused("a=1\n", { insert_after: "a=2" }, "`a` already exists");
  assert.equal(await (await on("a=1\n")).edit("a", { insert_after: "a=2" }, true), "a=1\na=2\n");
});

test("a missing key is created in the style of the others", async () => {
  assert.equal(await (await on("a : 1\n")).make("b", "2"), "a : 1\nb : 2\n");
  assert.equal(await (await on("")).make("b", "2"), "b=2\n");
  assert.equal(await (await on("é=😀")).make("b", "ü"), "é=😀\nb=ü");
  await assert.rejects((await on("a=1")).make("a", "2"), { kind: "invalid_argument" });
  await assert.rejects((await on("a=1")).make("b c", "2"), { kind: "invalid_argument" });
});

test("diagnostics have positions", async () => {
  const diagnostics = await (await on("é=1\n = 2\né=3\n")).diagnostics();
  assert.deepEqual(diagnostics, ["0: duplicate key `é`: only the last one counts", "6: a value without a key"]);
});
