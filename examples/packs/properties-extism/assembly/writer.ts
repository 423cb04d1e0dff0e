// An answer in the making, as the bytes that it goes out as: an outline may have a hundred thousand nodes, and as one string it
// would take several times the memory.

import { alloc, output_set, store_u64, store_u8 } from "@extism/as-pdk/lib/env";
import { quote } from "./json";

const CHUNK = 1 << 16;

export class Writer {
  private chunks: Uint8Array[] = [];
  /** The bytes of the last chunk that are written. */
  private used: i32 = CHUNK;

  /** JSON as it is. */
  raw(json: string): Writer {
    const length = String.UTF8.byteLength(json);
    if (this.used + length > CHUNK) this.next(length);
    const chunk = this.chunks[this.chunks.length - 1];
    String.UTF8.encodeUnsafe(changetype<usize>(json), json.length, chunk.dataStart + this.used);
    this.used += length;
    return this;
  }

  /** A text, as JSON. */
  text(text: string): Writer {
    return this.raw(quote(text));
  }

  span(from: i32, to: i32): Writer {
    return this.raw('{"start":').raw(from.toString()).raw(',"end":').raw(to.toString()).raw("}");
  }

  /** Make it the answer of the call. */
  send(): i32 {
    this.close();
    let length: u64 = 0;
    for (let i = 0; i < this.chunks.length; i++) length += this.chunks[i].length;
    const block = alloc(length);
    let at = block;
    for (let i = 0; i < this.chunks.length; i++) {
      store(at, this.chunks[i]);
      at += this.chunks[i].length;
    }
    output_set(block, length);
    return 0;
  }

  private next(length: i32): void {
    this.close();
    this.chunks.push(new Uint8Array(max(CHUNK, length)));
    this.used = 0;
  }

  /** The last chunk without what is not written of it. */
  private close(): void {
    if (this.chunks.length > 0) this.chunks.push(this.chunks.pop().subarray(0, this.used));
  }
}

/** Bytes to a place of the host's: eight at once, for each is a call. */
export function store(at: u64, bytes: Uint8Array): void {
  let i = 0;
  for (; i + 8 <= bytes.length; i += 8) store_u64(at + i, load<u64>(bytes.dataStart + i));
  for (; i < bytes.length; i++) store_u8(at + i, bytes[i]);
}
