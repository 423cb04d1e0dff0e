// What the page knows: the server, the files and diffs that are open in it, and who wants to hear when that changes.
import type { Diff, InProgress, Workspace } from "./protocol";
import type { Socket } from "./socket";

/** A file that is open: its root, and its path below that. */
export interface OpenTab {
  root: string;
  path: string;
  text: string;
  hash: string;
  preview: boolean;
}

/** A diff that is shown, with both texts at hand. */
export interface OpenDiff {
  diff: Diff;
  left: string;
  right: string;
  /** What became of it. */
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

  /** Hear of something until the returned function is called. */
  on(event: Event, listener: () => void): () => void {
    const all = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, all.add(listener));
    return () => {
      all.delete(listener);
    };
  }

  tell(event: Event): void {
    for (const listener of this.listeners.get(event) ?? []) listener();
  }

  /** Ask the server; who asks before it is there hears so. */
  ask<T>(method: string, params: object = {}): Promise<T> {
    if (!this.server) return Promise.reject(new Error("the server is not connected"));
    return this.server.ask<T>(method, params);
  }

  /** Call a tool, in the name of the page. */
  call<T>(method: string, params: object): Promise<T> {
    const clientInfo = { name: "marq page", version: this.workspace.version };
    return this.ask<T>(method, { ...params, clientInfo });
  }

  /** The root that holds an absolute path, and the path below it. */
  locate(path: string): { root: string; below: string } | undefined {
    const holding = this.workspace.roots.filter((root) => path.startsWith(`${root.replace(/\/$/, "")}/`));
    const root = holding.sort((a, b) => b.length - a.length)[0];
    return root === undefined ? undefined : { root, below: path.slice(root.replace(/\/$/, "").length + 1) };
  }

  /** Go to a part of the page. */
  go(part: Part): void {
    if (this.part === part) return;
    this.part = part;
    history.replaceState(null, "", `#${part}`);
    this.tell("part");
  }
}

export const store = new Store();

/** The absolute path of an open file. */
export function absolute(tab: OpenTab): string {
  return `${tab.root.replace(/\/$/, "")}/${tab.path}`;
}
