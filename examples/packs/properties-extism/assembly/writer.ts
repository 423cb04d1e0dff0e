// An answer in the making, as the bytes that it goes out as: an outline may have a hundred thousand nodes, and as strings it would
// take several times the memory, and the time.

import { alloc, output_set, store_u64, store_u8 } from "@extism/as-pdk/lib/env";

const CHUNK = 1 << 16;
/** The most digits of a number, and its sign. */
const DIGITS = 11;

const QUOTE: u8 = 34, BACKSLASH: u8 = 92, MINUS: u8 = 45, ZERO: u8 = 48;

export class Writer {
  private chunks: Uint8Array[] = [];
  /** Where the next byte goes in the last chunk, and where that ends. */
  private at: usize = 0;
  private end: usize = 0;

  /** JSON as it is. */
  raw(json: string): Writer {
    // In UTF-8 a unit of UTF-16 has three bytes at most.
    this.room(json.length * 3);
    this.at = copy(json, this.at);
    return this;
  }

  /** A text, as JSON. */
  text(text: string): Writer {
    this.room(text.length * 6 + 2);
    let at = this.at;
    store<u8>(at++, QUOTE);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 32 || code == QUOTE || code == BACKSLASH) {
        at = escape(code, at);
      } else if (code < 128) {
        store<u8>(at++, <u8>code);
      } else {
        // Up to what has to be escaped, as one piece: a letter may be two units.
        let to = i + 1;
        while (to < text.length && text.charCodeAt(to) >= 128) to++;
        at += String.UTF8.encodeUnsafe(changetype<usize>(text) + (<usize>i << 1), to - i, at);
        i = to - 1;
      }
    }
    store<u8>(at++, QUOTE);
    this.at = at;
    return this;
  }

  number(value: i32): Writer {
    this.room(DIGITS);
    let at = this.at;
    let rest = <u32>abs(value);
    if (value < 0) store<u8>(at++, MINUS);
    let digits = 1;
    for (let left = rest; left > 9; left /= 10) digits++;
    for (let i = digits; i > 0; rest /= 10) store<u8>(at + --i, ZERO + <u8>(rest % 10));
    this.at = at + digits;
    return this;
  }

  span(from: i32, to: i32): Writer {
    return this.raw('{"start":').number(from).raw(',"end":').number(to).raw("}");
  }

  /** A span as a list, as which it has fewer bytes: for what there are many of. */
  place(from: i32, to: i32): Writer {
    return this.raw("[").number(from).raw(",").number(to).raw("]");
  }

  /** Make it the answer of the call. */
  send(): i32 {
    this.close();
    let length: u64 = 0;
    for (let i = 0; i < this.chunks.length; i++) length += this.chunks[i].length;
    const block = alloc(length);
    let at = block;
    for (let i = 0; i < this.chunks.length; i++) {
      hand(at, this.chunks[i]);
      at += this.chunks[i].length;
    }
    output_set(block, length);
    return 0;
  }

  /** Room for so many bytes in the last chunk. */
  private room(length: i32): void {
    if (this.at + length <= this.end) return;
    this.close();
    const chunk = new Uint8Array(max(CHUNK, length));
    this.chunks.push(chunk);
    this.at = chunk.dataStart;
    this.end = chunk.dataStart + chunk.length;
  }

  /** The last chunk without what is not written of it. */
  private close(): void {
    if (this.chunks.length == 0) return;
    const last = this.chunks.pop();
    this.chunks.push(last.subarray(0, <i32>(this.at - last.dataStart)));
    this.end = this.at;
  }
}

/** A text at a place, as UTF-8; where it ends there. */
function copy(text: string, at: usize): usize {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return at + String.UTF8.encodeUnsafe(changetype<usize>(text) + (<usize>i << 1), text.length - i, at);
    store<u8>(at++, <u8>code);
  }
  return at;
}

/** A character that does not stand in JSON as it is. */
function escape(code: i32, at: usize): usize {
  store<u8>(at++, BACKSLASH);
  if (code >= 32) {
    store<u8>(at++, <u8>code);
    return at;
  }
  return copy("u" + code.toString(16).padStart(4, "0"), at);
}

/** Bytes to a place of the host's: eight at once, for each is a call. */
export function hand(at: u64, bytes: Uint8Array): void {
  let i = 0;
  for (; i + 8 <= bytes.length; i += 8) store_u64(at + i, load<u64>(bytes.dataStart + i));
  for (; i < bytes.length; i++) store_u8(at + i, bytes[i]);
}
