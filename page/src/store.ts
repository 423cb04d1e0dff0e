// State of the page: the server, open files and diffs, and listeners for changes.
import type { Diff, InProgress, Workspace } from "./protocol";
import type { Socket } from "./socket";

/** An open file: its root, and its path relative to the root. */
export interface OpenTab {
  root: string;
  path: string;
  text: string;
  hash: string;
  preview: boolean;
  /** True if the file was deleted. Its last text stays visible until the tab is closed. */
  deleted: boolean;
}

/** An open diff with both texts. */
export interface OpenDiff {
  diff: Diff;
  left: string;
  right: string;
  /** The user's decision, if there is one. */
  decision: "accepted" | "rejected" | undefined;
}

export type Part = "workspace" | "proposals" | "history" | "plugins" | "calls";
export const PARTS: Part[] = ["workspace", "proposals", "history", "plugins", "calls"];

type Event = "workspace" | "root" | "tabs" | "diffs" | "calls" | "changes" | "part";

class Store {
  server: Socket | undefined;
  workspace: Workspace = { version: "", roots: [], editors: [] };
  root = "";
  part: Part = "workspace";
  tabs: OpenTab[] = [];
  active: OpenTab | undefined;
  diffs: OpenDiff[] = [];
  shown: OpenDiff | undefined;
  progress: InProgress = { calls: [], changes: 0 };
  private readonly listeners = new Map<Event, Set<() => void>>();

  /** Adds a listener. Call the returned function to remove it. */
  on(event: Event, listener: () => void): () => void {
    const all = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, all.add(listener));
    return () => {
      all.delete(listener);
    };
  }

  notify(event: Event): void {
    for (const listener of this.listeners.get(event) ?? []) listener();
  }

  /** Sends a request to the server. Rejects if the server is not connected. */
  ask<T>(method: string, params: object = {}): Promise<T> {
    if (!this.server) return Promise.reject(new Error("the server is not connected"));
    return this.server.ask<T>(method, params);
  }

  /** Calls a tool as the client `marq page`. */
  call<T>(method: string, params: object): Promise<T> {
    const clientInfo = { name: "marq page", version: this.workspace.version };
    return this.ask<T>(method, { ...params, clientInfo });
  }

  /** Splits an absolute path into its root and the path relative to the root. */
  locate(path: string): { root: string; below: string } | undefined {
    const holding = this.workspace.roots.filter((root) => path.startsWith(`${root.replace(/\/$/, "")}/`));
    const root = holding.sort((a, b) => b.length - a.length)[0];
    return root === undefined ? undefined : { root, below: path.slice(root.replace(/\/$/, "").length + 1) };
  }

  /** Switches to a view of the page. */
  go(part: Part): void {
    if (this.part === part) return;
    this.part = part;
    history.replaceState(null, "", `#${part}`);
    this.notify("part");
  }
}

export const store = new Store();

/** The absolute path of an open file. */
export function absolute(tab: OpenTab): string {
  return `${tab.root.replace(/\/$/, "")}/${tab.path}`;
}
