// Tests of the pack in Node.

import assert from "node:assert/strict";
import { test } from "node:test";
import { laws, open } from "@marquetry/sdk/testing";

import pack from "./pack.js";

const JAVA = "! Server.\nserver.port = 8080\nserver.hosts a.example, \\\n             b.example\nserver[0]:x\nempty\n";
const on = (text, more) => open(pack, "a.properties", text, more);

test("the outline lists every key", () => {
  assert.equal(on(JAVA).outline(), "property server.port @server.port\nproperty server.hosts @server.hosts\nproperty server[0] @server[0]\nproperty empty @empty\n");
  assert.equal(on("").outline(), "");
  assert.equal(on("a=1\na=2\n").outline(), "property a @a[1]\nproperty a @a[2]\n");
});

test("a key finds its value", () => {
  assert.deepEqual(on(JAVA).read("server.hosts"), ["a.example, \\\n             b.example"]);
  assert.deepEqual(on(JAVA).read("server[0]"), ["x"]);
  assert.deepEqual(on("a=1\nb=2\na=3").read("a"), ["1", "3"]);
  assert.deepEqual(on("\ufeffa\\ b=1").read("a\\ b"), ["1"]);
  assert.deepEqual(on("über=😀 é\nafter=x").read("after"), ["x"]);
});

test("an unknown key is refused with the nearest keys", () => {
  assert.throws(() => on(JAVA).find("servr.port"), { kind: "target-not-found", candidates: ["server.port", "server.hosts"] });
  assert.throws(() => on(JAVA).find("$.server.port"), { kind: "invalid-target", candidates: ["server.port"] });
  assert.throws(() => on("").find("a"), { kind: "target-not-found", candidates: [] });
});

test("views show the parts of an entry", () => {
  const bench = on(JAVA);
  assert.equal(bench.view("server.hosts", "signature"), "server.hosts a.example, \\");
  assert.equal(bench.view("server.port", "summary"), "server.port = 8080");
  assert.equal(bench.view(".", "summary"), "server.port\nserver.hosts\nserver[0]\nempty\n");
});

test("replace changes only the value", () => {
  assert.equal(on("a = 1\r\nb = 2\r\n").edit("a", "replace", "9"), "a = 9\r\nb = 2\r\n");
  assert.equal(on("😀 = é\nb=2").edit("b", "replace", "ü"), "😀 = é\nb=ü");
  assert.equal(on("a=1").edit("a", "replace", "a = 2"), "a=2");
  assert.equal(on("empty\n").edit("empty", "replace", "1"), "empty=1\n");
  assert.equal(on("a =\n").edit("a", "replace", "1"), "a = 1\n");
  assert.equal(on(JAVA).edit("server.hosts", "replace-body", "c"), JAVA.replace(/a\.example.*\n.*b\.example/, "c"));
  assert.equal(on("a b\\\n").edit("a", "replace-body", "b\\\n"), "a b\\\n");
  assert.equal(on("a=1\n").edit("a", "wrap", { before: "<", after: ">" }), "a=<1>\n");
});

test("entries are inserted at the requested position", () => {
  assert.equal(on("# doc\nb=1\n").edit("b", "insert-before", "a=0"), "a=0\n# doc\nb=1\n");
  assert.equal(on("  b=1").edit("b", "insert-after", "c=2"), "  b=1\n  c=2");
  const into = (position) => on("a=1\nc=3\n").edit(".", "insert-into", { content: "b=2", position });
  assert.deepEqual(["first", "last", "sorted"].map(into), ["b=2\na=1\nc=3\n", "a=1\nc=3\nb=2\n", "a=1\nb=2\nc=3\n"]);
  assert.equal(on("").edit(".", "insert-into", { content: "a=1", position: "last" }), "a=1\n");
  assert.equal(on("\ufeff").edit(".", "insert-into", { content: "a=1", position: "last" }), "\ufeffa=1\n");
  assert.equal(on("# only\n").edit(".", "insert-into", { content: "a=1", position: "first" }), "# only\na=1\n");
});

test("delete removes an entry with its comment and keeps other comments", () => {
  assert.equal(on("# a\na=1\n\n# b\nb=2\n").edit("a", "delete"), "# b\nb=2\n");
  assert.equal(on("# a\na=1\n\n# b\nb=2\n").edit("b", "delete"), "# a\na=1\n");
  assert.equal(on(JAVA).edit("server.hosts", "delete"), "! Server.\nserver.port = 8080\nserver[0]:x\nempty\n");
  assert.equal(on("\ufeffa=1\r\nb=2").edit("a", "delete"), "\ufeffb=2");
  assert.equal(on("a=1\na=2\nb=3\n").edit("a", "delete"), "b=3\n");
});

