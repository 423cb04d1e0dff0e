// A failed call: what is wrong, what to do, and the nearest valid alternatives.

import { nearest, outermost } from "./nearest.js";

export class Failure extends Error {
  constructor(kind, message, { hint = null, candidates = [], span = null } = {}) {
    super(message);
    this.name = "Failure";
    this.kind = kind;
    this.hint = hint;
    this.candidates = candidates;
    this.span = span;
  }

  // The target does not exist; `known` are all existing addresses.
  static notFound(what, wanted, known = []) {
    const all = [...known];
    const near = nearest(wanted, all);
    const message = `no ${what} \`${wanted}\``;
    const outline = "read the file without a target to see its outline";
    if (near.length > 0) {
      return new Failure("target-not-found", message, { hint: `use one of the candidates, or ${outline}`, candidates: near });
    }
    if (all.length === 0) return new Failure("target-not-found", message, { hint: outline });
    const hint = `no similar name: the candidates are the top-level ones; ${outline}`;
    return new Failure("target-not-found", message, { hint, candidates: outermost(all) });
  }

  // The operation is not supported by the pack or for this kind of node.
  static unsupported(message, hint = null) {
    return new Failure("unsupported", message, { hint });
  }

  // The content or another argument is invalid.
  static invalid(message, hint = null, candidates = []) {
    return new Failure("invalid-argument", message, { hint, candidates });
  }
}
