// Verifies an edit by parsing its result, because a value ends with its line and nothing marks the end explicitly.

import { Document, countsOf } from "./document";
import { Failure } from "./failure";
import { Operation } from "./operation";
import { Item, Parsed } from "./parse";
import { Edit } from "./text";

/** The reason why the edit of a node is rejected; null if it does what was requested. */
export function verify(document: Document, id: i32, operation: Operation, made: Edit): Failure | null {
  const old = document.parsed, now = new Parsed(made.applied(document.text));
  if (operation.isInsert) {
    const known = knownKey(document, now);
    if (known != null) return known;
  }
  const kept = keptItems(old.items.length, id, operation), come = now.items.length - 1 - kept.length;
  if (come >= 0 && now.errors() <= old.errors() && staysAround(old, now, kept, come)) {
    if (operation.name == "delete" ? come == 0 : id == 0 || operation.isInsert) return null;
    if (operation.name != "delete" && come == 1 && isValue(old.items[id], made, now, now.items[id])) return null;
  }
  const hint = "end each line of a value but the last with `\\`; `force` writes it anyway";
  return new Failure("invalid_argument", "the content would be parsed differently here", hint);
}

/** The items that the operation must not change. */
function keptItems(length: i32, id: i32, operation: Operation): i32[] {
  const kept: i32[] = [];
  for (let i = 1; i < length; i++) if (operation.isInsert || (id > 0 && i != id)) kept.push(i);
  return kept;
}

/** Returns whether the entries are the kept ones, with `come` additional entries in one place. */
function staysAround(old: Parsed, now: Parsed, kept: i32[], come: i32): bool {
  let same = 0;
  while (same < kept.length && isSame(old, old.items[kept[same]], now, now.items[same + 1])) same++;
  for (let i = same; i < kept.length; i++) {
    if (!isSame(old, old.items[kept[i]], now, now.items[i + 1 + come])) return false;
  }
  return true;
}

function isSame(old: Parsed, before: Item, now: Parsed, after: Item): bool {
  const length = before.to - before.from;
  if (before.key != after.key || length != after.to - after.from) return false;
  return memory.compare(old.text.dataStart + before.from, now.text.dataStart + after.from, length) == 0;
}

/** Returns whether an entry has the same key as before, and the value that was written. */
function isValue(before: Item, made: Edit, now: Parsed, after: Item): bool {
  let written = made.text;
  if (before.from == before.to) {
    while (written.startsWith("=") || written.startsWith(" ")) written = written.substring(1);
  }
  return after.key == before.key && now.valueOf(after) == written;
}

function knownKey(document: Document, now: Parsed): Failure | null {
  if (now.items.length <= document.items.length) return null;
  const before = countsOf(document.items), after = countsOf(now.items);
  for (let i = 1; i < now.items.length; i++) {
    const key = now.items[i].key;
    if (!before.has(key) || before.get(key) == after.get(key)) continue;
    const hint = "replace its value, or add it a second time with `force`";
    for (let id = 1; id < document.items.length; id++) {
      if (document.items[id].key != key) continue;
      return new Failure("invalid_argument", "`" + key + "` already exists", hint, [document.addresses[id]]);
    }
  }
  return null;
}
