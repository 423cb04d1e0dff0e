// Diffs shown for the host, and the user's decisions. The right side of a proposal is a file in memory: saving it
// accepts the proposal, closing it rejects the proposal.
import type { Decision, Diff, Side } from "@marquetry/companion/protocol";
import * as vscode from "vscode";

/** Milliseconds between checks for unsaved text before a diff is closed, and the maximum number of these checks. */
const QUIET = 100;
const ROUNDS = 20;
export const SCHEME = "marquetry-proposal";

export type Decide = (id: number, decision: Decision, text?: string) => void;

interface Memory {
  bytes: Uint8Array;
  changed: number;
  /** ID of the diff whose right side this is, while the decision is pending. */
  waits: number | undefined;
  fixed: boolean;
}

export class Proposals implements vscode.FileSystemProvider {
  private readonly files = new Map<string, Memory>();
  private readonly shown = new Map<number, [vscode.Uri, vscode.Uri]>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;

  constructor(private readonly decide: Decide) {}

  /** Shows a diff. */
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

  /** Closes a diff, discarding its text. */
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
   * Saves the document, so that VS Code does not ask about its changes when the tab closes. Keys pressed a moment ago may still arrive;
   * therefore waits until no more have come for a while.
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

  /** Closes all diffs after the host has disconnected. */
  async closeAll(): Promise<void> {
    for (const id of [...this.shown.keys()]) await this.close(id);
  }

  /** Handles the accept and reject buttons. */
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

  /** Handles closed tabs: their pending proposals end as closed. */
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

  /** Saving the proposal accepts it. */
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
