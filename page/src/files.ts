// Opens, closes and refreshes files in the page.
import type { FileText } from "./protocol";
import { type OpenTab, store } from "./store";

/** Opens a file, or activates its tab if it is open. A preview replaces the previous preview. */
export async function openFile(root: string, path: string, preview: boolean, active: boolean): Promise<OpenTab> {
  const { text, hash } = await store.ask<FileText>("ui/text", { root, path });
  let tab = store.tabs.find((tab) => tab.root === root && tab.path === path);
  if (tab) {
    Object.assign(tab, { text, hash, preview: tab.preview && preview });
  } else {
    tab = { root, path, text, hash, preview };
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

/** Reloads the active file if it changed on disk. */
export async function refresh(): Promise<void> {
  const tab = store.active;
  if (!tab) return;
  try {
    const { text, hash } = await store.ask<FileText>("ui/text", { root: tab.root, path: tab.path });
    if (hash === tab.hash) return;
    Object.assign(tab, { text, hash });
    store.notify("tabs");
  } catch {
    // The file was deleted: its last text stays visible until the tab is closed.
  }
}
