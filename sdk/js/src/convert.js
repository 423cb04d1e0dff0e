// Converts between the values of a pack's author and those of the WIT interface: names, omitted fields and offsets.
//
// The rules are derived from the WIT files (`build/wit.js`): `lower` checks a result and fills in omitted fields,
// `lift` converts arguments. The author uses indices of JavaScript strings, the WIT interface UTF-8 byte offsets.

import { Failure } from "./failure.js";

// Offsets in the WIT interface that are not spans: a field of a record, a case of a variant, a parameter.
const OFFSET = { selection: ["caret"], "file-location": ["offset"], subject: ["at"] };

export class Mismatch extends TypeError {}

// Converts a WIT name to `camelCase`.
export function camel(name) {
  return name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
}

// The converters of a contract, created once: `converter(contract).of(type, label)` returns `{ lower, lift }`.
export function converter(contract) {
  const known = new Map();
  const of = (type, label) => {
    if (typeof type === "string") {
      if (type in contract.types) return named(type);
      return scalar(type, label);
    }
    if ("list" in type) return list(of(type.list, label), label);
    if ("option" in type) return option(of(type.option, label));
    if ("borrow" in type) return { lower: (value) => value, lift: (value) => value.author };
    return result(of(type.result[0], label), label);
  };
  const named = (name) => {
    if (!known.has(name)) {
      // The converter is registered before it is compiled, because types may be recursive.
      const made = {};
      known.set(name, made);
      Object.assign(made, compile(name, contract.types[name], of));
    }
    const made = known.get(name);
    return { lower: (value, place) => made.lower(value, place), lift: (value, place) => made.lift(value, place) };
  };
  return { of };
}

function compile(name, type, of) {
  if (name === "span") return span();
  if (name === "rewrite") return rewrite(record(name, type.record, of));
  if ("alias" in type) return of(type.alias, name);
  if ("enum" in type) return enumeration(name, type.enum);
  if ("variant" in type) return variant(name, type.variant, of);
  return record(name, type.record, of);
}

function wrong(label, wanted, value) {
  const got = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  return new Mismatch(`\`${label}\` must be ${wanted}, not ${got}`);
}

function scalar(type, label) {
  const same = (value) => value;
  if (type === "offset") return { lower: (value, place) => place.toByte(value, label), lift: (value, place) => place.toIndex(value) };
  if (type === "bool") return { lower: (value) => value ?? false, lift: same };
  // The engine passes numbers of 2^31 and above as negative ones.
  const unsigned = type === "u32" ? (value) => value >>> 0 : same;
  const wanted = type === "string" ? "string" : "number";
  const lower = (value) => {
    if (typeof value !== wanted) throw wrong(label, `a ${wanted}`, value);
    return value;
  };
  return { lower, lift: unsigned };
}

function option({ lower, lift }) {
  const missing = (value) => value === null || value === undefined;
  return {
    lower: (value, place) => (missing(value) ? null : lower(value, place)),
    lift: (value, place) => (missing(value) ? null : lift(value, place)),
  };
}

// Lists of numbers may be typed arrays, and the author may return any iterable.
function list({ lower, lift }, label) {
  return {
    lower: (value, place) => {
      if (value === null || value === undefined) return [];
      if (typeof value === "string" || typeof value[Symbol.iterator] !== "function") throw wrong(label, "a list", value);
      return Array.from(value, (item) => lower(item, place));
    },
    lift: (value, place) => Array.from(value, (item) => lift(item, place)),
  };
}

// A result within a list: the value itself, or a `Failure`.
function result({ lower }, label) {
  return {
    lower: (value, place) => {
      if (value instanceof Failure) return { tag: "err", val: loweredFailure(value, place) };
      return { tag: "ok", val: lower(value, place) };
    },
    lift: () => {
      throw new Mismatch(`\`${label}\` is not a question`);
    },
  };
}

function span() {
  return {
    lower: (value, place) => {
      if (typeof value?.start !== "number" || typeof value.end !== "number") throw wrong("span", "{ start, end }", value);
      const [start, end] = [place.toByte(value.start, "span.start"), place.toByte(value.end, "span.end")];
      if (start > end) throw new Mismatch(`a span ends at ${value.end}, before it starts at ${value.start}`);
      return { start, end };
    },
    lift: (value, place) => ({ start: place.toIndex(value.start), end: place.toIndex(value.end) }),
  };
}

function record(name, fields, of) {
  const parts = fields.map(([field, type]) => {
    const label = `${name}.${camel(field)}`;
    return [camel(field), of(OFFSET[name]?.includes(field) ? "offset" : type, label)];
  });
  const each = (way) => (value, place) => {
    if (value === null || typeof value !== "object") throw wrong(name, "an object", value);
    // A place may be in another file: its offset refers to the text of that file.
    const at = name === "file-location" ? place.in(value.path) : place;
    const made = {};
    for (const [field, convert] of parts) made[field] = convert[way](value[field], at);
    return made;
  };
  return { lower: each("lower"), lift: each("lift") };
}

function enumeration(name, cases) {
  const lower = (value) => {
    if (!cases.includes(value)) throw new Mismatch(`\`${value}\` is not a ${name}: it is one of ${cases.join(", ")}`);
    return value;
  };
  return { lower, lift: (value) => value };
}

// The author's form of a variant is `{ tag, … }`: fields of a record are beside the tag, any other payload is
// `value`.
function variant(name, cases, of) {
  const known = new Map();
  for (const [tag, type] of cases) {
    const isOffset = OFFSET[name]?.includes(tag);
    const convert = type === null ? null : of(isOffset ? "offset" : type, `${name} ${tag}`);
    known.set(tag, { convert, isRecord: typeof type === "string" && !isOffset && !SCALARS.includes(type) });
  }
  const found = (tag) => {
    const is = known.get(tag);
    if (is === undefined) throw new Mismatch(`\`${tag}\` is not a ${name}: it is one of ${[...known.keys()].join(", ")}`);
    return is;
  };
  return {
    lower: (value, place) => {
      const tag = typeof value === "string" ? value : value?.tag;
      const { convert, isRecord } = found(tag);
      return convert === null ? { tag } : { tag, val: convert.lower(isRecord ? value : value.value, place) };
    },
    lift: (value, place) => {
      const { convert, isRecord } = found(value.tag);
      if (convert === null) return { tag: value.tag };
      const payload = convert.lift(value.val, place);
      return isRecord ? { tag: value.tag, ...payload } : { tag: value.tag, value: payload };
    },
  };
}

const SCALARS = ["string", "bool", "u8", "u32", "u64", "span"];

// `name-at` is an offset in the edited text. A list of edits is a rewrite that does nothing else.
function rewrite({ lower }) {
  return {
    lower: (value, place) => {
      const whole = typeof value?.[Symbol.iterator] === "function" ? { edits: [...value] } : value;
      const made = lower({ ...whole, nameAt: null }, place);
      const at = whole?.nameAt ?? null;
      if (at !== null) made.nameAt = place.after([...(whole.edits ?? [])]).toByte(at, "rewrite.nameAt");
      return made;
    },
  };
}

// Converts a failure to its WIT record.
export function loweredFailure(failure, place) {
  const { kind, message, hint, candidates, span: at } = failure;
  return { kind, message, hint: hint ?? null, candidates: [...candidates], span: at ? span().lower(at, place) : null };
}
