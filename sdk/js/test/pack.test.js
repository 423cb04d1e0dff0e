// The SDK converts an author's pack to the functions of a component.

import assert from "node:assert/strict";
import { test } from "node:test";

import { withFiles } from "../build/section.js";
import { neededOf, readContract } from "../build/wit.js";
import { definePack, Failure, nearest } from "../src/index.js";
import { denial, read, stat } from "../src/workspace.js";
import { open } from "../src/testing.js";

// A minimal pack, whose nodes are the words of a text.
function words(more = {}, document = {}) {
  const nodes = (text) =>
    [...text.matchAll(/\S+/g)].map((match, id) => {
      const span = { start: match.index, end: match.index + match[0].length };
      return { id, kind: "word", name: match[0], address: match[0], span, selection: span };
    });
  return definePack({
    id: "words",
    name: "Words",
    version: "0.1.0",
    files: ["*.words"],
    targets: [{ kind: "path", syntax: "a word", examples: ["one"] }],
    open: (path, text) => ({
      outline: () => nodes(text),
      find: ({ target }) => nodes(text).filter(({ name }) => name === target.value),
      view: (id) => nodes(text)[id].span,
      edit: (ids, operation) => ids.map((id) => ({ span: nodes(text)[id].span, text: operation.value ?? "" })),
      ...document,
    }),
    ...more,
  });
}

test("spans are converted between bytes and indices", () => {
  const bench = open(words(), "a.words", "é 😀 two");
  assert.deepEqual(bench.nodes().map(({ span }) => [span.start, span.end]), [[0, 2], [3, 7], [8, 11]]);
  assert.equal(bench.edit("two", "replace", "2"), "é 😀 2");
});

test("an empty result is a failure with the nearest addresses", () => {
  assert.throws(() => open(words(), "a.words", "alpha beta").find("alpah"), { kind: "target-not-found", candidates: ["alpha"] });
  assert.throws(() => open(words(), "a.words", "x").find("x", "symbol"), { kind: "unsupported", hint: "address by `path`: a word" });
});

test("the limit shortens the list but not the total", () => {
  const bench = open(words(), "a.words", "a a a");
  assert.equal(bench.find("a", "path", { limit: 2 }).length, 2);
  // The engine passes the largest number as a negative one.
  assert.equal(bench.find("a", "path", { limit: -1 }).length, 3);
});

test("an error names the part of an answer that has the wrong type", () => {
  const find = (answer) => () => open(words({}, { find: () => [answer] }), "a.words", "é").find("x");
  const node = { id: 0, kind: "word", name: "x", address: "x", span: { start: 0, end: 1 }, selection: { start: 0, end: 0 } };
  assert.throws(find({ ...node, name: undefined }), /`node.name` must be a string, not undefined/);
  assert.throws(find({ ...node, span: { start: 0, end: 2 } }), /`span.end` is 2, which is not an offset in a text of 1/);
  assert.throws(find({ ...node, span: { start: 1, end: 0 } }), /before it starts/);
  assert.throws(find({ ...node, span: 3 }), /`span` must be \{ start, end \}/);
});

test("omitted functions have default answers", () => {
  const bench = open(words({ links: { links: () => [] } }), "a.words", "x");
  assert.deepEqual(bench.diagnostics(), []);
  assert.throws(() => bench.insertMissing("y", "1"), { kind: "unsupported" });
  assert.throws(() => bench.call("links", "unlink", []), { kind: "unsupported", message: "this pack has no `links.unlink`" });
  const [where] = bench.call("links", "resolve", { path: "a", settings: "{}" }, [{ kind: "href", specifier: "b" }]);
  assert.equal(where.tag, "unknown");
});

test("offsets in other files are converted with the texts of those files", () => {
  const at = { path: "b.words", offset: 2 };
  const symbols = {
    resolveSymbol: (_, { value }) => ({ name: `${value}`, kind: "word", elsewhere: at }),
    rename: () => ({ name: "x", edits: [], elsewhere: at }),
  };
  const bench = open(words({ symbols }), "a.words", "é x", { workspace: { "b.words": "é y" } });
  const resolution = bench.call("symbols", "resolve-symbol", { tag: "at", val: 3 });
  assert.deepEqual([resolution.name, resolution.elsewhere], ["2", { path: "b.words", offset: 3 }]);
  assert.deepEqual(bench.call("symbols", "facts"), { exports: [], imports: [], shared: [], free: [] });
  assert.equal(stat("b.words"), "file");
});