test("content that would be parsed differently is refused", () => {
  const refused = (call, message) => assert.throws(call, (failure) => failure.hint !== null && failure.message === message);
  refused(() => on("a=1\n").edit("a", "replace", "x\ny"), "in the file, the content would get another meaning");
  refused(() => on("a=1\nb=2\n").edit("a", "replace", "x\\"), "in the file, the content would get another meaning");
  refused(() => on("a=1\n").edit("a", "insert-after", "a=2"), "`a` already exists");
  refused(() => on("a=1\n").edit("a", "insert-into", { content: "b", position: "last" }), "cannot insert into a value");
  assert.equal(on("a=1\n").edit("a", "insert-after", "a=2", { force: true }), "a=1\na=2\n");
});

test("a missing key is created in the style of the others", () => {
  assert.equal(on("a : 1\n").insertMissing("b", "2"), "a : 1\nb : 2\n");
  assert.equal(on("").insertMissing("b", "2"), "b=2\n");
  assert.equal(on("é=😀").insertMissing("b", "ü"), "é=😀\nb=ü");
  assert.throws(() => on("a=1").insertMissing("a", "2"), { kind: "invalid-argument" });
  assert.throws(() => on("a=1").insertMissing("b c", "2"), { kind: "invalid-argument" });
});

test("diagnostics have positions", () => {
  assert.deepEqual(on("é=1\n = 2\né=3\n").diagnostics(), ["1:1 duplicate key `é`: only the last one counts", "2:2 a value without a key"]);
});

test("includes are links", () => {
  const workspace = { "conf/base.properties": "base=1" };
  const bench = open(pack, "conf/a.properties", "é=1\ninclude = base.properties\ninclude=${x}.properties\n", { workspace });
  assert.deepEqual(bench.links(), ["include base.properties `base.properties`"]);
  const context = { path: "conf/a.properties", settings: "{}" };
  const ask = (specifier) => bench.call("links", "resolve", context, [{ kind: "include", specifier }])[0];
  assert.deepEqual(ask("base.properties"), { tag: "inside", val: { path: "conf/base.properties", suffix: "" } });
  assert.deepEqual(ask("../x.properties"), { tag: "missing", val: "x.properties" });
  assert.deepEqual([ask("/etc/x").tag, ask("../../x").tag], ["external", "unknown"]);
  const spelling = { from: "conf/a.properties", to: "other/b.properties", was: "conf/base.properties", kind: "include", specifier: "base.properties" };
  assert.deepEqual(bench.call("links", "format-specifiers", context, [spelling]), [{ tag: "ok", val: "../other/b.properties" }]);
  assert.deepEqual(bench.call("links", "unlink", new Uint32Array([0])).edits.map(({ text }) => text), [""]);
});

test("rename changes the uses of a key in the file", () => {
  const text = "é=😀\nhost=a\nurl=é ${host}:${host}\nhosts=${hosts}\n";
  const after = "é=😀\nserver=a\nurl=é ${server}:${server}\nhosts=${hosts}\n";
  for (const at of ["host=", "host}", "a\nurl"]) assert.equal(on(text).rename(text.indexOf(at), "server"), after);
  assert.equal(on(text).rename({ tag: "address", val: "host" }, "server"), after);
  assert.throws(() => on(text).renaming(text.indexOf("host"), "url"), { kind: "refactor-failed" });
  assert.throws(() => on(text).renaming(text.indexOf("host"), "a b"), { kind: "invalid-argument" });
});

test("rename of an included key changes the included file", () => {
  const workspace = { "base.properties": "ü=😀\nhost=a\n" };
  const text = "include=base.properties\nurl=${host}\n";
  const renaming = on(text, { workspace }).renaming(text.indexOf("host"), "server");
  assert.deepEqual([renaming.edits, renaming.elsewhere], [[], { path: "base.properties", offset: 8 }]);
  const imported = { tag: "imported", val: { specifiers: ["base.properties"], name: "host" } };
  assert.equal(on(text, { workspace }).rename(imported, "server"), "include=base.properties\nurl=${server}\n");
});

test("the pack satisfies the laws", () => {
  for (const text of [JAVA, "", "a", "=x", "a=1\r\n\r\nb\\\r\n", "\ufeff#c\n😀=é\\\n ü\na=b", "a=1\na=2\na[1]=3\n", "\n\n a\n\n", "x\ry=1\r"]) {
    laws(pack, "a.properties", text);
  }
});
