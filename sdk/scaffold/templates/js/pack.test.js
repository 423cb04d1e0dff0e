// Tests in Node, through the functions that the component exports.

import assert from "node:assert/strict";
import { test } from "node:test";
import { laws, open } from "@marquetry/sdk/testing";

import pack from "./pack.js";

const TEXT = "title: Shöp 😀\nprice: 10\nprice: 12\nnote:\n";
const bench = (text = TEXT) => open(pack, "a.NAME", text);

test("values are found by name", () => {
  assert.deepEqual(bench().read("price[2]"), ["12"]);
  assert.throws(() => bench().read("titel"), { kind: "target-not-found", candidates: ["title"] });
});

test("edits change lines", () => {
  assert.equal(bench().edit("price", "replace", "11"), TEXT.replace("10", "11"));
  assert.equal(bench().edit("note", "replace", "new"), TEXT.replace("note:", "note: new"));
  assert.equal(bench().edit("price", "delete"), TEXT.replace("price: 10\n", ""));
});

test("invalid lines are reported", () => {
  assert.deepEqual(bench("a: 1\nb\n").diagnostics(), ["2:1 expected `name: value`"]);
});

test("the pack satisfies the laws", () => {
  for (const text of [TEXT, "", "a:", "a: 1\r\nb:2\r\n", "\ufeffa: é\n"]) laws(pack, "a.NAME", text);
});
