// A pack for `.properties` files: its description, and its document.

import { definePack, Failure, lineEnd, slice } from "@marquetry/sdk";

import { edit, insertMissing } from "./edit.js";
import { links, symbols } from "./names.js";
import { parse } from "./parse.js";

const help = `Files of \`key = value\` lines: \`.properties\`.

- \`path: "server.port"\` addresses an entry by its key, written as in the file. A repeated key finds all its entries; \`port[2]\` is the second.
- \`path: "."\` addresses all entries.
- A target is the **value**, with all its lines. The comment directly above belongs to an entry.

| operation | what happens |
| --- | --- |
| \`replace\` | a new value; \`key=value\` with the same key is the same as its value |
| \`replace_body\` | a new value, as it is |
| \`insert_before\`, \`insert_after\` | entries next to an entry |
| \`insert_into\` \`.\` | entries: \`first\`, \`last\`, or \`sorted\` by key |
| \`wrap\` | \`before\` and \`after\` around the value |
| \`delete\` | the entry, with the comment above it |

\`include=other.properties\` names another file, and \`\${key}\` in a value names a key of this file or of one that it includes.`;

class Properties {
  constructor(path, text) {
    this.path = path;
    this.text = text;
    // The first item stands for all entries.
    Object.assign(this, parse(text));
    this.addresses = addresses(this.items);
  }

  diagnostics() {
    return this.found;
  }

  outline() {
    return this.items.slice(1).map((_, index) => this.node(index + 1));
  }

  node(id) {
    const { name, value, doc } = this.items[id];
    const start = { start: value.start, end: value.start };
    return { id, kind: id === 0 ? "file" : "property", name, address: this.addresses[id], span: value, selection: start, body: value, doc };
  }

  find({ target }) {
    const wanted = target.value;
    if (wanted === ".") return [this.node(0)];
    const own = this.addresses.indexOf(wanted, 1);
    if (own > 0) return [this.node(own)];
    const named = this.items.flatMap(({ name }, index) => (index > 0 && name === wanted ? [this.node(index)] : []));
    if (named.length === 0) throw this.notFound(wanted);
    return named;
  }

  notFound(wanted) {
    const key = wanted.replace(/^\$\./, "");
    // A likely mistake, because other data formats use JSONPath.
    if (key !== wanted && this.addresses.includes(key)) {
      const hint = "write keys as they appear in the file, not as JSONPath";
      return new Failure("invalid-target", `not a key: \`${wanted}\``, { hint, candidates: [key] });
    }
    return Failure.notFound("key", wanted, this.addresses.slice(1));
  }

  view(node, form) {
    const { value, whole } = this.item(node);
    if (form === "full" || form === "body") return value;
    if (node === 0 && form === "summary") return this.items.slice(1).map(({ name }) => `${name}\n`).join("");
    if (form === "summary") return whole;
    return { start: whole.start, end: Math.min(lineEnd(this.text, whole.start), whole.end) };
  }

  item(node) {
    if (node >= this.items.length) throw Failure.invalid(`no node ${node}`);
    return this.items[node];
  }

  edit(nodes, operation, options) {
    return edit(this, nodes, operation, options);
  }

  insertMissing(target, content) {
    if (target.value === "." || this.items.some(({ name }) => name === target.value)) {
      throw Failure.invalid(`\`${target.value}\` is not a new key`, "give a key that does not exist yet, or use `replace`");
    }
    return insertMissing(this, target.value, content);
  }

  valueOf(item) {
    return slice(this.text, item.value);
  }
}

// An address for each item: its key, with a number if several entries have the same key.
function addresses(items) {
  const counts = new Map();
  for (const { name } of items.slice(1)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set(counts.keys());
  const seen = new Map();
  return items.map(({ name }, index) => {
    if (index === 0) return ".";
    if (counts.get(name) === 1 && name !== ".") return name;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    let address = `${name}[${seen.get(name)}]`;
    // `list[1]` can also be a real key.
    while (taken.has(address)) address += `[${seen.get(name)}]`;
    taken.add(address);
    return address;
  });
}

export default definePack({
  id: "properties",
  name: "Properties",
  version: "0.1.0",
  files: ["*.properties"],
  targets: [{ kind: "path", syntax: "`key`, as written in the file; `.` for all entries", examples: ["server.port", "path[2]"] }],
  help,
  open: (path, text) => new Properties(path, text),
  links,
  symbols,
});
