// Read access to the workspace. Requires `grants = ["workspace"]` in the registry.

export type EntryKind = "file" | "directory";
export function stat(path: string): EntryKind | null;
export function read(path: string): string | null;
export function entries(path: string): { name: string; kind: EntryKind }[];
export function version(path: string): number | null;
export function layout(): number;
export function exporters(name: string): string[];
