// Paths in the workspace: relative to its root, with `/`.

// The folder of a path; empty for the root.
export function folder(path) {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

// Joins a relative path to a folder; `null` if the result is outside of the root.
export function join(base, path) {
  const parts = base === "" ? [] : base.split("/");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

// The relative path from a folder to a path.
export function relative(base, path) {
  const from = base === "" ? [] : base.split("/");
  const to = path.split("/");
  let same = 0;
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same += 1;
  return [...from.slice(same).map(() => ".."), ...to.slice(same)].join("/");
}
