// Why a call failed, as a menu: what was wrong, what to do, and the nearest right answers.

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

  // The target names nothing; `known` are all addresses there are.
  static notFound(what, wanted, known = []) {
    const all = [...known];
    const near = nearest(wanted, all);
    const message = `no ${what} \`${wanted}\``;
    const outline = "read the file without a target to see its outline";
    if (near.length > 0) {
      return new Failure("target-not-found", message, { hint: `use one of the candidates, or ${outline}`, candidates: near });
    }
    if (all.length === 0) return new Failure("target-not-found", message, { hint: outline });
    const hint = `none is like it: the candidates are the outermost that there are; ${outline}`;
    return new Failure("target-not-found", message, { hint, candidates: outermost(all) });
  }

  // The operation makes no sense for this kind of node, or the pack does not do it.
  static unsupported(message, hint = null) {
    return new Failure("unsupported", message, { hint });
  }

  // A content or another argument is not what it has to be.
  static invalid(message, hint = null, candidates = []) {
    return new Failure("invalid-argument", message, { hint, candidates });
  }
}
