// The view of plugins with their health, limits and grants, and of attached editors.
import { element } from "../dom";
import type { Plugin, Workspace } from "../protocol";
import { store } from "../store";
import { type View, attempt, short, table } from "./view";

const TRUST: Record<string, string> = {
  trusted: "The requests of this project are approved.",
  unasked: "This project has requests that are not approved: `marq trust` shows and approves them.",
  refused: "The requests of this project are ignored.",
};

function state(said: string): HTMLElement {
  return element("span", { class: said === "ready" ? "good" : said === "connecting" ? "" : "bad" }, said);
}

/** Delay between updates, in milliseconds: the server sends no notifications when editors attach or detach. */
const PACE = 2000;

class Plugins implements View {
  readonly node = element("section", { "aria-label": "Plugins" });
  private readonly end_: () => void;
  /** The serialized data that is shown, to skip updates without changes. */
  private shown = "";

  constructor() {
    const read = () => {
      attempt(() => this.read());
    };
    const quiet = store.on("root", read);
    const looks = setInterval(() => void this.read().catch(() => undefined), PACE);
    this.end_ = () => {
      quiet();
      clearInterval(looks);
    };
    read();
  }

  end(): void {
    this.end_();
  }

  private async read(): Promise<void> {
    if (store.root === "") return;
    const { plugins, trust } = await store.ask<{ plugins: Plugin[]; trust: string | null }>("ui/plugins", { root: store.root });
    store.workspace = await store.ask<Workspace>("ui/workspace");
    const said = JSON.stringify([plugins, trust, store.workspace.editors]);
    if (said === this.shown) return;
    this.shown = said;
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
