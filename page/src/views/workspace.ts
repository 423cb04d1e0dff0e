// The view of files: a file tree, and the active file with its outline and addresses.
import type { EditorView } from "@codemirror/view";
import { reveal, selectedRegion, viewer } from "../code";
import { announce, button, element, prose } from "../dom";
import { attachViewer, mention, sendSelection } from "../editor";
import { closeFile, openFile, refresh } from "../files";
import type { Listing, OutlineEntry, Point, Region, ToolRange } from "../protocol";
import { Failure } from "../socket";
import { type OpenTab, store } from "../store";
import { tree } from "./tree";
import { type View, attempt, report } from "./view";

/** Converts a range of tool results to the 0-based lines of editors. */
function region({ start, end }: ToolRange): Region {
  return { start: { ...start, line: start.line - 1 }, end: { ...end, line: end.line - 1 } };
}

function isBefore(a: Point, b: Point): boolean {
  return a.line < b.line || (a.line === b.line && a.column <= b.column);
}

/** The innermost outline entry at a position. */
function innermost(entries: OutlineEntry[], at: Point): OutlineEntry | undefined {
  for (const entry of entries) {
    const { start, end } = region(entry.range);
    if (isBefore(start, at) && isBefore(at, end)) return innermost(entry.children ?? [], at) ?? entry;
  }
  return undefined;
}

class Workspace implements View {
  private readonly list = element("div", { class: "files" });
  private readonly filter = element("input", { type: "search", placeholder: "Filter files", "aria-label": "Filter files" });
  private readonly open = element("ul", { class: "tabs", "aria-label": "Open files" });
  private readonly bar = element("div", { class: "bar" });
  private readonly text = element("div", { class: "text" });
  private readonly outline = element("nav", { class: "outline", "aria-label": "Outline" });
  readonly node = element(
    "div",
    { class: "workspace" },
    element("section", { "aria-label": "Files" }, element("h2", {}, "Files"), this.filter, this.list),
    element("section", { "aria-label": "File" }, this.open, this.bar, this.text),
    element("section", { "aria-label": "Outline" }, element("h2", {}, "Outline"), this.outline),
  );
  private paths: string[] = [];
  private entries: OutlineEntry[] = [];
  private editor: EditorView | undefined;
  private shown: OpenTab | undefined;
  private shownState = "";
  private readonly address = element("output", { class: "address", "aria-label": "Address" });
  private readonly ends: (() => void)[];

  constructor() {
    this.filter.addEventListener("input", () => {
      this.fold();
    });
    this.ends = [
      store.on("root", () => {
        this.read();
      }),
      store.on("changes", () => {
        this.read();
      }),
      store.on("tabs", () => {
        this.show();
      }),
    ];
    this.read();
    this.show();
  }

  end(): void {
    for (const end of this.ends) end();
    attachViewer(undefined, undefined);
    this.editor?.destroy();
  }

  private read(): void {
    if (store.root === "") return;
    attempt(async () => {
      const { files, more } = await store.ask<Listing>("ui/files", { root: store.root });
      if (files.join("\n") === this.paths.join("\n")) return;
      this.paths = files;
      this.fold();
      if (more > 0) this.list.append(element("p", {}, ...prose(`and ${more} more files: use \`marq search\``)));
    });
  }

  private fold(): void {
    const open = (path: string) => {
      attempt(async () => {
        await openFile(store.root, path, true, true);
      });
    };
    this.list.replaceChildren(tree(this.paths, this.filter.value, open));
  }

  /** Shows the active file. Keeps the current editor if the file is already shown. */
  private show(): void {
    this.open.replaceChildren(...store.tabs.map((tab) => this.tab(tab)));
    const tab = store.active;
    const state = tab === undefined ? "" : `${tab.path} ${tab.hash} ${String(tab.deleted)}`;
    if (tab === this.shown && state === this.shownState) return;
    const again = tab !== undefined && tab === this.shown && this.editor ? selectedRegion(this.editor.state) : undefined;
    this.editor?.destroy();
    this.editor = undefined;
    [this.shown, this.shownState] = [tab, state];
    this.entries = [];
    this.outline.replaceChildren();
    if (!tab) {
      attachViewer(undefined, undefined);
      this.bar.replaceChildren();
      this.text.replaceChildren(element("p", { class: "hint" }, ...prose("Choose a file, or have one opened with `marq open FILE`.")));
      sendSelection();
      return;
    }
    this.text.replaceChildren();
    const editor = viewer(this.text, tab.path, tab.text, () => {
      this.moved();
    });
    this.editor = editor;
    attachViewer(
      () => {
        const { from, to } = editor.state.selection.main;
        return { region: selectedRegion(editor.state), text: editor.state.sliceDoc(from, to) };
      },
      (region) => {
        reveal(editor, region);
        editor.focus();
      },
    );
    this.bar.replaceChildren(element("strong", {}, tab.path), this.address, button("Copy address", () => {
      this.copy();
    }), button("Mention", mention, { title: "Mention this file, or the selected lines, to the connected agents" }));
    if (again) reveal(editor, again);
    if (tab.deleted) this.bar.append(element("span", { class: "bad" }, "The file was deleted; this is its last text."));
    else this.readOutline(tab);
    sendSelection();
  }

  private tab(tab: OpenTab): HTMLElement {
    const name = tab.path.split("/").pop() ?? tab.path;
    const active = tab === store.active;
    const go = () => {
      store.active = tab;
      store.notify("tabs");
    };
    const close = () => {
      closeFile(tab);
    };
    const current = active ? { "aria-current": "true" } : {};
    return element(
      "li",
      { class: active ? "active" : "" },
      button(name, go, { title: tab.path, class: tab.preview ? "preview" : "", ...current }),
      button("×", close, { "aria-label": `Close ${name}` }),
    );
  }

  private readOutline(tab: OpenTab): void {
    const query = { type: "documentSymbols", path: tab.path, root: tab.root };
    store.call<{ data: { symbols: OutlineEntry[] } }>("query", query).then(
      ({ data }) => {
        if (this.shown !== tab) return;
        this.entries = data.symbols;
        this.outline.replaceChildren(
          data.symbols.length === 0 ? element("p", { class: "hint" }, "The file has no addresses except those of its lines.") : this.branch(data.symbols),
        );
        this.moved();
      },
      (why: unknown) => {
        // Files without a pack have no outline.
        if (this.shown !== tab || (why instanceof Failure && why.kind === "Unsupported")) return;
        // The file was moved or deleted meanwhile.
        if (why instanceof Failure && why.kind === "FileNotFound") void refresh();
        else report(why);
      },
    );
  }

  private branch(entries: OutlineEntry[]): HTMLElement {
    const item = (entry: OutlineEntry) => {
      const go = () => {
        if (!this.editor) return;
        reveal(this.editor, region(entry.range));
        this.editor.focus();
      };
      const name = button(entry.name, go, { title: entry.address, "data-address": entry.address });
      const children = entry.children ?? [];
      return element("li", {}, name, element("small", {}, ` ${entry.kind}`), children.length > 0 ? this.branch(children) : undefined);
    };
    return element("ul", {}, ...entries.map(item));
  }

  /** Updates the address after the caret moved. */
  private moved(): void {
    if (!this.editor) return;
    const found = innermost(this.entries, selectedRegion(this.editor.state).start);
    this.address.textContent = found?.address ?? "";
    sendSelection();
  }

  private copy(): void {
    const address = this.address.textContent;
    if (address === "") return;
    attempt(async () => {
      await navigator.clipboard.writeText(address);
      announce(`Copied ${address}`);
    });
  }
}

export function workspace(): View {
  return new Workspace();
}
