// Restricts the paths in requests: an editor never touches files outside of its folders, whatever a server requests.
import { realpath } from "node:fs/promises";
import { dirname, join, basename, relative, isAbsolute, resolve, sep } from "node:path";
import { Failure, type Folder } from "./protocol";

/** The parameters of a request that can contain paths. */
interface Named {
  path?: unknown;
  files?: unknown;
  left?: unknown;
  right?: unknown;
}

/** The paths in the parameters of a request. */
function named(params: unknown): string[] {
  const { path, files, left, right } = (params ?? {}) as Named;
  const inner = [...(Array.isArray(files) ? (files as unknown[]) : []), left, right];
  const paths = [path, ...inner.map((each) => (each as { path?: unknown } | null | undefined)?.path)];
  return paths.filter((each) => typeof each === "string");
}

/** Resolves symbolic links in the existing part of a path. */
async function real(path: string): Promise<string> {
  const above = dirname(path);
  return realpath(path).catch(async () => (above === path ? path : join(await real(above), basename(path))));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`);
}

/**
 * Fails if the parameters of a request contain a path outside of the folders, directly or through a symbolic link.
 */
export async function confine(params: unknown, folders: Folder[]): Promise<void> {
  const paths = named(params);
  if (paths.length === 0) return;
  const inside = await Promise.all(folders.map(({ path }) => real(resolve(path))));
  for (const path of paths) {
    const meant = isAbsolute(path) ? await real(resolve(path)) : undefined;
    if (meant === undefined || !inside.some((folder) => isInside(meant, folder))) {
      throw new Failure(`\`${path}\` is outside of the folders of this editor`, "invalid-argument");
    }
  }
}
