// A failed call: what is wrong, what to do, and the nearest valid alternatives.

import { nearest, outermost } from "./nearest";
import { Writer } from "./writer";

export class Failure {
  constructor(public kind: string, public message: string, public hint: string = "", public candidates: string[] = []) {}

  write(out: Writer): void {
    out.raw('{"failure":{"kind":').text(this.kind).raw(',"message":').text(this.message);
    if (this.hint != "") out.raw(',"hint":').text(this.hint);
    out.raw(',"candidates":[');
    for (let i = 0; i < this.candidates.length; i++) out.raw(i > 0 ? "," : "").text(this.candidates[i]);
    out.raw("]}}");
  }
}

/** The target does not exist; `known` are all existing addresses. */
export function notFound(what: string, wanted: string, known: string[]): Failure {
  const near = nearest(wanted, known);
  const message = "no " + what + " `" + wanted + "`";
  const outline = "read the file without a target to see its outline";
  if (near.length > 0) return new Failure("target_not_found", message, "use one of the candidates, or " + outline, near);
  if (known.length == 0) return new Failure("target_not_found", message, outline);
  const hint = "no similar name: the candidates are the top-level ones; " + outline;
  return new Failure("target_not_found", message, hint, outermost(known));
}
