// Diffs that the host wants to be shown, and the decisions of the person. The right side of one to decide is a file in memory: to
// save it is to accept it, to close it is to reject it.
import type { Decision, Diff, Side } from "@marquetry/companion/protocol";
import * as vscode from "vscode";

/** The time without a key after which a proposal is closed, in milliseconds; and how often that is waited for. */
const QUIET = 100;
const ROUNDS = 20;
export const SCHEME = "marquetry-proposal";

export type Decide = (id: number, decision: Decision, text?: string) => void;

interface Memory {
  bytes: Uint8Array;
  changed: number;
  /** The diff that it is the right side of, as long as that is not decided. */
  waits: number | undefined;
  fixed: boolean;
}

export class Proposals implements vscode.FileSystemProvider {
  private readonly files = new Map<string, Memory>();
  private readonly shown = new Map<number, [vscode.Uri, vscode.Uri]>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;

  constructor(private readonly decide: Decide) {}

  /** Show a diff. */
  async show(diff: Diff): Promise<void> {
    const side = ({ path, text }: Side, name: string, decides: boolean): vscode.Uri => {
      if (text === null && path !== null) return vscode.Uri.file(path);
      const uri = vscode.Uri.from({ scheme: SCHEME, authority: `${diff.id}-${name}`, path: path ?? "/nothing" });
      const waits = decides ? diff.id : undefined;
      this.files.set(uri.toString(), { bytes: Buffer.from(text ?? "", "utf8"), changed: Date.now(), waits, fixed: !decides });
      return uri;
    };
    const sides: [vscode.Uri, vscode.Uri] = [side(diff.left, "before", false), side(diff.right, "after", diff.decide)];
    this.shown.set(diff.id, sides);
    const options = { preview: false, preserveFocus: !diff.focus };
    await vscode.commands.executeCommand("vscode.diff", ...sides, diff.title, options);
  }

  /** Take a diff away, whatever is in it. */
  async close(id: number): Promise<void> {
    const sides = this.shown.get(id);
    if (!sides) return;
    this.shown.delete(id);
    for (const uri of sides) {
      const memory = this.files.get(uri.toString());
      if (memory) memory.waits = undefined;
    }
    const right = sides[1].toString();
    await this.settled(right);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const ours = tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === right);
    await vscode.window.tabGroups.close(ours);
    for (const uri of sides) this.files.delete(uri.toString());
  }

  /**
   * What is typed into a proposal is not asked about: it is nobody's any more. Keys that were pressed a moment ago come late, and a tab
   * that closes before them asks the person: so it waits until none came for a while.
   */
  private async settled(right: string): Promise<void> {
    const memory = this.files.get(right);
    for (let round = 0; round < ROUNDS; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, QUIET));
      const document = vscode.workspace.textDocuments.find((known) => known.uri.toString() === right && known.isDirty);
      if (!document) return;
      if (memory) memory.fixed = false;
      await document.save();
    }
  }

  /** The host is gone, and all that it showed. */
  async closeAll(): Promise<void> {
    for (const id of [...this.shown.keys()]) await this.close(id);
  }

  /** The person pressed a button. */
  async press(uri: vscode.Uri | undefined, accept: boolean): Promise<void> {
    const meant = uri?.scheme === SCHEME ? uri : vscode.window.activeTextEditor?.document.uri;
    const memory = meant ? this.files.get(meant.toString()) : undefined;
    if (!meant || memory?.waits === undefined) return;
    if (!accept) {
      this.end(memory, "rejected");
      return;
    }
    const document = vscode.workspace.textDocuments.find((known) => known.uri.toString() === meant.toString());
    if (document?.isDirty) await document.save();
    else this.end(memory, "accepted");
  }

  /** Tabs were closed: what was not decided in them is closed. */
  closed(tabs: readonly vscode.Tab[]): void {
    for (const { input } of tabs) {
      if (!(input instanceof vscode.TabInputTextDiff)) continue;
      const memory = this.files.get(input.modified.toString());
      if (memory) this.end(memory, "closed");
    }
  }

  private end(memory: Memory, decision: Decision): void {
    const id = memory.waits;
    if (id === undefined) return;
    memory.waits = undefined;
    this.decide(id, decision, decision === "accepted" ? Buffer.from(memory.bytes).toString("utf8") : undefined);
  }

  private known(uri: vscode.Uri): Memory {
    const memory = this.files.get(uri.toString());
    if (!memory) throw vscode.FileSystemError.FileNotFound(uri);
    return memory;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, changed, fixed } = this.known(uri);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: changed, size: bytes.length };
    return fixed ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.known(uri).bytes;
  }

  /** To save the proposal is to accept it. */
  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const memory = this.known(uri);
    if (memory.fixed) throw vscode.FileSystemError.NoPermissions(uri);
    [memory.bytes, memory.changed] = [content, Date.now()];
    this.end(memory, "accepted");
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
