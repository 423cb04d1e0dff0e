// The pack for `.NAME` files. Each function of the WIT interface is an exported function that reads JSON from its
// input and writes JSON to its output.

import { Host } from "@extism/as-pdk";
import { alloc, error_set } from "@extism/as-pdk/lib/env";
import { Failure, notFound } from "../sdk/failure";
import { Value, parse } from "../sdk/json";
import { Operation } from "../sdk/operation";
import { bytes } from "../sdk/text";
import { Writer, hand } from "../sdk/writer";
import { Document } from "./document";
import { Editor } from "./edit";

const documents = new Map<i32, Document>();
let last: i32 = 0;

/** Called by AssemblyScript before it aborts. The host reports the message. */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  const text = bytes(`Error: ${message} (${file}:${line})`);
  const block = alloc(text.length);
  hand(block, text);
  error_set(block);
  unreachable();
}

function describe(): i32 {
  return new Writer().raw(`{"id":"NAME","name":"PASCAL","version":"0.1.0","files":["*.NAME"],
    "targets":[{"kind":"path","syntax":"\`name\`, or \`name[2]\` for the second line with this name","examples":["title"]}],
    "regions":[],"templates":[],"settings_schema":"{}","relinks":false,
    "help":"Lines of \`name: value\`. \`path: title\` addresses the value of a line; \`price[2]\` is the second of that name."}`).send();
}

/** The input is a line of JSON with the path and the settings, followed by the text of the file. */
function open(): i32 {
  const input = Host.input();
  documents.set(++last, new Document(input.slice(input.indexOf(10) + 1)));
  return new Writer().number(last).send();
}

function close(): i32 {
  documents.delete(<i32>body().at("document").number);
  return 0;
}

function diagnostics(): i32 {
  const out = new Writer();
  document(body()).writeProblems(out);
  return out.send();
}

function outline(): i32 {
  const opened = document(body()), out = new Writer();
  opened.writeNodes(opened.named(null), out);
  return out.send();
}

function find(): i32 {
  const input = body(), query = input.at("query"), target = query.at("target");
  const opened = document(input), address = target.at("value").text;
  if (target.at("kind").text != "path") {
    const hint = "address by `path`: `name`, or `name[2]` for the second line with this name";
    return refused(new Failure("unsupported", "PASCAL files have paths only", hint));
  }
  const found = opened.named(address);
  if (found.length == 0) return refused(notFound("name", address, opened.addresses()));
  const out = new Writer().raw('{"ok":{"nodes":{"nodes":');
  opened.writeNodes(found.slice(0, <i32>query.at("limit").number), out);
  return out.raw(',"total":').number(found.length).raw("}}}").send();
}

function view(): i32 {
  const input = body(), form = input.at("form").text;
  const entry = document(input).entries[<i32>input.at("node").number];
  const start = form == "full" || form == "body" ? entry.from : entry.start;
  return new Writer().raw('{"ok":{"span":').span(start, entry.to).raw("}}").send();
}

function edit(): i32 {
  const input = body(), nodes = input.at("nodes").items;
  const editor = new Editor(document(input)), ids: i32[] = [];
  for (let i = 0; i < nodes.length; i++) ids.push(<i32>nodes[i].number);
  const edits = editor.edit(ids, Operation.of(input.at("operation"))), refusal = editor.refusal;
  if (refusal != null) return refused(refusal);
  const out = new Writer().raw('{"ok":[');
  for (let i = 0; i < edits.length; i++) {
    out.raw(i > 0 ? ',{"span":' : '{"span":').span(edits[i].from, edits[i].to).raw(',"text":').text(edits[i].text).raw("}");
  }
  return out.raw("]}").send();
}

function refused(failure: Failure): i32 {
  const out = new Writer();
  failure.write(out);
  return out.send();
}

function body(): Value {
  return parse(String.UTF8.decode(Host.input().buffer));
}

function document(input: Value): Document {
  const number = <i32>input.at("document").number;
  if (!documents.has(number)) throw new Error("no document " + number.toString());
  return documents.get(number);
}

// The exported names consist of the interface and the function.
export {
  describe as language_describe,
  open as language_open,
  close as language_close,
  diagnostics as language_diagnostics,
  outline as language_outline,
  find as language_find,
  view as language_view,
  edit as language_edit,
};
