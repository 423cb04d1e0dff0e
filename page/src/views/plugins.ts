// The plugins of a folder with their health, limits and grants, and the editors that are attached.
import { element } from "../dom";
import type { Plugin, Workspace } from "../protocol";
import { store } from "../store";
import { type View, attempt, short, table } from "./view";

const TRUST: Record<string, string> = {
  trusted: "What this project asks for is allowed.",
  unasked: "This project asks for more than is allowed: `marq trust` shows what, and allows it.",
  refused: "What this project asks for is left out.",
};

function state(said: string): HTMLElement {
  return element("span", { class: said === "ready" ? "good" : said === "connecting" ? "" : "bad" }, said);
}

class Plugins implements View {
  readonly node = element("section", { "aria-label": "Plugins" });
  private readonly end_: () => void;

  constructor() {
    const read = () => {
      attempt(() => this.read());
    };
    this.end_ = store.on("root", read);
    read();
  }

  end(): void {
    this.end_();
  }

  private async read(): Promise<void> {
    if (store.root === "") return;
    const { plugins, trust } = await store.ask<{ plugins: Plugin[]; trust: string | null }>("ui/plugins", { root: store.root });
    store.workspace = await store.ask<Workspace>("ui/workspace");
    const packs = plugins.map((plugin) => [
      plugin.id,
      state(plugin.state),
      plugin.version ?? "",
      plugin.source,
      plugin.grants.join(", ") || "none",
      `${plugin.memoryMib} MiB, ${plugin.seconds} s a call`,
      plugin.interfaces.join(", "),
      plugin.files.join(" "),
      element("code", { title: plugin.digest ?? "" }, short(plugin.digest)),
    ]);
    const editors = store.workspace.editors.map((editor) => [
      editor.name,
      state(editor.state),
      editor.title,
      editor.channel,
      editor.abilities.join(", "),
    ]);
    this.node.replaceChildren(
      element("h2", {}, "Plugins"),
      element("p", {}, (trust === null ? undefined : TRUST[trust]) ?? ""),
      table("Language packs", ["Name", "Health", "Version", "Source", "Grants", "Limits", "Interfaces", "Files", "sha256"], packs),
      editors.length === 0
        ? element("p", { class: "hint" }, "No editor is attached.")
        : table("Attached editors", ["Name", "State", "Title", "Channel", "Abilities"], editors),
    );
  }
}

export function plugins(): View {
  return new Plugins();
}
