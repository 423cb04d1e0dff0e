// The pack for `.NAME` files: lines of `name: value`. This template satisfies the laws (properties required of every
// pack); change it to your format.

import { definePack, Failure } from "@marquetry/sdk";

class PASCAL {
  constructor(text) {
    this.text = text;
    this.entries = [];
    this.wrong = [];
    const counts = new Map();
    for (const line of text.matchAll(/[^\r\n]+/g)) {
      const found = /^([\p{L}\p{N}_]+):[ \t]*(.*?)[ \t]*$/su.exec(line[0]);
      const whole = { start: line.index, end: line.index + line[0].length };
      if (!found) {
        if (line[0].trim() !== "") this.wrong.push({ severity: "error", span: whole, message: "expected `name: value`" });
        continue;
      }
      const [, name, value] = found;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const start = value === "" ? whole.start + line[0].trimEnd().length : whole.start + line[0].indexOf(value, name.length + 1);
      this.entries.push({ name, address: count === 1 ? name : `${name}[${count}]`, value: { start, end: start + value.length }, whole });
    }
  }

  diagnostics() {
    return this.wrong;
  }

  outline() {
    return this.entries.map(({ name, address, value }, id) => {
      return { id, kind: "property", name, address, span: value, selection: { start: value.start, end: value.start } };
    });
  }

  find({ target }) {
    const found = this.outline().filter(({ address }) => address === target.value);
    if (found.length === 0) throw Failure.notFound("name", target.value, this.entries.map(({ address }) => address));
    return found;
  }

  view(node, form) {
    const { value, whole } = this.entries[node];
    return form === "full" || form === "body" ? value : { start: whole.start, end: value.end };
  }

  edit(nodes, operation) {
    return nodes.map((node) => this.change(this.entries[node], operation));
  }

  change({ value, whole }, operation) {
    switch (operation.tag) {
      case "replace": {
        const text = operation.value.trim();
        if (/[\r\n]/.test(text)) throw Failure.invalid("a value is one line", "insert further lines with `insert_after`");
        const space = value.start === value.end && this.text[value.start - 1] === ":" ? " " : "";
        return { span: value, text: space + text };
      }
      case "insert-before":
        return { span: { start: whole.start, end: whole.start }, text: `${operation.value.trimEnd()}\n` };
      case "insert-after":
        return { span: { start: whole.end, end: whole.end }, text: `\n${operation.value.trimEnd()}` };
      case "delete":
        return { span: { start: whole.start, end: this.next(whole.end) }, text: "" };
      default:
        throw Failure.unsupported("a value has no children and cannot be wrapped", "use `replace`, `insert_before`, `insert_after` or `delete`");
    }
  }

  /** The start of the next line. */
  next(end) {
    return end + (/^\r?\n/.exec(this.text.slice(end, end + 2))?.[0].length ?? 0);
  }
}

export default definePack({
  id: "NAME",
  name: "PASCAL",
  version: "0.1.0",
  files: ["*.NAME"],
  targets: [{ kind: "path", syntax: "`name`, or `name[2]` for the second line with this name", examples: ["title"] }],
  help: "Lines of `name: value`. `path: \"title\"` addresses the value of a line; `price[2]` is the second of that name.",
  open: (path, text) => new PASCAL(text),
});
