// Converts offsets of one text between UTF-16 indices (JavaScript) and UTF-8 bytes (WIT interface).

// Splits long runs of non-ASCII characters, so that no conversion has to walk far.
const OTHERS = /[^\x00-\x7f]{1,256}/g;

export class Offsets {
  #text;
  // Start and end of each run of non-ASCII characters, in UTF-16 code units and in bytes. `null` for ASCII text.
  #runs = null;
  #last = 0;

  constructor(text) {
    this.#text = text;
    if (!/[^\x00-\x7f]/.test(text)) return;
    this.#runs = [];
    let unit = 0;
    let byte = 0;
    for (const match of text.matchAll(OTHERS)) {
      const start = match.index;
      const bytes = length(match[0]);
      byte += start - unit;
      unit = start + match[0].length;
      this.#runs.push([start, unit, byte, byte + bytes]);
      byte += bytes;
    }
  }

  // The length of the text in bytes.
  get size() {
    return this.toByte(this.#text.length);
  }

  // Converts a UTF-16 index to a byte offset.
  toByte(index) {
    if (this.#runs === null) return index;
    const run = this.#before(index, 0);
    if (run === null) return index;
    const [start, end, first, last] = run;
    return index >= end ? last + index - end : first + length(this.#text.slice(start, index));
  }

  // Converts a byte offset to a UTF-16 index.
  toIndex(byte) {
    if (this.#runs === null) return byte;
    const run = this.#before(byte, 2);
    if (run === null) return byte;
    const [start, end, first, last] = run;
    if (byte >= last) return end + byte - last;
    let index = start;
    for (let at = first; at < byte && index < end; ) {
      const unit = this.#text.codePointAt(index);
      at += width(unit);
      index += unit > 0xffff ? 2 : 1;
    }
    return index;
  }

  // Returns whether the index is between the two halves of a surrogate pair.
  splits(index) {
    const unit = this.#runs === null ? 0 : this.#text.charCodeAt(index);
    const before = unit >= 0xdc00 && unit <= 0xdfff && index > 0 ? this.#text.charCodeAt(index - 1) : 0;
    return before >= 0xd800 && before <= 0xdbff;
  }

  // The last run that starts at or before an offset; `column` selects the unit. Most calls come in document order.
  #before(offset, column) {
    const runs = this.#runs;
    let at = this.#last;
    const fits = (index) => runs[index][column] <= offset && (index + 1 === runs.length || runs[index + 1][column] > offset);
    if (fits(at)) return runs[at];
    let [low, high] = [0, runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[middle][column] <= offset) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return null;
    at = low - 1;
    this.#last = at;
    return runs[at];
  }
}

function width(point) {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

// The length in bytes. An unpaired surrogate counts as the replacement character it becomes.
function length(text) {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index);
    bytes += width(point);
    if (point > 0xffff) index += 1;
  }
  return bytes;
}
