// Implements the companion protocol with Obsidian's API.
import type { Connection, Editor } from "@marquetry/companion/connection";
import { edited, wanted } from "@marquetry/companion/places";
import { type Diff, type Edits, Failure, type Folder, MOST_SELECTED, type OpenFile, type Region, type Selected, type Side, plain } from "@marquetry/companion/protocol";
import type { Server } from "@marquetry/companion/servers";
import { type App, type EditorPosition, FileSystemAdapter, MarkdownView, Notice, type TAbstractFile, TFile, type WorkspaceLeaf, apiVersion } from "obsidian";
import { PROPOSAL, ProposalView } from "./proposal";

const ABILITIES = "open show-diff decide close-tab tabs selection dirty text save folders apply show".split(" ");
/** Minimum interval between two events of selections or tabs, in milliseconds. */
const PACE = 30;

type RequestParameters = OpenFile & Diff & { id: number; path: string; files: Edits[]; level: string; text: string };

const position = ({ line, column }: Region["start"]): EditorPosition => ({ line, ch: column });
const place = ({ line, ch }: EditorPosition) => ({ line, column: ch });

export class Vault implements Editor {
  private connection: Connection | undefined;
  /** Notes with changes that Obsidian has not written yet: it writes them some time after the last key. */
  private readonly unsaved = new Set<string>();
  private readonly later = new Map<string, number>();
  /** The last active note. A proposal in front of it does not count. */
  private last: MarkdownView | undefined;

  constructor(
    private readonly app: App,
    private readonly shares: () => boolean,
    private readonly changed: (server: Server | undefined) => void,
  ) {}

  attach(connection: Connection): void {
    this.connection = connection;
  }

  /** Sends the latest state after a pause. Calls in the meantime are coalesced. */
  private soon(method: string, what: () => object): void {
    if (this.later.has(method)) return;
    const send = () => {
      this.later.delete(method);
      this.connection?.notify(method, what());
    };
    this.later.set(method, window.setTimeout(send, PACE));
  }

  sendSelection(): void {
    if (this.shares()) this.soon("selection", () => ({ selected: this.selection() }));
  }

  sendTabs(): void {
    this.soon("tabs", () => ({ tabs: this.tabs() }));
  }

  focused(focused: boolean): void {
    this.connection?.notify("focused", { focused });
  }

  /** Handles typing in a note. */
  typed(file: TFile | null): void {
    if (!file) return;
    const isNew = !this.unsaved.has(file.path);
    this.unsaved.add(file.path);
    // Sent at once, because from now on other programs must not overwrite the note.
    if (isNew) this.connection?.notify("tabs", { tabs: this.tabs() });
    this.soon("changed", () => ({ path: this.absolute(file.path) }));
  }

  /** Handles a write to a note, by Obsidian or by another program. It is saved if the file now has the text of the editor. */
  async written(path: string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    const view = this.views().find((view) => view.file?.path === path);
    if (!file || !this.unsaved.has(path)) return;
    const text = plain(await this.app.vault.read(file));
    if (view && view.editor.getValue() !== text) return;
    if (!this.unsaved.delete(path)) return;
    // Sent before any other answer, because from now on the host edits the note on disk.
    this.connection?.notify("tabs", { tabs: this.tabs() });
    this.connection?.notify("saved", { path: this.absolute(path) });
  }

  /** Mentions the selected lines or the note to the clients. */
  mention(view: MarkdownView): void {
    if (!view.file) return;
    const [start, end] = [view.editor.getCursor("from"), view.editor.getCursor("to")];
    const last = end.ch === 0 && end.line > start.line ? end.line - 1 : end.line;
    const lines = view.editor.getSelection() === "" ? {} : { lines: [start.line, last] };
    this.connection?.notify("mentioned", { path: this.absolute(view.file.path), ...lines });
  }

  introduction(): object {
    return { title: `Obsidian ${apiVersion}`, folders: this.folders(), abilities: ABILITIES };
  }

  welcome(server: Server): void {
    this.changed(server);
  }

  gone(): void {
    this.changed(undefined);
    for (const view of this.proposals()) view.withdraw();
  }

  private root(): string {
    const { adapter } = this.app.vault;
    return adapter instanceof FileSystemAdapter ? adapter.getBasePath() : "";
  }

  private absolute(path: string): string {
    return `${this.root()}/${path}`;
  }

  folders(): Folder[] {
    return [{ name: this.app.vault.getName(), path: this.root() }];
  }

  /** The file in the vault with this absolute path. */
  private file(path: string): TFile | undefined {
    const below = path.startsWith(`${this.root()}/`) ? path.slice(this.root().length + 1) : undefined;
    const file: TAbstractFile | null = below === undefined ? null : this.app.vault.getAbstractFileByPath(below);
    return file instanceof TFile ? file : undefined;
  }

  private leaves(): WorkspaceLeaf[] {
    return this.app.workspace.getLeavesOfType("markdown");
  }

  private views(): MarkdownView[] {
    return this.leaves().map(({ view }) => view).filter((view) => view instanceof MarkdownView);
  }

  private proposals(): ProposalView[] {
    const leaves = this.app.workspace.getLeavesOfType(PROPOSAL);
    return leaves.map(({ view }) => view).filter((view) => view instanceof ProposalView);
  }

  /** The open note with this path. */
  private open(path: string): MarkdownView | undefined {
    return this.views().find(({ file }) => file !== null && this.absolute(file.path) === path);
  }

  private active(): MarkdownView | undefined {
    const active = this.app.workspace.getActiveViewOfType(MarkdownView);
    if (active) this.last = active;
    return this.last && this.views().includes(this.last) ? this.last : undefined;
  }

