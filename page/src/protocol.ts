// Types of the server's messages: results of tools and of the page's own methods, and the protocol of companions.
export type { Diff, OpenFile, Point, Region, Selected, Side } from "@marquetry/companion/protocol";

export interface Workspace {
  version: string;
  roots: string[];
  editors: Editor[];
}

export interface Editor {
  name: string;
  title: string;
  channel: string;
  state: string;
  abilities: string[];
}

export interface Listing {
  files: string[];
  more: number;
}

export interface FileText {
  path: string;
  text: string;
  hash: string;
}

/** Lines from 1, columns from 0 in UTF-16 code units, as in the results of tools. */
export interface ToolPlace {
  line: number;
  column: number;
}

export interface ToolRange {
  start: ToolPlace;
  end: ToolPlace;
}

export interface OutlineEntry {
  name: string;
  kind: string;
  address: string;
  range: ToolRange;
  children?: OutlineEntry[];
}

export interface Past {
  id: string;
  title: string;
  time: number;
  files: string[];
  undone: boolean;
  interrupted?: string;
  client?: string;
  tool?: string;
  about?: string;
  why?: string;
  purged?: string[];
}

export interface Changed {
  before?: string;
  after?: string;
  old?: string;
  new?: string;
  note?: string;
}

export interface Plugin {
  id: string;
  version: string | null;
  source: string;
  digest: string | null;
  files: string[];
  interfaces: string[];
  grants: string[];
  state: string;
  memoryMib: number;
  seconds: number;
}

export interface Call {
  call: number;
  tool: string;
  client: string;
  about: string;
  why?: string;
  milliseconds: number;
  progress?: string;
  cancelled: boolean;
}

export interface InProgress {
  calls: Call[];
  changes: number;
}

export interface Tab {
  path: string;
  label: string;
  language: string;
  active: boolean;
  preview: boolean;
  groupActive: boolean;
  lines: number;
}
