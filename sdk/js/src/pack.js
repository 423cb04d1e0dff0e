// Makes the exports of a component from a pack.

import { camel, converter, loweredFailure } from "./convert.js";
import { Failure } from "./failure.js";
import { write } from "./host.js";
import { NOWHERE, Place } from "./place.js";
import { stackOf } from "./stack.js";

// The optional interfaces.
const OPTIONAL = ["links", "symbols", "refactors", "hover", "search", "mentions"];
// The required methods of a document.
const NEEDED = ["outline", "find", "view", "edit"];

// Defines a pack. The module must export it as default.
export function definePack(pack) {
  for (const field of ["id", "name", "version", "files", "targets", "open"]) {
    if (pack[field] === undefined) throw new TypeError(`a pack has \`${field}\`: see definePack in @marquetry/sdk`);
  }
  return pack;
}

// The optional interfaces that a pack implements.
export function interfacesOf(pack) {
  return OPTIONAL.filter((name) => pack[name] !== undefined);
}

// All exports of the component: `{ language, links, … }`.
export function exportsOf(pack, contract) {
  const convert = converter(contract);
  const { functions, methods } = contract.interfaces.language;
  const all = { language: { Document: documentOf(pack, convert, methods) } };
  const describe = wrap(convert, "describe", functions.describe, () => description(pack));
  all.language.describe = () => describe(NOWHERE, []);
  for (const name of interfacesOf(pack)) {
    all[name] = {};
    for (const [word, signature] of Object.entries(contract.interfaces[name].functions)) {
      all[name][camel(word)] = exported(pack, convert, name, word, signature);
    }
  }
  return all;
}

function description(pack) {
  const { settingsSchema = {}, help = "" } = pack;
  const schema = typeof settingsSchema === "string" ? settingsSchema : JSON.stringify(settingsSchema);
  return { ...pack, help, settingsSchema: schema };
}

// A function of an optional interface. Offsets refer to the text of the document or of the source that it gets.
function exported(pack, convert, name, word, signature) {
  const label = `${name}.${camel(word)}`;
  const author = pack[name];
  const answer = typeof author[camel(word)] === "function" ? (...args) => author[camel(word)](...args) : null;
  const call = wrap(convert, label, signature, answer ?? absent(label, signature.result));
  const source = signature.params.findIndex(([param]) => param === "source");
  const placeOf = (args) => args[0]?.place ?? (source < 0 ? NOWHERE : new Place(args[source].path, args[source].text));
  return (...args) => call(placeOf(args), args);
}

// The default for a function that the author omitted: an empty result, or a failure with `unsupported`.
function absent(label, result) {
  const refusal = () => Failure.unsupported(`this pack has no \`${label}\``);
  if (result?.result !== undefined) return () => { throw refusal(); };
  if (label === "links.formatSpecifiers") return (_, requests) => requests.map(refusal);
  const unknown = { tag: "unknown", value: refusal().message };
  if (label === "links.resolve") return (_, requests) => requests.map(() => unknown);
  return () => (typeof result === "string" ? {} : null);
}

function documentOf(pack, convert, methods) {
  class Document {
    constructor(path, text, settings) {
      this.place = new Place(path, text);
      this.author = reported("open", this.place, () => pack.open(path, text, JSON.parse(settings || "{}")));
      for (const name of NEEDED) {
        if (typeof this.author?.[name] !== "function") throw new TypeError(`a document has a method \`${name}\``);
      }
    }
  }
  for (const [word, signature] of Object.entries(methods)) {
    const name = camel(word);
    const call = wrap(convert, name, signature, (document, ...args) => answered(pack, document, name, args));
    Document.prototype[name] = function (...args) {
      return call(this.place, args, this.author);
    };
  }
  return Document;
}

// Calls a method of the author's document, or its default.
function answered(pack, document, name, args) {
  if (name === "find") return found(pack, document, args[0]);
  if (typeof document[name] === "function") {
    const answer = document[name](...args);
    return name === "view" ? viewed(answer) : answer;
  }
  if (name === "insertMissing") {
    const hint = "use `insert_into`, `insert_before` or `insert_after` with an existing target";
    throw Failure.unsupported(`\`${args[0].value}\` does not exist, and the plugin cannot create it`, hint);
  }
  if (name === "parseErrors") {
    return [...answered(pack, document, "diagnostics", [])].filter((problem) => problem.severity === "error");
  }
  // By default, a document has no diagnostics, dependencies or embedded parts, and no edit is known to keep it
  // well-formed.
  return name === "staysWellFormed" ? false : [];
}

// A text, or a span of the document.
function viewed(answer) {
  return typeof answer === "string" ? { tag: "text", value: answer } : { tag: "span", value: answer };
}

// A list of nodes truncated to the limit, or a scalar. Fails if nothing was found.
function found(pack, document, query) {
  const { kind, value } = query.target;
  refuseOtherKinds(pack, kind, value);
  const answer = document.find(query) ?? [];
  if (typeof answer.json === "string") return { tag: "scalar", ...answer };
  const nodes = Array.isArray(answer) ? answer : answer.nodes;
  const total = Array.isArray(answer) ? answer.length : answer.total;
  if (nodes.length === 0) throw Failure.notFound(kind, value, document.outline().map((node) => node.address));
  return { tag: "nodes", nodes: nodes.slice(0, query.limit), total };
}

function refuseOtherKinds(pack, kind, value) {
  if (kind === "region" && pack.regions?.some((region) => region.name === value)) return;
  if (pack.targets.some((target) => target.kind === kind)) return;
  const [first] = pack.targets;
  const hint = first === undefined ? "edit it by `lines`" : `address by \`${first.kind}\`: ${first.syntax}`;
  throw Failure.unsupported(`${pack.name} files have no targets of the kind \`${kind}\``, hint);
}

// Wraps an author's function: lifts the arguments, lowers the result, and separates failures from bugs.
function wrap(convert, label, { params, result }, call) {
  const fails = result?.result !== undefined;
  const make = () => ({
    lifts: params.map(([name, type]) => convert.of(name === "offset" ? "offset" : type, `${label}(${camel(name)})`).lift),
    lower: convert.of(fails ? result.result[0] : result, label).lower,
  });
  // The converters are created at the first call, because the component is a snapshot that contains everything created
  // during the build.
  let made = null;
  return (place, args, ...before) =>
    reported(label, place, () => {
      made ??= make();
      const lifted = made.lifts.map((lift, index) => lift(args[index], place));
      return made.lower(call(...before, ...lifted), place);
    }, fails);
}

// A `Failure` is returned if the function can fail. Any other exception is a bug of the pack: its message and stack
// are written to the log, which `marq plugin logs` shows, and the call ends.
function reported(label, place, call, fails = false) {
  try {
    return call();
  } catch (error) {
    if (error instanceof Failure && fails) throw loweredFailure(error, place);
    write("error", `${error?.name ?? "Error"} in ${label}: ${error?.message ?? error}`);
    stackOf(error).forEach((line) => write("error", line));
    throw error;
  }
}