  private tabs(): object[] {
    const active = this.active();
    return this.views().flatMap((view) => {
      const { file } = view;
      if (!file) return [];
      return [{
        path: this.absolute(file.path),
        label: file.basename,
        language: "markdown",
        active: view === active,
        dirty: this.unsaved.has(file.path),
        pinned: view.leaf.getViewState().pinned === true,
        groupActive: true,
        lines: view.editor.lineCount(),
      }];
    });
  }

  private selection(): Selected | null {
    const view = this.active();
    if (!view?.file) return null;
    const { editor, file } = view;
    const region = { start: place(editor.getCursor("from")), end: place(editor.getCursor("to")) };
    const text = editor.getSelection();
    return { path: this.absolute(file.path), region, text: text.slice(0, MOST_SELECTED), truncated: text.length > MOST_SELECTED, language: "markdown" };
  }

  async answer(method: string, request: RequestParameters): Promise<unknown> {
    const found = () => this.open(request.path);
    switch (method) {
      case "open":
        return this.reveal(request);
      case "show-diff":
        return this.show(request);
      case "close-diff":
        this.proposals().find(({ id }) => id === request.id)?.withdraw();
        return null;
      case "close-tab": {
        const views = this.views().filter(({ file }) => file !== null && this.absolute(file.path) === request.path);
        // Obsidian saves a note when its tab is closed, so nothing is lost.
        for (const view of views) view.leaf.detach();
        return { closed: views.length, unsaved: 0 };
      }
      case "tabs":
        return this.tabs();
      case "selection":
        return this.selection();
      case "dirty":
        return found() ? { dirty: this.unsaved.has(found()?.file?.path ?? ""), untitled: false } : null;
      case "text":
        return found()?.editor.getValue() ?? null;
      case "save":
        return this.save(found());
      case "folders":
        return this.folders();
      case "apply":
        return this.apply(request.files);
      case "show":
        new Notice(request.text);
        return null;
      default:
        throw new Failure(`the plugin does not know \`${method}\``, "unsupported");
    }
  }

  private async reveal({ path, reveal, preview, focus }: OpenFile): Promise<object> {
    const file = this.file(path);
    if (!file) throw new Failure(`\`${path}\` is not a file of the vault`, "file-not-found");
    if (file.extension !== "md") throw new Failure(`\`${path}\` is not a note: Obsidian shows Markdown`, "unsupported");
    const { workspace } = this.app;
    const there = this.open(path)?.leaf;
    const leaf = there ?? workspace.getLeaf(preview ? false : "tab");
    if (!there) await leaf.openFile(file, { active: focus });
    if (focus) workspace.setActiveLeaf(leaf, { focus: true });
    const { view } = leaf;
    if (!(view instanceof MarkdownView)) throw new Failure(`\`${path}\` is not shown as a note`, "editor-failed");
    const { region, revealed } = wanted(view.editor.getValue(), reveal);
    if (region) {
      const lines = view.editor.lineCount();
      const within = (at: Region["start"]) => {
        const line = Math.min(at.line, lines - 1);
        return { line, ch: Math.min(at.line < lines ? at.column : Infinity, view.editor.getLine(line).length) };
      };
      const [from, to] = [within(region.start), within(region.end)];
      view.editor.setSelection(from, to);
      view.editor.scrollIntoView({ from, to }, true);
      this.sendSelection();
    }
    return { language: "markdown", lines: view.editor.lineCount(), revealed };
  }

  private async show(diff: Diff): Promise<null> {
    const [left, right] = await Promise.all([this.side(diff.left), this.side(diff.right)]);
    const { workspace } = this.app;
    const leaf = workspace.getLeaf("tab");
    await leaf.setViewState({ type: PROPOSAL, active: diff.focus });
    const { view } = leaf;
    if (!(view instanceof ProposalView)) throw new Failure("the tab of a proposal does not open", "editor-failed");
    const decided = (decision: string, text?: string) => {
      this.connection?.notify("decided", { id: diff.id, decision, ...(text === undefined ? {} : { text: plain(text) }) });
    };
    view.show({ diff, left, right, decided });
    if (diff.focus) workspace.setActiveLeaf(leaf, { focus: true });
    return null;
  }

  private async side({ path, text }: Side): Promise<string> {
    if (text !== null || path === null) return text ?? "";
    const file = this.file(path);
    if (!file) throw new Failure(`\`${path}\` is not a file of the vault`, "file-not-found");
    return this.open(path)?.editor.getValue() ?? plain(await this.app.vault.read(file));
  }

  private async save(view: MarkdownView | undefined): Promise<boolean> {
    if (!view?.file) return false;
    await view.save();
    await this.written(view.file.path);
    return true;
  }

  /** Applies all edits or none. Fails without a change if the old text of an edit does not match. */
  private async apply(files: Edits[]): Promise<null> {
    const planned: (() => Promise<void>)[] = [];
    for (const { path, edits, save } of files) {
      const [view, file] = [this.open(path), this.file(path)];
      if (!file) throw new Failure(`\`${path}\` is not a file of the vault`, "file-not-found");
      const before = view ? view.editor.getValue() : plain(await this.app.vault.read(file));
      edited(path, before, edits);
      const changes = edits.map(({ region, new: text }) => ({ from: position(region.start), to: position(region.end), text }));
      planned.push(async () => {
        // Applies all edits as a single undo step.
        if (view) view.editor.transaction({ changes });
        else await this.app.vault.process(file, (text) => ended(text, edited(path, plain(text), edits)));
        if (save) await this.save(view);
      });
    }
    for (const carryOut of planned) await carryOut();
    return null;
  }
}

/** Converts line breaks to those of the file. */
function ended(before: string, text: string): string {
  return before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}
