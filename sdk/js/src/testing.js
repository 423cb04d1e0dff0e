// Runs a pack in Node, through the functions that a component exports: text in, text out. For `node --test`.

import { readContract } from "../build/wit.js";
import { Failure } from "./failure.js";
import { provide } from "./host.js";
import { exportsOf } from "./pack.js";
import { Place } from "./place.js";

const contract = readContract();

// Opens a text. `workspace` maps paths to texts, for packs that read other files.
export function open(pack, path, text, { settings = {}, workspace = {} } = {}) {
  return new Bench(pack, path, text, settings, workspace);
}

class Bench {
  #all;
  #document;
  #place;
  #bytes;

  constructor(pack, path, text, settings, workspace) {
    provide({ workspace: offered(workspace) });
    this.pack = pack;
    this.text = text;
    this.#bytes = Buffer.from(text);
    this.#place = new Place(path, text);
    this.#all = exportsOf(pack, contract);
    this.#document = new this.#all.language.Document(path, text, JSON.stringify(settings));
  }

  // The outline as indented lines: `kind name @address`.
  outline() {
    const nodes = this.#document.outline();
    const depth = (node) => (node.parent === null ? 0 : 1 + depth(nodes[node.parent]));
    return nodes.map((node) => `${"  ".repeat(depth(node))}${node.kind} ${node.name} @${node.address}\n`).join("");
  }

  // The nodes of the outline as WIT records, with byte offsets.
  nodes() {
    return this.#document.outline();
  }

