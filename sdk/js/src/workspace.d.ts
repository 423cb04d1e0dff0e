// Read access to the workspace. Requires `grants = ["workspace"]` in the registry.

export type EntryKind = "file" | "directory";
export function stat(path: string): EntryKind | null;
/** The text of a file, or `null`; `denial` gives the reason. */
export function read(path: string): string | null;
export type Denial = "not-found" | "not-granted" | "too-large" | "not-text";
export function denial(path: string): Denial | null;
export function entries(path: string): { name: string; kind: EntryKind }[];
export function version(path: string): number | null;
export function layout(): number;
export function exporters(name: string): string[];
