// Indices of JavaScript strings and UTF-8 byte offsets are converted to each other.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Offsets } from "../src/offsets.js";

const TEXTS = ["", "plain", "é", "aé", "éa", "😀", "a😀b", "ü=😀 é\nx", "\ufeffa", "漢字かな", "a\r\né\r\n", "é".repeat(1000), "😀".repeat(700) + "x"];

test("every character boundary is converted both ways", () => {
  for (const text of TEXTS) {
    const offsets = new Offsets(text);
    let index = 0;
    for (const character of [...text, ""]) {
      const byte = Buffer.byteLength(text.slice(0, index));
      assert.equal(offsets.toByte(index), byte, `${JSON.stringify(text.slice(0, 20))} at ${index}`);
      assert.equal(offsets.toIndex(byte), index);
      index += character.length;
    }
    assert.equal(offsets.size, Buffer.byteLength(text));
  }
});

test("offsets can be converted in any order", () => {
  const text = "aé😀\n".repeat(500);
  const offsets = new Offsets(text);
  for (let at = 0; at < text.length; at += 1) {
    const index = (at * 7919) % text.length;
    if (!offsets.splits(index)) assert.equal(offsets.toIndex(offsets.toByte(index)), index);
  }
});

test("an offset inside a character is recognized", () => {
  const offsets = new Offsets("a😀b");
  assert.deepEqual([0, 1, 2, 3].map((index) => offsets.splits(index)), [false, false, true, false]);
});
