// Paths in the workspace: relative to its root, with `/`.

// The folder of a path; empty for the root.
export function folder(path) {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

// The path that a relative one means in a folder; nothing where it leaves the root.
export function join(base, path) {
  const parts = base === "" ? [] : base.split("/");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

// How a path is written in a folder.
export function relative(base, path) {
  const from = base === "" ? [] : base.split("/");
  const to = path.split("/");
  let same = 0;
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same += 1;
  return [...from.slice(same).map(() => ".."), ...to.slice(same)].join("/");
}
