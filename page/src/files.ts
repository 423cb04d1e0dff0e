// Opens, closes and refreshes files in the page.
import { announce } from "./dom";
import type { Changed, FileText, Past } from "./protocol";
import { Failure } from "./socket";
import { type OpenTab, store } from "./store";

/** Number of the latest changes in which a moved file is searched. */
const LATEST = 20;
/** Time in milliseconds after which a missing file is searched in the history again. */
const PAUSE = 1000;

/** Opens a file, or activates its tab if it is open. A preview replaces the previous preview. */
export async function openFile(root: string, path: string, preview: boolean, active: boolean): Promise<OpenTab> {
  const { text, hash } = await store.ask<FileText>("ui/text", { root, path });
  let tab = store.tabs.find((tab) => tab.root === root && tab.path === path);
  if (tab) {
    Object.assign(tab, { text, hash, preview: tab.preview && preview, deleted: false });
  } else {
    tab = { root, path, text, hash, preview, deleted: false };
    const before = store.tabs.findIndex((tab) => tab.preview);
    if (preview && before >= 0) store.tabs.splice(before, 1, tab);
    else store.tabs.push(tab);
  }
  if (active || !store.active || !store.tabs.includes(store.active)) store.active = tab;
  store.notify("tabs");
  return tab;
}

/** Closes the tab of a file. */
export function closeFile(tab: OpenTab): void {
  const at = store.tabs.indexOf(tab);
  if (at < 0) return;
  store.tabs.splice(at, 1);
  if (store.active === tab) store.active = store.tabs[Math.min(at, store.tabs.length - 1)];
  store.notify("tabs");
}

/** Reloads the open files that changed on disk. Tabs of moved files follow them. */
export async function refresh(): Promise<void> {
  for (const tab of [...store.tabs]) await refreshTab(tab);
}

async function refreshTab(tab: OpenTab): Promise<void> {
  try {
    const { text, hash } = await store.ask<FileText>("ui/text", { root: tab.root, path: tab.path });
    if (hash === tab.hash && !tab.deleted) return;
    Object.assign(tab, { text, hash, deleted: false });
  } catch (why) {
    if (!(why instanceof Failure) || why.kind !== "FileNotFound" || tab.deleted) return;
    await follow(tab);
  }
  store.notify("tabs");
}

/** Gives the tab of a missing file the path to which the file was moved. Marks the tab if the file was deleted. */
async function follow(tab: OpenTab): Promise<void> {
  let path = await destination(tab);
  if (path === undefined) {
    // A change is listed in the history only when it is complete.
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    path = await destination(tab);
  }
  if (path === undefined) {
    tab.deleted = true;
    return;
  }
  const other = store.tabs.find((known) => known !== tab && known.root === tab.root && known.path === path);
  if (other) {
    if (store.active === tab) store.active = other;
    closeFile(tab);
    return;
  }
  const { text, hash } = await store.ask<FileText>("ui/text", { root: tab.root, path });
  Object.assign(tab, { path, text, hash });
  announce(`The file is now ${path}`);
}

/** The path to which the latest changes moved the file of a tab, or moved it back by an undo. */
async function destination(tab: OpenTab): Promise<string | undefined> {
  const { changes } = await store.call<{ changes: Past[] }>("file/history", { root: tab.root, limit: LATEST });
  // The history lists a moved file by its new path only, so every change is read.
  for (const past of changes) {
    const { files } = await store.ask<{ files: Changed[] }>("ui/change", { root: tab.root, id: past.id });
    for (const { before, after } of files) {
      const [from, to] = past.undone ? [after, before] : [before, after];
      if (from === tab.path && to !== undefined && to !== from) return to;
    }
  }
  return undefined;
}
