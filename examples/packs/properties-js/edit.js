// Operations as edits. An entry is edited by its value, and moved by whole lines. Every edit is verified by parsing its result.

import { apply, Failure, indentAt, lineEnd, lineStart, nextLine, previousLine, reindent, slice } from "@marquetry/sdk";

import { BLANK, parse, startOfLine } from "./parse.js";

// The edits of one operation on all the nodes.
export function edit(document, nodes, operation, options) {
  const edits = nodes.flatMap((node) => {
    // Replacing a value by itself changes nothing, even if it ends with an empty line.
    const isOwn = operation.tag.startsWith("replace") && operation.value === document.valueOf(document.item(node));
    if (isOwn) return [];
    const made = editOf(document, node, document.item(node), operation);
    if (!options.force) verify(document, node, operation, made);
    return [made];
  });
  edits.sort((a, b) => a.span.start - b.span.start);
  if (edits.some((each, index) => index > 0 && edits[index - 1].span.end > each.span.start)) {
    throw Failure.unsupported("one of the targets is inside another", "edit `.`, or the entries in it, not both at once");
  }
  return edits;
}

// The edit that creates a missing entry after the last one.
export function insertMissing(document, key, content) {
  const line = `${key}${separator(document)}${content.trim()}`;
  const made = insertInto(document, line, "last");
  const entry = parse(apply(document.text, [made])).items.find(({ name }) => name === key);
  if (entry === undefined) {
    throw Failure.invalid(`\`${line}\` would not be parsed as this key and value`, "write `\\` before blanks, `=` and `:` in a key");
  }
  verify(document, 0, { tag: "insert-into" }, made);
  return [made];
}

function editOf(document, node, item, operation) {
  const { tag, value: content } = operation;
  const isAll = node === 0;
  if (tag === "replace" || tag === "replace-body") {
    if (isAll && item.value.start === item.value.end) return insertInto(document, content, "last");
    const value = isAll || tag === "replace-body" ? linesOf(content) : valueIn(item, content);
    return { span: item.value, text: isAll ? value : glued(document, item, value) };
  }
  // Content next to all entries is inserted before the first or after the last one.
  if (tag === "insert-before") return isAll ? insertInto(document, content, "first") : insertBefore(document, item, content);
  if (tag === "insert-after") return isAll ? insertInto(document, content, "last") : insertAfter(document, item, content);
  if (tag === "insert-into" && isAll) return insertInto(document, operation.content, operation.position);
  if (tag === "insert-into") {
    const hint = "use `insert_before` or `insert_after`, or `insert_into` on `.`";
    throw Failure.unsupported("cannot insert into a value", hint);
  }
  if (tag === "wrap" && isAll) throw Failure.unsupported("all entries together cannot be wrapped", "wrap a value instead");
  if (tag === "wrap") return { span: item.value, text: glued(document, item, operation.before + document.valueOf(item) + operation.after) };
  if (isAll && item.value.start === item.value.end) {
    throw new Failure("target-not-found", "there are no entries", { hint: "there is nothing to delete" });
  }
  return deletion(document.text, item);
}

// The value in the content: the part after the key if the content repeats the key, otherwise all of it.
function valueIn(item, content) {
  const trimmed = content.trim();
  const [, entry, more] = parse(trimmed).items;
  const names = entry?.name === item.name && more === undefined && entry.whole.end === trimmed.length;
  return names && /[=:]/.test(trimmed.slice(entry.key.end, entry.value.start)) ? slice(trimmed, entry.value) : trimmed;
}

// Adds the separator if the entry has none, and a space if the first value follows ` =`.
function glued(document, item, value) {
  if (item.value.start < item.value.end || value === "") return value;
  const before = document.text.slice(item.key.end, item.value.start);
  if (before === "") return `=${value}`;
  return /^[ \t]+[=:]$/.test(before) ? ` ${value}` : value;
}

// The separator of the last entry.
function separator(document) {
  const last = document.items.at(-1);
  const written = document.text.slice(last.key.end, last.value.start);
  return document.items.length === 1 || written === "" ? "=" : written;
}

function insertInto(document, content, position) {
  const [, ...entries] = document.items;
  if (entries.length === 0) return below(document.text, document.text.length, linesOf(content));
  const name = parse(content.trim()).items[1]?.name ?? "";
  const before = { first: entries[0], last: undefined, sorted: entries.find((entry) => entry.name > name) }[position];
  return before === undefined ? insertAfter(document, entries.at(-1), content) : insertBefore(document, before, content);
}

