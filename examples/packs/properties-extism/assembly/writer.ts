// Writes a result as UTF-8 bytes. An outline may have a hundred thousand nodes, and strings would take several times as much
// memory and time.

import { alloc, output_set, store_u64, store_u8 } from "@extism/as-pdk/lib/env";

const CHUNK = 1 << 16;
/** Maximum number of digits of a number, including its sign. */
const DIGITS = 11;

const QUOTE: u8 = 34, BACKSLASH: u8 = 92, MINUS: u8 = 45, ZERO: u8 = 48;

export class Writer {
  private chunks: Uint8Array[] = [];
  /** The position of the next byte in the last chunk, and the end of that chunk. */
  private at: usize = 0;
  private end: usize = 0;

  /** Writes JSON verbatim. */
  raw(json: string): Writer {
    // A UTF-16 code unit has at most three bytes in UTF-8.
    this.room(json.length * 3);
    this.at = copy(json, this.at);
    return this;
  }

  /** Writes a text as a JSON string. */
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
        // Encode everything up to the next escape at once, so that surrogate pairs stay together.
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

  /** Writes a span as a list, which is shorter than an object, for frequent values. */
  place(from: i32, to: i32): Writer {
    return this.raw("[").number(from).raw(",").number(to).raw("]");
  }

  /** Sends the output as the result of the call. */
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

  /** Reserves this many bytes in the last chunk. */
  private room(length: i32): void {
    if (this.at + length <= this.end) return;
    this.close();
    const chunk = new Uint8Array(max(CHUNK, length));
    this.chunks.push(chunk);
    this.at = chunk.dataStart;
    this.end = chunk.dataStart + chunk.length;
  }

  /** Cuts the unused rest off the last chunk. */
  private close(): void {
    if (this.chunks.length == 0) return;
    const last = this.chunks.pop();
    this.chunks.push(last.subarray(0, <i32>(this.at - last.dataStart)));
    this.end = this.at;
  }
}

/** Encodes a text as UTF-8 at a position. Returns the end. */
function copy(text: string, at: usize): usize {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return at + String.UTF8.encodeUnsafe(changetype<usize>(text) + (<usize>i << 1), text.length - i, at);
    store<u8>(at++, <u8>code);
  }
  return at;
}

/** Writes a character that must be escaped in JSON. */
function escape(code: i32, at: usize): usize {
  store<u8>(at++, BACKSLASH);
  if (code >= 32) {
    store<u8>(at++, <u8>code);
    return at;
  }
  return copy("u" + code.toString(16).padStart(4, "0"), at);
}

/** Copies bytes to the memory of the host: eight at once, because each copy is a call. */
export function hand(at: u64, bytes: Uint8Array): void {
  let i = 0;
  for (; i + 8 <= bytes.length; i += 8) store_u64(at + i, load<u64>(bytes.dataStart + i));
  for (; i < bytes.length; i++) store_u8(at + i, bytes[i]);
}
