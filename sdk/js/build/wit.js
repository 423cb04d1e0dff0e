// Parses the WIT files: the types, and the functions of each interface.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const FOLDER = fileURLToPath(new URL("../wit", import.meta.url));
// The optional interfaces.
export const OPTIONAL = ["links", "symbols", "refactors", "hover", "search", "mentions"];

// The parsed WIT files: `{ version, types, interfaces }`.
export function readContract(folder = FOLDER) {
  const contract = { version: "", types: {}, interfaces: {} };
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".wit")).sort()) {
    new Reader(readFileSync(join(folder, file), "utf8"), contract).file();
  }
  return contract;
}

// The part of the WIT interface (the contract) that a pack with these interfaces needs.
export function neededOf({ version, types, interfaces }, names) {
  const needed = { version, types: {}, interfaces: {} };
  const take = (type) => {
    if (typeof type === "string") {
      if (type in needed.types || !(type in types)) return;
      needed.types[type] = types[type];
      const { alias, record = [], variant = [] } = types[type];
      [alias, ...record.map(([, of]) => of), ...variant.map(([, of]) => of)].forEach(take);
    } else if (type) Object.values(type).flat().forEach(take);
  };
  for (const name of ["language", ...names]) {
    needed.interfaces[name] = interfaces[name];
    const signatures = [...Object.values(interfaces[name].functions), ...Object.values(interfaces[name].methods)];
    signatures.forEach(({ params, result }) => [...params.map(([, of]) => of), result].forEach(take));
  }
  return needed;
}

class Reader {
  constructor(text, contract) {
    this.contract = contract;
    this.tokens = text.replace(/\/\/.*$/gm, "").match(/%?[a-z][a-z0-9-]*|->|@?[0-9][0-9.]*|[^\s]/g);
    this.at = 0;
  }

  next(expected) {
    const token = this.tokens[this.at];
    if (expected !== undefined && token !== expected) throw new Error(`expected \`${expected}\` in the contract, not \`${token}\``);
    this.at += 1;
    return token.replace(/^%/, "");
  }

  is(token) {
    if (this.tokens[this.at] !== token) return false;
    this.at += 1;
    return true;
  }

  skipTo(token) {
    while (this.next() !== token);
  }

  file() {
    while (this.at < this.tokens.length) {
      const word = this.next();
      if (word === "package") {
        while (!this.is(";")) {
          const token = this.next();
          if (token.startsWith("@")) this.contract.version = token.slice(1);
        }
      } else if (word === "interface") {
        const functions = {};
        const name = this.next();
        this.contract.interfaces[name] = { functions, methods: {} };
        this.body(this.contract.interfaces[name]);
      } else {
        this.skipTo("}");
      }
    }
  }

  body(interface_) {
    this.next("{");
    while (!this.is("}")) {
      const word = this.next();
      if (word === "use") this.skipTo(";");
      else if (word === "resource") this.resource(interface_.methods);
      else if (["record", "enum", "variant", "type"].includes(word)) this.type(word);
      else interface_.functions[word] = this.signature();
    }
  }

  resource(methods) {
    this.next("document");
    this.next("{");
    while (!this.is("}")) {
      const name = this.next();
      if (name === "constructor") this.skipTo(";");
      else methods[name] = this.signature();
    }
  }

  // Parses the rest of a function: `: func(name: type, …) -> type;`
  signature() {
    [":", "func", "("].forEach((token) => this.next(token));
    const params = this.list(")", () => this.pair());
    const result = this.is("->") ? this.reference() : null;
    this.next(";");
    return { params, result };
  }

  type(word) {
    const name = this.next();
    if (word === "type") {
      this.next("=");
      this.contract.types[name] = { alias: this.reference() };
      this.next(";");
      return;
    }
    this.next("{");
    const item = { record: () => this.pair(), enum: () => this.next(), variant: () => this.case() }[word];
    this.contract.types[name] = { [word]: this.list("}", item) };
  }

  list(end, item) {
    const items = [];
    while (!this.is(end)) {
      items.push(item());
      this.is(",");
    }
    return items;
  }

  pair() {
    const name = this.next();
    this.next(":");
    return [name, this.reference()];
  }

  case() {
    const name = this.next();
    if (!this.is("(")) return [name, null];
    const payload = this.reference();
    this.next(")");
    return [name, payload];
  }

  reference() {
    const name = this.next();
    if (!this.is("<")) return name;
    const [first, second] = this.list(">", () => this.reference());
    return name === "result" ? { result: [first, second] } : { [name]: first };
  }
}
