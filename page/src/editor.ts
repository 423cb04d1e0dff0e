// The page as an attached editor: answers requests of the host, and sends notifications.
import { wanted } from "@marquetry/companion/places";
import { MOST_SELECTED } from "@marquetry/companion/protocol";
import { languageOf } from "./code";
import { announce } from "./dom";
import { openFile, closeFile } from "./files";
import type { Diff, FileText, OpenFile, Region, Selected, Side, Tab } from "./protocol";
import { Failure, Socket } from "./socket";
import { type OpenDiff, absolute, store } from "./store";

const PATH = "/editors/web";
const ABILITIES = "open show-diff decide close-tab tabs selection dirty text save folders show".split(" ");
/** Delay between two selection notifications, in milliseconds. */
const PACE = 50;

let socket: Socket | undefined;
/** Reads the selection of the active file in the workspace view. */
let shownSelection: (() => { region: Region; text: string } | undefined) | undefined;
let revealing: ((region: Region) => void) | undefined;
let later: number | undefined;

/** Registers the functions that read and set the selection of the file view. */
export function attachViewer(
  read: (() => { region: Region; text: string } | undefined) | undefined,
  set: ((region: Region) => void) | undefined,
): void {
  [shownSelection, revealing] = [read, set];
}

/** Attaches the page as an editor. The connection is restored automatically. */
export function attach(key: string): void {
  socket = new Socket(PATH, key, {
    opened: () => socket?.notify("introduce", { title: `page in ${browser()}`, folders: folders(), abilities: ABILITIES }),
    closed: () => {
      // Callers that waited for a decision were informed that the editor disconnected.
      store.diffs = [];
      store.shown = undefined;
      store.notify("diffs");
    },
    request: (method, params) => answer(method, params as never),
    notification: () => undefined,
  });
  store.on("tabs", () => socket?.notify("tabs", { tabs: tabs() }));
  window.addEventListener("focus", () => socket?.notify("focused", { focused: true }));
  window.addEventListener("blur", () => socket?.notify("focused", { focused: false }));
}

function browser(): string {
  const known = /(Firefox|Edg|Chrome|Version)\/(\d+)/.exec(navigator.userAgent);
  const names: Record<string, string> = { Edg: "Edge", Version: "Safari" };
  return known?.[1] ? `${names[known[1]] ?? known[1]} ${known[2] ?? ""}` : "a browser";
}

function folders(): { name: string; path: string }[] {
  return store.workspace.roots.map((path) => ({ name: path.split("/").pop() ?? path, path }));
}

function tabs(): Tab[] {
  return store.tabs.map((tab) => ({
    path: absolute(tab),
    label: tab.path.split("/").pop() ?? tab.path,
    language: languageOf(tab.path),
    active: tab === store.active,
    preview: tab.preview,
    groupActive: true,
    lines: tab.text.split("\n").length,
  }));
}

function selection(): Selected | null {
  const [tab, shown] = [store.active, shownSelection?.()];
  if (!tab || !shown) return null;
  const { region, text } = shown;
  return { path: absolute(tab), region, text: text.slice(0, MOST_SELECTED), truncated: text.length > MOST_SELECTED, language: languageOf(tab.path) };
}

/** Sends the selection after a change, at most once per delay. */
export function sendSelection(): void {
  later ??= window.setTimeout(() => {
    later = undefined;
    socket?.notify("selection", { selected: selection() });
  }, PACE);
}

/** Mentions the active file, or the selected lines of it, to agents. */
export function mention(): void {
  const selected = selection();
  if (!selected) return;
  const { start, end } = selected.region;
  const last = end.column === 0 && end.line > start.line ? end.line - 1 : end.line;
  const lines = selected.text === "" ? {} : { lines: [start.line, last] };
  socket?.notify("mentioned", { path: selected.path, ...lines });
  announce(`Mentioned ${selected.path}`);
}

/** Sends the user's decision about a proposal, and shows the next undecided one. */
export function decide(open: OpenDiff, decision: "accepted" | "rejected" | "closed", text?: string): void {
  socket?.notify("decided", { id: open.diff.id, decision, ...(decision === "accepted" ? { text: text ?? open.right } : {}) });
  announce(`${open.diff.title}: ${decision}`);
  if (decision === "closed") {
    closeDiff(open.diff.id);
  } else {
    open.decision = decision;
    const next = store.diffs.find((other) => other.diff.decide && !other.decision);
    if (next && store.shown === open) store.shown = next;
    store.notify("diffs");
  }
}

/** Closes a diff. */
export function closeDiff(id: number): void {
  store.diffs = store.diffs.filter((open) => open.diff.id !== id);
  if (store.shown?.diff.id === id) store.shown = store.diffs[0];
  store.notify("diffs");
}

interface RequestParameters {
  path: string;
  id: number;
  text: string;
}

async function answer(method: string, params: RequestParameters & OpenFile & Diff): Promise<unknown> {
  const found = () => store.tabs.find((tab) => absolute(tab) === params.path);
  switch (method) {
    case "open":
      return open(params);
    case "show-diff":
      return showDiff(params);
    case "close-diff":
      closeDiff(params.id);
      return null;
    case "close-tab": {
      const tab = found();
      if (tab) closeFile(tab);
      return { closed: tab ? 1 : 0, unsaved: 0 };
    }
    case "tabs":
      return tabs();
    case "selection":
      return selection();
    case "dirty":
      // Files are read-only in the page.
      return found() ? { dirty: false, untitled: false } : null;
    case "text":
      return found()?.text ?? null;
    case "save":
      return found() !== undefined;
    case "folders":
      return folders();
    case "show":
      announce(params.text);
      return null;
    default:
      throw new Failure(`the page does not know \`${method}\``, "unsupported", undefined, []);
  }
}

async function open({ path, reveal, preview, focus }: OpenFile): Promise<object> {
  const place = store.locate(path);
  if (!place) throw new Failure(`\`${path}\` is below no folder of the server`, "InvalidArgument", undefined, []);
  const tab = await openFile(place.root, place.below, preview, focus);
  if (focus) store.go("workspace");
  const { region, revealed } = wanted(tab.text, reveal);
  if (region && store.active === tab) revealing?.(region);
  if (focus) announce(`Opened ${place.below}`);
  return { language: languageOf(path), lines: tab.text.split("\n").length, revealed };
}

async function showDiff(diff: Diff): Promise<null> {
  const [left, right] = await Promise.all([side(diff.left), side(diff.right)]);
  const open: OpenDiff = { diff, left, right, decision: undefined };
  store.diffs = [...store.diffs.filter((known) => known.diff.id !== diff.id), open];
  if (diff.focus || !store.shown) store.shown = open;
  if (diff.focus) store.go("proposals");
  store.notify("diffs");
  announce(diff.decide ? `${diff.title} waits for your decision` : `${diff.title} is shown`);
  return null;
}

async function side({ path, text }: Side): Promise<string> {
  if (text !== null || path === null) return text ?? "";
  const place = store.locate(path);
  if (!place) throw new Failure(`\`${path}\` is below no folder of the server`, "InvalidArgument", undefined, []);
  return (await store.ask<FileText>("ui/text", { root: place.root, path: place.below })).text;
}
