// Entry point of the page: authentication, navigation between views, and notifications of the server.
import { button, element, part, prose } from "./dom";
import { attach } from "./editor";
import { refresh } from "./files";
import type { InProgress, Workspace } from "./protocol";
import { Failure, Socket } from "./socket";
import { PARTS, type Part, store } from "./store";
import { calls } from "./views/calls";
import { history } from "./views/history";
import { plugins } from "./views/plugins";
import { proposals } from "./views/proposals";
import { type View, report } from "./views/view";
import { workspace } from "./views/workspace";

const VIEWS: Record<Part, () => View> = { workspace, proposals, history, plugins, calls };
const NAMES: Record<Part, string> = {
  workspace: "Workspace",
  proposals: "Proposals",
  history: "History",
  plugins: "Plugins",
  calls: "Calls",
};
const KEY = "marquetry-key";
/** Only calls that take longer than this number of milliseconds are counted. */
const LASTING = 250;
let view: View | undefined;

function state(text: string): void {
  part("state").replaceChildren(...prose(text).filter((child) => child !== undefined));
}

/** Shows whether the server can be reached. Without it, nothing on the page works. */
function lose(lost: boolean): void {
  document.body.classList.toggle("lost", lost);
  part("main").inert = lost;
  part("parts").inert = lost;
}

/** The session key: the one stored for this tab, or a new one for the token after `#`, which is removed from the address. */
async function ticket(): Promise<string | undefined> {
  const given = /^#token=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return sessionStorage.getItem(KEY) ?? undefined;
  window.history.replaceState(null, "", location.pathname);
  const answer = await fetch("/ui/ticket", { method: "POST", headers: { authorization: `Bearer ${given}` } });
  if (!answer.ok) {
    state("not connected");
    const hint = "`marq ui` opens the page with the token of the running server, `marq serve` prints its address";
    const reason = answer.status === 401 ? "the token in the address is not the one of this server" : await answer.text();
    throw new Failure(reason, "Internal", hint, []);
  }
  const { key } = (await answer.json()) as { key: string };
  sessionStorage.setItem(KEY, key);
  return key;
}

function showParts(): void {
  const waiting = store.diffs.filter((open) => open.diff.decide && !open.decision).length;
  const counts: Partial<Record<Part, number>> = { proposals: waiting, calls: store.progress.calls.filter((call) => call.milliseconds > LASTING).length };
  const made = PARTS.map((name) => {
    const count = counts[name] ?? 0;
    const text = count > 0 ? `${NAMES[name]} (${count})` : NAMES[name];
    const go = () => {
      store.go(name);
    };
    return button(text, go, { "data-part": name, ...(name === store.part ? { "aria-current": "page" } : {}) });
  });
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["part"] : undefined;
  part("parts").replaceChildren(...made);
  if (focused !== undefined) made.find((one) => one.dataset["part"] === focused)?.focus();
  document.title = waiting > 0 ? `(${waiting}) marq` : "marq";
}

function showView(): void {
  view?.end();
  view = VIEWS[store.part]();
  part("main").replaceChildren(view.node);
  showParts();
}

function heard(progress: InProgress): void {
  const changed = progress.changes !== store.progress.changes;
  store.progress = progress;
  store.notify("calls");
  if (changed) {
    store.notify("changes");
    void refresh();
  }
}

async function opened(key: string, first: boolean): Promise<void> {
  store.workspace = await store.ask<Workspace>("ui/workspace");
  const roots = store.workspace.roots;
  if (!roots.includes(store.root)) store.root = roots[0] ?? "";
  const choose = part("root") as HTMLSelectElement;
  choose.replaceChildren(...roots.map((root) => element("option", { value: root }, root)));
  choose.value = store.root;
  store.notify("workspace");
  store.notify("root");
  if (first) attach(key);
  await store.ask("ui/watch");
  state(`marq ${store.workspace.version}`);
}

function listen(key: string): void {
  let first = true;
  store.server = new Socket("/ui/rpc", key, {
    opened: () => {
      lose(false);
      opened(key, first).catch(report);
      first = false;
    },
    closed: (refused) => {
      lose(true);
      state(refused ? "not connected: the server ended, or this page must be opened again with `marq ui`" : "connecting again");
    },
    request: () => Promise.reject(new Error("the page does not accept requests")),
    notification: (method, params) => {
      if (method === "ui/changed") heard((params as { result: InProgress }).result);
    },
  });
}

async function begin(): Promise<void> {
  const named = PARTS.find((name) => `#${name}` === location.hash);
  store.part = named ?? "workspace";
  const key = await ticket();
  part("root").addEventListener("change", (event) => {
    store.root = (event.target as HTMLSelectElement).value;
    store.notify("root");
  });
  store.on("part", showView);
  store.on("calls", showParts);
  store.on("diffs", showParts);
  showView();
  window.addEventListener("focus", () => void refresh());
  window.addEventListener("beforeunload", (event) => {
    // Leaving the page rejects all undecided proposals.
    if (store.diffs.some((open) => open.diff.decide && !open.decision)) event.preventDefault();
  });
  if (key === undefined) {
    state("not connected");
    lose(true);
    throw new Failure("this page was opened without its token", "Internal", "`marq ui` opens it, `marq serve` prints its address", []);
  }
  listen(key);
}

begin().catch(report);