function insertBefore({ text }, item, content) {
  const start = startOfLine(text, (item.doc ?? item.whole).start);
  return { span: { start, end: start }, text: `${indented(text, item, content)}\n` };
}

function insertAfter({ text }, item, content) {
  return below(text, item.whole.end, indented(text, item, content));
}

// Inserts lines below the line of an offset. If the last line has no line break, none is added at the end.
function below(text, offset, content) {
  const end = lineEnd(text, offset);
  const next = nextLine(text, end);
  const isOwn = next > end || startOfLine(text, end) === end;
  return { span: { start: next, end: next }, text: isOwn ? `${content}\n` : `\n${content}` };
}

// The content with the indentation of its neighbour.
function indented(text, neighbour, content) {
  const indent = indentAt(text, neighbour.whole.start);
  return indent === "" ? linesOf(content) : reindent(content, indent);
}

// Removes whole lines with the comment above them, and one of the blank lines if they are surrounded by blank lines.
function deletion(text, item) {
  const start = startOfLine(text, (item.doc ?? item.whole).start);
  const end = nextLine(text, item.whole.end);
  const isBlank = (line) => BLANK.test(text.slice(line, lineEnd(text, line)));
  const above = previousLine(text, lineStart(text, start));
  const afterBlank = above === null || isBlank(above);
  if (afterBlank && end < text.length && isBlank(end)) return { span: { start, end: nextLine(text, end) }, text: "" };
  if (above !== null && afterBlank && end === text.length) return { span: { start: startOfLine(text, above), end }, text: "" };
  return { span: { start, end }, text: "" };
}

// Verifies an edit by parsing its result, because a value ends with its line and nothing marks the end explicitly.
function verify(document, node, operation, made) {
  const read = ({ items }, text) => items.slice(1).map((item) => `${item.name}\n${slice(text, item.value)}`);
  const old = read(document, document.text);
  const after = apply(document.text, [made]);
  const parsed = parse(after);
  const now = read(parsed, after);
  if (operation.tag.startsWith("insert")) refuseKnownKeys(document, parsed);
  const own = node === 0 ? [0, operation.tag.startsWith("insert") ? 0 : old.length] : [node - 1, node];
  const isInsert = operation.tag.startsWith("insert");
  const kept = isInsert ? old : [...old.slice(0, own[0]), ...old.slice(own[1])];
  const come = now.length - kept.length;
  const sameAround = come >= 0 && isWithout(now, kept);
  const isRead = () => come === 1 && isValue(document.items[node], made, parsed.items[node], after);
  const expected = operation.tag === "delete" ? come === 0 : node === 0 || isInsert || isRead();
  const errors = (found) => found.filter(({ severity }) => severity === "error").length;
  if (sameAround && expected && errors(parsed.found) <= errors(document.found)) return;
  const hint = "end each line of a value but the last with `\\`; `force` writes it anyway";
  throw Failure.invalid("in the file, the content would get another meaning", hint);
}

// Returns whether an entry has the same key as before, and the value that was written.
function isValue(before, made, entry, after) {
  const written = before.value.start < before.value.end ? made.text : made.text.replace(/^[= ]+/, "");
  return entry.name === before.name && slice(after, entry.value) === written;
}

// Returns whether `now` is `kept` with additional entries in one place.
function isWithout(now, kept) {
  let same = 0;
  while (same < kept.length && now[same] === kept[same]) same += 1;
  const come = now.length - kept.length;
  return kept.slice(same).every((each, index) => now[same + come + index] === each);
}

function refuseKnownKeys(document, parsed) {
  const count = (items, wanted) => items.filter(({ name }) => name === wanted).length;
  if (parsed.items.length <= document.items.length) return;
  const known = new Set(document.items.map(({ name }) => name));
  for (const { name } of parsed.items.slice(1)) {
    if (!known.has(name) || count(parsed.items, name) === count(document.items, name)) continue;
    const candidates = [document.addresses[document.items.findIndex((item) => item.name === name)]];
    throw Failure.invalid(`\`${name}\` already exists`, "replace its value, or add it a second time with `force`", candidates);
  }
}

// Removes the line breaks around content.
function linesOf(content) {
  return content.replace(/^[\r\n]+|[\r\n]+$/g, "");
}