test("each result in a list can fail separately", () => {
  const context = { path: "a.words", settings: "{}" };
  const links = { links: () => [], formatSpecifiers: () => ["a", Failure.unsupported("no")] };
  const [good, bad] = open(words({ links }), "a.words", "").call("links", "format-specifiers", context, []);
  assert.deepEqual([good, bad.tag, bad.val.message], [{ tag: "ok", val: "a" }, "err", "no"]);
});

test("a list of edits is a rewrite", () => {
  const links = { links: () => [], unlink: () => [{ span: { start: 0, end: 1 }, text: "" }], relink: (_, moves) => ({ create: [{ path: moves.path, text: "" }] }) };
  const bench = open(words({ links }), "a.words", "é x");
  assert.deepEqual(bench.call("links", "unlink", []).edits, [{ span: { start: 0, end: 2 }, text: "" }]);
  const rewrite = bench.call("links", "relink", { path: "b.words", relocations: [], links: [] });
  assert.deepEqual([rewrite.edits, rewrite.create], [[], [{ path: "b.words", text: "" }]]);
});

test("a file that cannot be read has a reason", () => {
  open(words({}), "a.words", "", { workspace: { "b.words": "b" } });
  assert.deepEqual([read("b.words"), denial("b.words")], ["b", null]);
  assert.deepEqual([read("c.words"), denial("c.words")], [null, "not-found"]);
});

test("an exception is logged", (context) => {
  const log = context.mock.method(console, "error", () => {});
  const bench = open(words({}, { edit: () => undefined.x }), "a.words", "a");
  assert.throws(() => bench.edit("a", "delete"), TypeError);
  assert.match(log.mock.calls[0].arguments[0], /^error: TypeError in edit: Cannot read properties of undefined/);
});

test("a pack without a required field is refused", () => {
  assert.throws(() => definePack({ id: "x" }), /a pack has `name`/);
});

test("the nearest names come first", () => {
  assert.deepEqual(nearest("User.find", ["Store.load", "Store.find", "User.fetch"]), ["Store.find", "User.fetch"]);
  assert.deepEqual(nearest("Install[3]", ["Usage[2]", "Install[1]", "Install[2]", "Other"]), ["Install[1]", "Install[2]"]);
});

test("offsets of mentions refer to the text that is searched", () => {
  const mentions = {
    textNames: (paths) => paths.map((path) => ({ name: path.replace(".words", ""), path, kind: "list" })),
    findMentions: ([{ name }], { text }) => {
      const start = text.indexOf(name);
      return [{ name: 0, span: { start, end: start + name.length } }];
    },
  };
  const bench = open(words({ mentions }), "a.words", "x");
  const names = bench.call("mentions", "text-names", ["shop.words"], "{}");
  assert.deepEqual(names, [{ name: "shop", path: "shop.words", kind: "list" }]);
  const found = bench.call("mentions", "find-mentions", names, { path: "Makefile", text: "é 😀 shop", isCode: false });
  assert.deepEqual(found, [{ name: 0, span: { start: 8, end: 12 }, member: null }]);
});

test("the custom section lists the file patterns", () => {
  const whole = withFiles(Buffer.from("wasm"), ["*.a", "*.b"]);
  const name = "marquetry:files";
  assert.deepEqual([...whole.subarray(4, 7)], [0, 1 + name.length + 7, name.length]);
  assert.equal(whole.subarray(7).toString(), `${name}*.a\n*.b`);
});

test("files that move with another one are given as pairs of paths", () => {
  const context = { path: "a.words", settings: "{}" };
  const moved = { from: "a.words", to: "b.words" };
  const links = { links: () => [], additionalMoves: (_, { from, to }) => [{ from: `${from}.map`, to: `${to}.map` }] };
  const call = (pack) => open(pack, "a.words", "").call("links", "additional-moves", context, moved);
  assert.deepEqual(call(words({ links })), [{ from: "a.words.map", to: "b.words.map" }]);
  assert.deepEqual(call(words({ links: { links: () => [] } })), []);
});

test("the whole contract is parsed", () => {
  const contract = readContract();
  assert.equal(contract.version, "0.1.0");
  assert.deepEqual(Object.keys(contract.interfaces.links.functions), ["links", "resolve", "additional-moves", "format-specifiers", "relink", "unlink"]);
  assert.deepEqual(contract.types["import-key"], { record: [["specifiers", { list: "string" }], ["name", "string"]] });
  assert.ok(!("hover-info" in neededOf(contract, ["links"]).types));
});
