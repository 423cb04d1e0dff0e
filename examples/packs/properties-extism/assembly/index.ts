// A language pack for `.properties` files. Each function of the WIT interface is an exported function that reads JSON from
// its input and writes JSON to its output.

import { Host } from "@extism/as-pdk";
import { alloc, error_set } from "@extism/as-pdk/lib/env";
import { Document } from "./document";
import { Editor } from "./edit";
import { Failure } from "./failure";
import { HELP } from "./help";
import { Value, parse } from "./json";
import { Operation } from "./operation";
import { Edit, bytes } from "./text";
import { Writer, hand } from "./writer";

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
  const out = new Writer().raw(`{"id":"properties","name":"Properties","version":"0.1.0","files":["*.properties"],
    "targets":[{"kind":"path","syntax":"\`key\`, as written in the file; \`.\` for all entries","examples":["server.port","path[2]"]}],
    "regions":[],"templates":[],"settings_schema":"{}","relinks":false,"help":`);
  return out.text(HELP).raw("}").send();
}

/** The input is a line of JSON with the path and the settings (unused here), followed by the text of the file. */
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
  const out = new Writer().raw("[");
  document(body()).diagnostics(out);
  return out.raw("]").send();
}

function outline(): i32 {
  const opened = document(body()), out = new Writer().raw("[");
  opened.nodes(opened.entries(), out);
  return out.raw("]").send();
}

function find(): i32 {
  const input = body(), query = input.at("query"), target = query.at("target");
  const opened = document(input), address = target.at("value").text;
  const refusal = otherKind(target.at("kind").text);
  if (refusal != null) return refused(refusal);
  const found = opened.named(address);
  if (found.length == 0) return refused(opened.notFound(address));
  const out = new Writer().raw('{"ok":{"nodes":{"nodes":[');
  opened.nodes(found.slice(0, <i32>query.at("limit").number), out);
  return out.raw('],"total":').number(found.length).raw("}}}").send();
}

function view(): i32 {
  const input = body(), out = new Writer().raw('{"ok":');
  document(input).view(<i32>input.at("node").number, input.at("form").text, out);
  return out.raw("}").send();
}

function edit(): i32 {
  const input = body(), nodes = input.at("nodes").items;
  const editor = new Editor(document(input)), ids: i32[] = [];
  for (let i = 0; i < nodes.length; i++) ids.push(<i32>nodes[i].number);
  return edited(editor, editor.edit(ids, Operation.of(input.at("operation")), input.at("options").at("force").isTrue));
}

function insert_missing(): i32 {
  const input = body(), target = input.at("target");
  const editor = new Editor(document(input));
  const refusal = otherKind(target.at("kind").text);
  if (refusal != null) return refused(refusal);
  return edited(editor, editor.insertMissing(target.at("value").text, input.at("content").text));
}

function otherKind(kind: string): Failure | null {
  if (kind == "path") return null;
  const message = "Properties files have no targets of the kind `" + kind + "`";
  return new Failure("unsupported", message, "address by `path`: `key`, as written in the file; `.` for all entries");
}

/** Writes the edits, or the failure. */
function edited(editor: Editor, edits: Edit[]): i32 {
  const refusal = editor.refusal;
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
  insert_missing as language_insert_missing,
};
