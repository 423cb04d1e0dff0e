// Links and symbols: `include=other.properties`, and `${key}` in a value. An optional part that a pack does not need.

import { Failure, folder, join, relative, slice } from "@marquetry/sdk";
import * as workspace from "@marquetry/sdk/workspace";

import { parse } from "./parse.js";

export const links = {
  links(document) {
    return includes(document).map((item) => {
      const specifier = document.valueOf(item);
      return { kind: "include", span: item.value, statement: item.whole, specifier, names: ["*"] };
    });
  },

  resolve(context, requests) {
    return requests.map(({ specifier }) => {
      if (/^(\/|[a-z][a-z+.-]+:)/i.test(specifier)) return "external";
      const path = join(folder(context.path), specifier);
      if (path === null) return { tag: "unknown", value: "it is outside the root" };
      return workspace.stat(path) === "file" ? { tag: "inside", path, suffix: "" } : { tag: "missing", value: path };
    });
  },

  formatSpecifiers(context, requests) {
    return requests.map(({ from, to, specifier }) => {
      const path = relative(folder(from), to);
      return specifier.startsWith("./") && !path.startsWith("..") ? `./${path}` : path;
    });
  },

  unlink(document, indices) {
    const all = includes(document);
    return document.edit(indices.map((index) => document.items.indexOf(all[index])), { tag: "delete" }, { force: true });
  },
};

export const symbols = {
  facts(document) {
    const exports = document.items.slice(1).map(({ name, key }) => ({ name: plain(name), local: plain(name), span: key, kind: "key" }));
    const imports = includes(document).map((item) => ({ specifier: document.valueOf(item), name: "*", exported: "*" }));
    return { exports, imports };
  },

  resolveSymbol(document, subject) {
    const name = nameOf(document, subject);
    const places = placesOf(document, name);
    const declaration = places.find(({ usage }) => usage === "declaration");
    const index = document.items.findIndex(({ key }) => key === declaration?.span);
    return {
      name,
      kind: "key",
      address: index > 0 ? document.addresses[index] : null,
      occurrences: places.map((place) => ({ ...place, certain: true })),
      exportedAs: declaration === undefined ? [] : [name],
      elsewhere: subject.tag === "at" && declaration === undefined ? declaredElsewhere(document, name) : null,
    };
  },

  rename(document, subject, newName) {
    const name = nameOf(document, subject);
    if (!/^[^\s=:#!\\${}]+$/.test(newName)) {
      throw Failure.invalid(`\`${newName}\` is not a key`, "a key must not contain blanks or any of `= : # ! \\ $ { }`");
    }
    if (document.items.some((item) => plain(item.name) === newName)) {
      throw new Failure("refactor-failed", `\`${newName}\` already exists`, { hint: "choose another name", candidates: [newName] });
    }
    const places = placesOf(document, name);
    const isDeclared = places.some(({ usage }) => usage === "declaration");
    if (subject.tag === "at" && !isDeclared) {
      const elsewhere = declaredElsewhere(document, name);
      if (elsewhere !== null) return { name, elsewhere };
    }
    return { name, edits: places.map(({ span }) => ({ span, text: newName })), exported: isDeclared ? [{ old: name, new: newName }] : [] };
  },
};

function includes(document) {
  return document.items.filter((item) => item.name === "include" && /^[^$\\]+$/.test(document.valueOf(item)));
}

// A key with its escapes decoded: `a\ b` is `a b`.
function plain(name) {
  return name.replace(/\\(.)/gs, "$1");
}

// All declarations of keys, and all `${…}` in values.
function* mentions(items, text) {
  for (const { name, key, value } of items.slice(1)) {
    yield { name: plain(name), usage: "declaration", span: key };
    for (const use of slice(text, value).matchAll(/\$\{([^${}\\\s]+)\}/g)) {
      const start = value.start + use.index + 2;
      yield { name: use[1], usage: "read", span: { start, end: start + use[1].length } };
    }
  }
}

function placesOf(document, wanted) {
  const all = [...mentions(document.items, document.text)].filter(({ name }) => name === wanted);
  return all.map(({ usage, span }) => ({ usage, span }));
}

// The name that a subject refers to.
function nameOf(document, subject) {
  if (subject.tag === "exported") return subject.value;
  if (subject.tag === "imported") return subject.name;
  if (subject.tag === "address") {
    const index = document.addresses.indexOf(subject.value, 1);
    if (index > 0) return plain(document.items[index].name);
    throw Failure.notFound("key", subject.value, document.addresses.slice(1));
  }
  const at = subject.tag === "at" ? subject.value : -1;
  for (const { name, span } of mentions(document.items, document.text)) if (span.start <= at && at <= span.end) return name;
  // The whole entry stands for its key.
  const around = document.items.slice(1).find(({ whole }) => whole.start <= at && at <= whole.end);
  if (around !== undefined) return plain(around.name);
  throw new Failure("target-not-found", "there is no key at this position", { hint: "give the position of a key, or of a key in `${…}`" });
}

// The declaration of a key in an included file, searched recursively.
function declaredElsewhere(document, wanted, seen = new Set([document.path])) {
  for (const item of includes(document)) {
    const path = join(folder(document.path), document.valueOf(item));
    const text = path === null || seen.has(path) ? null : workspace.read(path);
    if (text === null) continue;
    seen.add(path);
    const { items } = parse(text);
    const declared = items.slice(1).find(({ name }) => plain(name) === wanted);
    if (declared !== undefined) return { path, offset: declared.key.start };
    const below = declaredElsewhere({ path, items, valueOf: ({ value }) => slice(text, value) }, wanted, seen);
    if (below !== null) return below;
  }
  return null;
}
