// Converts offsets in the document of a call, in other files, and in edited text.

import { Mismatch } from "./convert.js";
import { workspaceOf } from "./host.js";
import { Offsets } from "./offsets.js";
import { apply } from "./text.js";

export class Place {
  #offsets;

  constructor(path, text) {
    this.path = path;
    this.text = text;
    this.#offsets = new Offsets(text);
  }

  toByte(index, label) {
    if (!Number.isInteger(index) || index < 0 || index > this.text.length) {
      throw new Mismatch(`\`${label}\` is ${index}, which is not an offset in a text of ${this.text.length}`);
    }
    if (this.#offsets.splits(index)) throw new Mismatch(`\`${label}\` is ${index}, between the halves of one character`);
    return this.#offsets.toByte(index);
  }

  toIndex(byte) {
    return this.#offsets.toIndex(byte);
  }

  // Returns the place for the file with this path.
  in(path) {
    if (path === this.path) return this;
    const text = workspaceOf()?.read?.(path) ?? null;
    return text === null ? NOWHERE : new Place(path, text);
  }

  // Returns the place for the text after these edits.
  after(edits) {
    const sorted = [...edits].sort((a, b) => a.span.start - b.span.start);
    return new Place(this.path, apply(this.text, sorted));
  }
}

// Used without a text, as in calls before a document is opened: offsets are not converted.
export const NOWHERE = {
  path: "",
  toByte: (index) => index,
  toIndex: (byte) => byte,
  in(path) {
    const text = workspaceOf()?.read?.(path) ?? null;
    return text === null ? NOWHERE : new Place(path, text);
  },
  after: () => NOWHERE,
};
