// The file tree, whose folders are filled when they are opened; a flat list if a filter is set.
import { button, element } from "../dom";

/** Maximum number of files in a filtered list. */
const MOST = 200;

interface Folder {
  folders: Map<string, Folder>;
  files: string[];
}

function folded(paths: string[]): Folder {
  const top: Folder = { folders: new Map(), files: [] };
  for (const path of paths) {
    let folder = top;
    const parts = path.split("/").slice(0, -1);
    for (const name of parts) {
      let next = folder.folders.get(name);
      if (!next) folder.folders.set(name, (next = { folders: new Map(), files: [] }));
      folder = next;
    }
    folder.files.push(path);
  }
  return top;
}

/** Creates the list of a folder's entries. */
function entries(folder: Folder, open: (path: string) => void): HTMLElement {
  const folders = [...folder.folders].map(([name, inner]) => {
    const details = element("details", {}, element("summary", {}, `${name}/`));
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(entries(inner, open));
    });
    return element("li", {}, details);
  });
  return element("ul", { class: "tree" }, ...folders, ...folder.files.map((path) => file(path, path.split("/").pop() ?? path, open)));
}

function file(path: string, name: string, open: (path: string) => void): HTMLElement {
  const go = () => {
    open(path);
  };
  return element("li", {}, button(name, go, { "data-path": path, title: path }));
}

/** The file tree, or the files whose path contains all words of the filter. */
export function tree(paths: string[], filter: string, open: (path: string) => void): HTMLElement {
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return entries(folded(paths), open);
  const fitting = paths.filter((path) => words.every((word) => path.toLowerCase().includes(word)));
  const list = element("ul", { class: "tree" }, ...fitting.slice(0, MOST).map((path) => file(path, path, open)));
  if (fitting.length > MOST) list.append(element("li", {}, `and ${fitting.length - MOST} more`));
  if (fitting.length === 0) list.append(element("li", {}, "no file fits"));
  return list;
}
