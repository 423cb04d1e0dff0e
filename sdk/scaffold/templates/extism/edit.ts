// Operations on lines. Failures are stored in `refusal`, because AssemblyScript cannot catch exceptions.

import { Failure } from "../sdk/failure";
import { Operation } from "../sdk/operation";
import { Edit, nextLine, trimmed } from "../sdk/text";
import { Document, Entry } from "./document";

export class Editor {
  refusal: Failure | null = null;

  constructor(private document: Document) {}

  /** The edits of one operation on all the nodes, in the order of the text. */
  edit(ids: i32[], operation: Operation): Edit[] {
    const edits: Edit[] = [];
    for (let i = 0; i < ids.length; i++) {
      const made = this.change(this.document.entries[ids[i]], operation);
      if (made == null) return [];
      edits.push(made);
    }
    return edits.sort((a, b) => a.from - b.from);
  }

  private change(entry: Entry, operation: Operation): Edit | null {
    const name = operation.name, content = operation.content;
    if (name == "replace") return this.replace(entry, trimmed(content));
    if (name == "insert_before") return new Edit(entry.start, entry.start, content.trimEnd() + "\n");
    if (name == "insert_after") return new Edit(entry.end, entry.end, "\n" + content.trimEnd());
    if (name == "delete") return new Edit(entry.start, nextLine(this.document.text, entry.start), "");
    const hint = "use `replace`, `insert_before`, `insert_after` or `delete`";
    this.refusal = new Failure("unsupported", "a value has no children and cannot be wrapped", hint);
    return null;
  }

  private replace(entry: Entry, value: string): Edit | null {
    if (value.includes("\n") || value.includes("\r")) {
      const hint = "insert further lines with `insert_after`";
      this.refusal = new Failure("invalid_argument", "a value is one line", hint);
      return null;
    }
    return new Edit(entry.from, entry.to, entry.from == entry.to ? " " + value : value);
  }
}
