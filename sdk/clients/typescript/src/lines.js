// Splits a stream of bytes into lines of text.

const NEWLINE = 10

/**
 * Passes on complete lines. Only a line feed ends a line: Node's `readline` also splits at U+2028 and U+2029, which JSON
 * may contain.
 */
export class LineReader {
  #chunks = []
  #onLine

  constructor(onLine) {
    this.#onLine = onLine
  }

  push(chunk) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#chunks.push(chunk.subarray(start, end))
      // The bytes are joined before they are decoded, because a character may be in two chunks.
      const line = Buffer.concat(this.#chunks).toString('utf8')
      this.#chunks = []
      start = end + 1
      if (line.trim()) this.#onLine(line)
    }
    if (start < chunk.length) this.#chunks.push(chunk.subarray(start))
  }
}
