// An open file: addresses and views of its entries. Independent of edits.

import { Failure, notFound } from "./failure";
import { Item, Parsed } from "./parse";
import { lineEnd } from "./text";
import { Writer } from "./writer";

/** The address of all entries. */
const ALL = ".";

/** A node's id is the index of its item. */
export class Document {
  parsed: Parsed;
  addresses: string[];

  constructor(text: Uint8Array) {
    const parsed = new Parsed(text);
    this.parsed = parsed;
    this.addresses = addressesOf(parsed.items);
  }

  get text(): Uint8Array {
    return this.parsed.text;
  }

  get items(): Item[] {
    return this.parsed.items;
  }

  diagnostics(out: Writer): void {
    for (let i = 0; i < this.parsed.diagnostics.length; i++) {
      const problem = this.parsed.diagnostics[i];
      out.raw(i > 0 ? ',{"severity":' : '{"severity":').text(problem.isError ? "error" : "warning");
      out.raw(',"span":').span(problem.from, problem.to).raw(',"message":').text(problem.message).raw("}");
    }
  }

  /** Writes the nodes of these items. */
  nodes(ids: i32[], out: Writer): void {
    for (let i = 0; i < ids.length; i++) {
      if (i > 0) out.raw(",");
      this.node(ids[i], out);
    }
  }

  /** All entries, without the first item, which stands for all of them. */
  entries(): i32[] {
    const ids: i32[] = [];
    for (let id = 1; id < this.items.length; id++) ids.push(id);
    return ids;
  }

  /** The nodes that an address matches: the item with this address, or all entries with this key. */
  named(address: string): i32[] {
    if (address == ALL) return [0];
    const own = this.addresses.indexOf(address, 1);
    if (own > 0) return [own];
    const alike: i32[] = [];
    for (let id = 1; id < this.items.length; id++) if (this.items[id].key == address) alike.push(id);
    return alike;
  }

  notFound(address: string): Failure {
    const key = address.startsWith("$.") ? address.substring(2) : "";
    // A likely mistake, because other data formats use JSONPath.
    if (key != "" && this.addresses.includes(key)) {
      const hint = "write keys as they appear in the file, not as JSONPath";
      return new Failure("invalid_target", "not a key: `" + address + "`", hint, [key]);
    }
    return notFound("key", address, this.addresses.slice(1));
  }

  view(id: i32, form: string, out: Writer): void {
    const item = this.items[id];
    if (form == "summary" && id == 0) out.raw('{"text":').text(this.keys()).raw("}");
    else if (form == "full" || form == "body") out.raw('{"span":').span(item.from, item.to).raw("}");
    else {
      const end = form == "summary" ? item.to : min(lineEnd(this.text, item.start), item.to);
      out.raw('{"span":').span(item.start, end).raw("}");
    }
  }

  private keys(): string {
    const keys: string[] = [];
    for (let id = 1; id < this.items.length; id++) keys.push(this.items[id].key + "\n");
    return keys.join("");
  }

  /** Writes a node as a list of its fields: id, parent, kind, name, address, span, selection, body, doc (if any). */
  private node(id: i32, out: Writer): void {
    const item = this.items[id];
    out.raw("[").number(id).raw(id == 0 ? ',null,"file",' : ',null,"property",').text(item.key);
    out.raw(",").text(this.addresses[id]).raw(",").place(item.from, item.to).raw(",").place(item.from, item.from);
    out.raw(",").place(item.from, item.to);
    if (item.docFrom >= 0) out.raw(",").place(item.docFrom, item.docTo);
    out.raw("]");
  }
}

/** The number of entries per key. */
export function countsOf(items: Item[]): Map<string, i32> {
  const counts = new Map<string, i32>();
  for (let id = 1; id < items.length; id++) {
    const key = items[id].key;
    counts.set(key, counts.has(key) ? counts.get(key) + 1 : 1);
  }
  return counts;
}

/** An address for each item: its key, with a number if several entries have the same key. */
function addressesOf(items: Item[]): string[] {
  const addresses = [ALL], counts = countsOf(items);
  const seen = new Map<string, i32>(), numbered = new Set<string>();
  for (let id = 1; id < items.length; id++) {
    const key = items[id].key;
    if (key != ALL && counts.get(key) == 1) {
      addresses.push(key);
      continue;
    }
    const number = seen.has(key) ? seen.get(key) + 1 : 1;
    seen.set(key, number);
    let address = key;
    // `list[1]` can also be a real key.
    do address += "[" + number.toString() + "]"; while (counts.has(address) || numbered.has(address));
    numbered.add(address);
    addresses.push(address);
  }
  return addresses;
}
