// Operations as edits. An entry is edited by its value, and moved by whole lines. Every edit is verified by parsing.

import { Document } from "./document";
import { Failure } from "./failure";
import { Operation } from "./operation";
import { Item, Parsed } from "./parse";
import {
  Edit, bytes, isBlank, lineEnd, lineStart, linesOf, nextLine, part, previousLine, reindent, skipBlanks, startOfLine, trimmed,
} from "./text";
import { verify } from "./verify";

/** Makes edits. On failure, `refusal` is set and the result is empty, because AssemblyScript cannot catch exceptions. */
export class Editor {
  refusal: Failure | null = null;

  constructor(private document: Document) {}

  /** The edits of one operation on all the nodes, in document order. */
  edit(ids: i32[], operation: Operation, isForced: bool): Edit[] {
    const edits: Edit[] = [];
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i];
      if (id < 0 || id >= this.document.items.length) return this.refuse("invalid_argument", `no node ${id}`, "");
      // Replacing a value by itself changes nothing, even if it ends with an empty line.
      if (operation.isReplace && operation.content == this.document.parsed.valueOf(this.document.items[id])) continue;
      const made = this.editOf(id, this.document.items[id], operation);
      if (made == null) return [];
      if (!isForced) this.refusal = verify(this.document, id, operation, made);
      if (this.refusal != null) return [];
      edits.push(made);
    }
    edits.sort((a, b) => a.from - b.from);
    for (let i = 1; i < edits.length; i++) {
      if (edits[i - 1].to <= edits[i].from) continue;
      return this.refuse("unsupported", "one of the targets is inside another", "edit `.`, or the entries in it, not both at once");
    }
    return edits;
  }

  /** The edit that creates a missing entry after the last one. */
  insertMissing(key: string, content: string): Edit[] {
    if (this.document.named(key).length > 0) {
      const hint = "give a key that does not exist yet, or use `replace`";
      return this.refuse("invalid_argument", "`" + key + "` is not a new key", hint);
    }
    const value = trimmed(content), line = key + this.separator() + value;
    const made = this.insertInto(line, "last"), after = new Parsed(made.applied(this.document.text));
    const last = after.items[after.items.length - 1];
    if (after.items.length == 1 || last.key != key || after.valueOf(last) != value) {
      const hint = "write `\\` before blanks, `=` and `:` in a key";
      return this.refuse("invalid_argument", "`" + line + "` would not be parsed as this key and value", hint);
    }
    this.refusal = verify(this.document, 0, new Operation("insert_into", line), made);
    return this.refusal == null ? [made] : [];
  }

  private editOf(id: i32, item: Item, operation: Operation): Edit | null {
    if (id == 0) return this.editOfAll(item, operation);
    const name = operation.name, content = operation.content;
    if (name == "replace") return this.valued(item, this.valueIn(item, content));
    if (name == "replace_body") return this.valued(item, linesOf(content));
    if (name == "insert_before") return this.insertBefore(item, content);
    if (name == "insert_after") return this.insertAfter(item, content);
    if (name == "wrap") return this.valued(item, operation.before + this.document.parsed.valueOf(item) + operation.after);
    if (name == "delete") return this.deletion(item);
    this.refuse("unsupported", "cannot insert into a value", "use `insert_before` or `insert_after`, or `insert_into` on `.`");
    return null;
  }

  /** An edit of all entries. Content next to all entries is inserted before the first or after the last one. */
  private editOfAll(all: Item, operation: Operation): Edit | null {
    const name = operation.name, content = operation.content, isEmpty = all.from == all.to;
    if (name == "insert_before") return this.insertInto(content, "first");
    if (name == "insert_after" || (operation.isReplace && isEmpty)) return this.insertInto(content, "last");
    if (name == "insert_into") return this.insertInto(content, operation.position);
    if (operation.isReplace) return new Edit(all.from, all.to, linesOf(content));
    if (name == "delete" && !isEmpty) return this.deletion(all);
    if (name == "delete") this.refuse("target_not_found", "there are no entries", "there is nothing to delete");
    else this.refuse("unsupported", "all entries together cannot be wrapped", "wrap a value instead");
    return null;
  }

  /** The value in the content: the part after the key if the content repeats the key, otherwise all of it. */
  private valueIn(item: Item, content: string): string {
    const value = trimmed(content), parsed = new Parsed(bytes(value));
    if (parsed.items.length != 2) return value;
    const entry = parsed.items[1], between = part(parsed.text, entry.keyEnd, entry.from);
    const isWhole = entry.key == item.key && entry.to == parsed.text.length;
    return isWhole && (between.includes("=") || between.includes(":")) ? parsed.valueOf(entry) : value;
  }

  /** Adds the separator if the entry has none, and a space if the first value follows ` =`. */
  private valued(item: Item, value: string): Edit {
    const before = part(this.document.text, item.keyEnd, item.from);
    if (item.from == item.to && value != "") {
      if (before == "") value = "=" + value;
      else if (before.length > 1 && (before.endsWith("=") || before.endsWith(":"))) value = " " + value;
    }
    return new Edit(item.from, item.to, value);
  }

  /** The separator of the last entry. */
  private separator(): string {
    const items = this.document.items, last = items[items.length - 1];
    const written = part(this.document.text, last.keyEnd, last.from);
    return items.length == 1 || written == "" ? "=" : written;
  }

  private insertInto(content: string, position: string): Edit {
    const items = this.document.items, text = this.document.text;
    if (items.length == 1) return this.below(text.length, linesOf(content));
    let next = position == "first" ? 1 : items.length;
    if (position == "sorted") {
      const parsed = new Parsed(bytes(trimmed(content)));
      const key = parsed.items.length > 1 ? parsed.items[1].key : "";
      for (next = 1; next < items.length && items[next].key <= key;) next++;
    }
    return next < items.length ? this.insertBefore(items[next], content) : this.insertAfter(items[next - 1], content);
  }

  private insertBefore(item: Item, content: string): Edit {
    const start = startOfLine(this.document.text, item.top);
    return new Edit(start, start, this.indented(item, content) + "\n");
  }

  private insertAfter(item: Item, content: string): Edit {
    return this.below(item.to, this.indented(item, content));
  }

  /** Inserts lines below the line of an offset. If the last line has no line break, none is added at the end. */
  private below(offset: i32, content: string): Edit {
    const text = this.document.text, end = lineEnd(text, offset), next = nextLine(text, end);
    const isOwn = next > end || startOfLine(text, end) == end;
    return new Edit(next, next, isOwn ? content + "\n" : "\n" + content);
  }

  /** The content with the indentation of its neighbour. */
  private indented(neighbour: Item, content: string): string {
    const text = this.document.text, start = startOfLine(text, neighbour.start);
    const indent = part(text, start, skipBlanks(text, start, neighbour.start));
    return indent == "" ? linesOf(content) : reindent(content, indent);
  }

  /** Removes whole lines with the comment above them, and one of the blank lines if they are surrounded by blank lines. */
  private deletion(item: Item): Edit {
    const text = this.document.text, start = startOfLine(text, item.top), end = nextLine(text, item.to);
    const above = previousLine(text, lineStart(text, start));
    const isAfterBlank = above < 0 || isBlank(text, startOfLine(text, above), lineEnd(text, above));
    const isBeforeBlank = end < text.length && isBlank(text, end, lineEnd(text, end));
    if (isAfterBlank && isBeforeBlank) return new Edit(start, nextLine(text, end), "");
    const from = isAfterBlank && above >= 0 && end == text.length ? startOfLine(text, above) : start;
    return new Edit(from, end, "");
  }

  private refuse(kind: string, message: string, hint: string): Edit[] {
    this.refusal = new Failure(kind, message, hint);
    return [];
  }
}
