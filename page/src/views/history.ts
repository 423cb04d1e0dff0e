// The view of past changes: who made them and why, their diffs, and a button to undo each.
import { merge } from "../code";
import { announce, button, element } from "../dom";
import type { Changed, Past } from "../protocol";
import { store } from "../store";
import { type View, attempt } from "./view";

/** Maximum number of changes to list. */
const MOST = 100;

/** An entry of the list: the serialized change it shows, and the editors of its diffs. */
interface Entry {
  said: string;
  node: HTMLElement;
  views: { destroy(): void }[];
}

class History implements View {
  private readonly list = element("ol", { class: "history" });
  readonly node = element("section", { "aria-label": "History" }, element("h2", {}, "History"), this.list);
  private entries = new Map<string, Entry>();
  private readonly open = new Set<string>();
  private readonly ends: (() => void)[];

  constructor() {
    const read = () => {
      attempt(() => this.read());
    };
    this.ends = [store.on("root", read), store.on("changes", read)];
    read();
  }

  end(): void {
    for (const end of this.ends) end();
    for (const entry of this.entries.values()) close(entry);
  }

  private async read(): Promise<void> {
    if (store.root === "") return;
    const { changes } = await store.call<{ changes: Past[] }>("file/history", { root: store.root, limit: MOST });
    const before = this.entries;
    this.entries = new Map(changes.map((past) => [past.id, this.kept(before, past)]));
    for (const [id, entry] of before) if (this.entries.get(id) !== entry) close(entry);
    const empty = element("li", { class: "hint" }, "Nothing was changed here yet.");
    const nodes = changes.length === 0 ? [empty] : [...this.entries.values()].map((entry) => entry.node);
    // Existing nodes are not moved, so that the keyboard focus stays.
    for (const child of [...this.list.children]) if (!nodes.includes(child as HTMLElement)) child.remove();
    nodes.forEach((node, at) => {
      if (this.list.children[at] !== node) this.list.insertBefore(node, this.list.children[at] ?? null);
    });
  }

  /** Reuses the entry of a change if it is unchanged, or creates a new one. */
  private kept(before: Map<string, Entry>, past: Past): Entry {
    const [known, said] = [before.get(past.id), JSON.stringify(past)];
    if (known?.said === said) return known;
    const views: Entry["views"] = [];
    return { said, node: this.entry(past, views), views };
  }

  private entry(past: Past, views: Entry["views"]): HTMLElement {
    const when = new Date(past.time * 1000);
    const time = element("time", { datetime: when.toISOString() }, when.toLocaleString());
    const who = [past.client, past.tool, past.about].filter((word) => word !== undefined).join(", ");
    const diffs = element("div");
    const summary = element("summary", {}, past.title, element("small", {}, ` ${past.files.length === 1 ? "1 file" : `${past.files.length} files`}`));
    const details = element("details", { "data-change": past.id }, summary, diffs);
    details.addEventListener("toggle", () => {
      if (details.open) this.open.add(past.id);
      else this.open.delete(past.id);
      if (details.open && diffs.childElementCount === 0) attempt(() => this.show(past, diffs, views));
    });
    details.open = this.open.has(past.id);
    const undo = button("Undo", () => {
      attempt(() => this.undo(past));
    }, { "aria-label": `Undo ${past.title}` });
    const state = past.undone ? element("span", { class: "state" }, "undone") : undefined;
    const why = past.why === undefined ? undefined : element("p", {}, past.why);
    const about = element("p", { class: "about" }, time, ` ${who}`, element("code", {}, past.id));
    const kept = past.interrupted === undefined ? undefined : element("p", {}, `interrupted; what was kept is in ${past.interrupted}`);
    const can = !past.undone && past.interrupted === undefined && (past.purged ?? []).length === 0;
    return element("li", { class: past.undone ? "undone" : "" }, details, state, can ? undo : undefined, about, why, kept);
  }

  private async show(past: Past, diffs: HTMLElement, views: Entry["views"]): Promise<void> {
    const { files } = await store.ask<{ files: Changed[] }>("ui/change", { root: store.root, id: past.id });
    for (const file of files) {
      const [before, after] = [file.before ?? "", file.after ?? ""];
      const name = before === after || before === "" ? after : after === "" ? `${before} (deleted)` : `${before} → ${after}`;
      diffs.append(element("h3", {}, before === "" ? `${name} (new)` : name));
      if (file.note !== undefined) {
        diffs.append(element("p", { class: "hint" }, file.note));
        continue;
      }
      const side = (path: string, text: string | undefined) => ({ path, text: text ?? "", label: path === "" ? "no file" : path });
      views.push(merge(diffs, side(before || after, file.old), side(after || before, file.new), true));
    }
  }

  private async undo(past: Past): Promise<void> {
    const { summary } = await store.call<{ summary: string }>("file/undo", { root: store.root, id: past.id });
    announce(summary);
    await this.read();
  }
}

function close(entry: Entry): void {
  for (const view of entry.views) view.destroy();
}

export function history(): View {
  return new History();
}
