// Parser for `.NAME` files: lines of `name: value`. This template satisfies the laws (properties required of every
// pack); change it to your format.

import { lineEnd, nextLine, part, skipBlanks, textStart, isBlank } from "../sdk/text";
import { Writer } from "../sdk/writer";

const COLON: u8 = 58;

/** A line; offsets are bytes. */
export class Entry {
  address: string = "";

  constructor(public name: string, public start: i32, public end: i32, public from: i32, public to: i32) {}
}

/** A node's id is the index of its entry. */
export class Document {
  entries: Entry[] = [];
  private diagnostics: string[] = [];

  constructor(public text: Uint8Array) {
    for (let at = textStart(text); at < text.length; at = nextLine(text, at)) this.line(at, lineEnd(text, at));
    this.address();
  }

  writeProblems(out: Writer): void {
    out.raw("[").raw(this.diagnostics.join(",")).raw("]");
  }

  /** Writes nodes as lists of their fields: id, parent, kind, name, address, span and selection. */
  writeNodes(ids: i32[], out: Writer): void {
    out.raw("[");
    for (let i = 0; i < ids.length; i++) {
      const entry = this.entries[ids[i]];
      out.raw(i > 0 ? ",[" : "[").number(ids[i]).raw(',null,"property",').text(entry.name);
      out.raw(",").text(entry.address).raw(",").place(entry.from, entry.to);
      out.raw(",").place(entry.from, entry.from).raw("]");
    }
    out.raw("]");
  }

  /** The entries with an address; all entries if it is null. */
  named(address: string | null): i32[] {
    const ids: i32[] = [];
    for (let id = 0; id < this.entries.length; id++) {
      if (address == null || this.entries[id].address == address) ids.push(id);
    }
    return ids;
  }

  addresses(): string[] {
    return this.entries.map<string>((entry) => entry.address);
  }

  private line(start: i32, end: i32): void {
    if (isBlank(this.text, start, end)) return;
    let nameEnd = start;
    while (nameEnd < end && isLetter(this.text[nameEnd])) nameEnd++;
    if (nameEnd == start || nameEnd == end || this.text[nameEnd] != COLON) {
      const message = '{"severity":"error","span":{"start":' + start.toString() + ',"end":' + end.toString();
      this.diagnostics.push(message + '},"message":"expected `name: value`"}');
      return;
    }
    let from = skipBlanks(this.text, nameEnd + 1, end), to = end;
    while (to > from && (this.text[to - 1] == 32 || this.text[to - 1] == 9)) to--;
    // The value is empty: insert it directly after the colon.
    if (from == to) from = to = nameEnd + 1;
    this.entries.push(new Entry(part(this.text, start, nameEnd), start, end, from, to));
  }

  /** Repeated names get a number in their address. */
  private address(): void {
    const counts = new Map<string, i32>();
    for (let id = 0; id < this.entries.length; id++) {
      const entry = this.entries[id], count = counts.has(entry.name) ? counts.get(entry.name) + 1 : 1;
      counts.set(entry.name, count);
      entry.address = count == 1 ? entry.name : entry.name + "[" + count.toString() + "]";
    }
  }
}

/** Returns whether the byte can be in a name. All characters beyond ASCII can. */
function isLetter(byte: u8): bool {
  const lower = byte | 32;
  return byte >= 128 || byte == 95 || (byte >= 48 && byte <= 57) || (lower >= 97 && lower <= 122);
}