  // The diagnostics as `line:column message`; both start at 1.
  diagnostics() {
    return this.#document.diagnostics().map(({ span, message }) => {
      const before = this.#part({ start: 0, end: span.start }).split(/\r\n|\n|\r/);
      return `${before.length}:${before.at(-1).length + 1} ${message}`;
    });
  }

  // The nodes that a target matches. `kind` defaults to the pack's default kind.
  find(value, kind = this.pack.targets[0]?.kind, { limit = 2 ** 32 - 1, values = false } = {}) {
    const found = this.#run(() => this.#document.find({ target: { kind, value }, limit, values }));
    return found.tag === "scalar" ? found.val : found.val.nodes;
  }

  // The texts of the nodes that a target matches.
  read(value, kind) {
    return this.find(value, kind).map((node) => this.#part(node.span));
  }

  // A view of the first node that a target matches.
  view(value, form = "full", kind) {
    const [node] = this.find(value, kind);
    const view = this.#run(() => this.#document.view(node.id, form));
    return view.tag === "text" ? view.val : this.#part(view.val);
  }

  // The text after an operation on all nodes that a target matches: `edit("a", "replace", "1")`,
  // `edit("a", "insert-into", { content, position })`, `edit("a", "delete")`.
  edit(value, tag, payload, { includeDoc = false, force = false, kind } = {}) {
    const operation = payload === undefined ? { tag } : { tag, val: payload };
    const nodes = this.find(value, kind).map((node) => node.id);
    return this.#after(this.#run(() => this.#document.edit(Uint32Array.from(nodes), operation, { includeDoc, force })));
  }

  // The text after the creation of a missing target.
  insertMissing(value, content, kind = this.pack.targets[0].kind) {
    return this.#after(this.#run(() => this.#document.insertMissing({ kind, value }, content)));
  }

  // Calls a function of an optional interface, with byte offsets: `call("links", "links")`. If the function takes a
  // document, this one is passed.
  call(name, word, ...args) {
    const known = contract.interfaces[name].functions;
    const [first] = Object.entries(known).find(([key]) => key === word)?.[1].params ?? [];
    const document = first?.[0] === "document" ? [this.#document] : [];
    const camelCase = word.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
    return this.#run(() => this.#all[name][camelCase](...document, ...args));
  }

  // The links as `kind specifier`, each with its source text.
  links() {
    return this.call("links", "links").map(({ kind, specifier, span }) => `${kind} ${specifier} \`${this.#part(span)}\``);
  }

  // The text after a rename of the symbol at an index, or of a subject.
  rename(subject, newName) {
    return this.#after(this.renaming(subject, newName).edits);
  }

  // The result of a rename, with byte offsets.
  renaming(subject, newName) {
    const where = typeof subject === "number" ? { tag: "at", val: this.#place.toByte(subject, "subject") } : subject;
    return this.call("symbols", "rename", where, newName);
  }

  #part({ start, end }) {
    return this.#bytes.subarray(start, end).toString();
  }

  // Applies edits, which must be sorted, not overlap, and not split characters.
  #after(edits) {
    const parts = [];
    let at = 0;
    for (const { span, text } of edits) {
      if (span.start < at) throw new Error(`edits must be sorted and must not overlap: one starts at byte ${span.start}, the one before it ends at ${at}`);
      parts.push(this.#bytes.subarray(at, span.start), Buffer.from(text));
      at = span.end;
    }
    return Buffer.concat([...parts, this.#bytes.subarray(at)]).toString();
  }

  // Converts a failure back to the author's class.
  #run(call) {
    try {
      return call();
    } catch (error) {
      if (error instanceof Error) throw error;
      const { kind, message, hint, candidates, span } = error;
      const own = span && { start: this.#place.toIndex(span.start), end: this.#place.toIndex(span.end) };
      throw new Failure(kind, message, { hint, candidates, span: own });
    }
  }
}

function offered(files) {
  const folders = new Set(Object.keys(files).flatMap((path) => path.split("/").map((_, at, parts) => parts.slice(0, at).join("/"))));
  const kind = (path) => (path in files ? "file" : folders.has(path) ? "directory" : null);
  return {
    stat: kind,
    read: (path) => {
      if (!(path in files)) throw Object.assign(new Error("not-found"), { payload: "not-found" });
      return files[path];
    },
    entries: (folder) => {
      const inside = Object.keys(files).filter((path) => folder === "" || path.startsWith(`${folder}/`));
      const names = new Set(inside.map((path) => path.slice(folder === "" ? 0 : folder.length + 1).split("/")[0]));
      return [...names].sort().map((name) => ({ name, kind: kind(folder === "" ? name : `${folder}/${name}`) }));
    },
    version: (path) => files[path]?.length ?? null,
    layout: () => 0,
    exporters: () => [],
  };
}

// Checks the laws (properties) that every pack must satisfy for any text. Throws if one is broken.
export function laws(pack, path, text) {
  const bench = open(pack, path, text);
  const bytes = Buffer.from(text);
  const hold = (is, law, node) => {
    if (!is) throw new Error(`${law}${node ? `: \`${node.address}\`` : ""} in\n${text}`);
  };
  const boundary = (at) => at <= bytes.length && (bytes[at] & 0xc0) !== 0x80;
  bench.nodes().forEach((node, index) => {
    hold(node.parent === null || node.parent < index, "a parent must come before its children", node);
    hold(boundary(node.span.start) && boundary(node.span.end), "a span must not split a character", node);
    const inside = node.selection.start >= node.span.start && node.selection.end <= node.span.end;
    hold(inside, "the selection must be inside the span", node);
    const found = bench.find(node.address);
    hold(found.length === 1 && found[0].id === node.id, "an address must find only its node", node);
    for (const form of ["full", "signature", "body", "summary"]) bench.view(node.address, form);
    holdAfterDelete(bench, pack, path, node, hold);
  });
}

// A deleted node no longer exists, and a deletion adds no diagnostics.
function holdAfterDelete(bench, pack, path, node, hold) {
  let after;
  try {
    after = bench.edit(node.address, "delete");
  } catch (error) {
    if (error instanceof Failure) return;
    throw error;
  }
  const without = open(pack, path, after);
  hold(without.nodes().length < bench.nodes().length, "a deleted node must no longer exist", node);
  hold(without.diagnostics().length <= bench.diagnostics().length, "a deletion must not add diagnostics", node);
}
