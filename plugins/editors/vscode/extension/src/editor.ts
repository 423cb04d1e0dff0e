// Implements the companion protocol with VS Code's API.
import type { Connection, Editor } from "@marquetry/companion/connection";
import { wanted } from "@marquetry/companion/places";
import { type Diff, type Edits, Failure, type Folder, MOST_SELECTED, type OpenFile, type Point, type Region, plain } from "@marquetry/companion/protocol";
import type { Server } from "@marquetry/companion/servers";
import * as vscode from "vscode";
import { Proposals } from "./proposals";

const ABILITIES = "open show-diff decide close-tab tabs selection dirty text save folders diagnostics apply show".split(" ");
/** Minimum interval between two events of selections or tabs, in milliseconds. */
const PACE = 30;

type RequestParameters = OpenFile & Diff & { id: number; path: string; files: Edits[]; level: string; text: string };

const point = ({ line, character }: vscode.Position): Point => ({ line, column: character });
const region = ({ start, end }: vscode.Range): Region => ({ start: point(start), end: point(end) });
const position = ({ line, column }: Point) => new vscode.Position(line, Math.min(column, 0x7fffffff));

function isFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file";
}

export class Window implements Editor {
  readonly proposals = new Proposals((id, decision, text) => {
    this.connection?.notify("decided", { id, decision, ...(text === undefined ? {} : { text: plain(text) }) });
  });
  private connection: Connection | undefined;
  private welcomed: Server | undefined;
  private readonly later = new Map<string, NodeJS.Timeout>();

  constructor(private readonly changed: (server: Server | undefined) => void) {}

  /** Forwards events in the window to a connection. */
  attach(connection: Connection): vscode.Disposable[] {
    this.connection = connection;
    const tabs = () => {
      this.soon("tabs", () => ({ tabs: this.tabs() }));
    };
    const selection = () => {
      const shares = vscode.workspace.getConfiguration("marquetry").get<boolean>("shareSelection");
      if (shares !== false) this.soon("selection", () => ({ selected: this.selection() }));
    };
    return [
      vscode.window.onDidChangeTextEditorSelection(selection),
      vscode.window.onDidChangeActiveTextEditor(selection),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        this.proposals.closed(closed);
        tabs();
      }),
      vscode.window.tabGroups.onDidChangeTabGroups(tabs),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (!isFile(document)) return;
        this.soon(`changed ${document.uri.fsPath}`, () => ({ path: document.uri.fsPath }), "changed");
        // The document may be unsaved from now on.
        tabs();
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (isFile(document)) connection.notify("saved", { path: document.uri.fsPath });
        tabs();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        connection.notify("folders", { folders: this.folders() });
        if (!this.welcomed) connection.again();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        connection.notify("focused", { focused });
      }),
    ];
  }

  /** Sends the latest state after a pause. Calls in the meantime are coalesced. */
  private soon(key: string, what: () => object, method = key): void {
    if (this.later.has(key)) return;
    const send = () => {
      this.later.delete(key);
      this.connection?.notify(method, what());
    };
    this.later.set(key, setTimeout(send, PACE));
  }

  /** Mentions the selected lines or the file to the clients. */
  mention(): void {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isFile(editor.document)) return;
    const { start, end, isEmpty } = editor.selection;
    const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    this.connection?.notify("mentioned", { path: editor.document.uri.fsPath, ...(isEmpty ? {} : { lines: [start.line, last] }) });
  }

  introduction(): object {
    return { title: `${vscode.env.appName} ${vscode.version}`, folders: this.folders(), abilities: ABILITIES };
  }

  welcome(server: Server): void {
    this.welcomed = server;
    this.changed(server);
  }

  gone(): void {
    this.welcomed = undefined;
    this.changed(undefined);
    void this.proposals.closeAll();
  }

  folders(): Folder[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return folders.filter(({ uri }) => uri.scheme === "file").map(({ name, uri }) => ({ name, path: uri.fsPath }));
  }

  private tabs(): object[] {
    return vscode.window.tabGroups.all.flatMap((group, at) =>
      group.tabs.map((tab) => {
        const uri = tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
        const document = uri ? this.document(uri) : undefined;
        return {
          path: uri?.scheme === "file" ? uri.fsPath : null,
          label: tab.label,
          language: document?.languageId ?? "",
          active: tab.isActive,
          dirty: tab.isDirty,
          untitled: uri?.scheme === "untitled",
          pinned: tab.isPinned,
          preview: tab.isPreview,
          group: at,
          groupActive: group.isActive,
          lines: document?.lineCount ?? null,
        };
      }),
    );
  }

  private document(uri: vscode.Uri): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find((known) => known.uri.toString() === uri.toString());
  }

  private selection(): object | null {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isFile(editor.document)) return null;
    const text = plain(editor.document.getText(editor.selection));
    return {
      path: editor.document.uri.fsPath,
      region: region(editor.selection),
      text: text.slice(0, MOST_SELECTED),
      truncated: text.length > MOST_SELECTED,
      language: editor.document.languageId,
    };
  }

  async answer(method: string, request: RequestParameters): Promise<unknown> {
    const found = () => this.document(vscode.Uri.file(request.path));
    switch (method) {
      case "open":
        return this.open(request);
      case "show-diff":
        return this.proposals.show(request);
      case "close-diff":
        return this.proposals.close(request.id);
      case "close-tab":
        return this.closeTab(request.path);
      case "tabs":
        return this.tabs();
      case "selection":
        return this.selection();
      case "dirty": {
        const document = found();
        return document ? { dirty: document.isDirty, untitled: document.isUntitled } : null;
      }
      case "text": {
        const document = found();
        return document ? plain(document.getText()) : null;
      }
      case "save": {
        const document = found();
        return document !== undefined && (!document.isDirty || (await document.save()));
      }
      case "folders":
        return this.folders();
      case "diagnostics":
        return diagnostics(request.path);
      case "apply":
        return this.apply(request.files);
      case "show":
        show(request.level, request.text);
        return null;
      default:
        throw new Failure(`the extension does not know \`${method}\``, "unsupported");
    }
  }

  private async open({ path, reveal, preview, focus }: OpenFile): Promise<object> {
    let document: vscode.TextDocument;
    try {
      document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    } catch {
      throw new Failure(`\`${path}\` cannot be opened in VS Code`, "file-not-found");
    }
    // The host uses line feeds, whatever the file has; lines and columns are the same.
    const { region: shown, revealed } = wanted(plain(document.getText()), reveal);
    const range = shown && document.validateRange(new vscode.Range(position(shown.start), position(shown.end)));
    const options: vscode.TextDocumentShowOptions = { preview, preserveFocus: !focus };
    const editor = await vscode.window.showTextDocument(document, range ? { ...options, selection: range } : options);
    if (range) editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return { language: document.languageId, lines: document.lineCount, revealed };
  }

  private async closeTab(path: string): Promise<object> {
    const uri = vscode.Uri.file(path).toString();
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const meant = tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri);
    const clean = meant.filter((tab) => !tab.isDirty);
    await vscode.window.tabGroups.close(clean);
    return { closed: clean.length, unsaved: meant.length - clean.length };
  }

  /** Applies all edits or none. Fails without a change if the old text of an edit does not match. */
  private async apply(files: Edits[]): Promise<null> {
    const edit = new vscode.WorkspaceEdit();
    const touched: vscode.TextDocument[] = [];
    for (const { path, edits } of files) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      touched.push(document);
      for (const { region, old, new: text } of edits) {
        const range = new vscode.Range(position(region.start), position(region.end));
        if (plain(document.getText(range)) !== old) {
          throw new Failure(`the text of \`${path}\` has changed at line ${region.start.line + 1}`, "invalid-argument");
        }
        edit.replace(document.uri, range, text);
      }
    }
    if (!(await vscode.workspace.applyEdit(edit))) throw new Failure("VS Code did not apply the edits", "editor-failed");
    for (const [at, { save }] of files.entries()) {
      if (save && !(await touched[at]?.save())) throw new Failure("an edited file cannot be saved", "editor-failed");
    }
    return null;
  }
}

const SEVERITIES = ["error", "warning", "info", "hint"];

function diagnostics(path: string | null): object[] {
  const all = path === null ? vscode.languages.getDiagnostics() : of(vscode.Uri.file(path));
  const diagnostic = ({ range, severity, message, source, code }: vscode.Diagnostic) => {
    const rule = typeof code === "object" ? code.value : (code ?? "");
    return { region: region(range), severity: SEVERITIES[severity], message, source: source ?? "", code: String(rule) };
  };
  const files = all.filter(([uri]) => uri.scheme === "file");
  return files.map(([uri, found]) => ({ path: uri.fsPath, diagnostics: found.map(diagnostic) }));
}

function of(uri: vscode.Uri): [vscode.Uri, vscode.Diagnostic[]][] {
  return [[uri, vscode.languages.getDiagnostics(uri)]];
}

function show(level: string, text: string): void {
  if (level === "error") void vscode.window.showErrorMessage(text);
  else if (level === "warning") void vscode.window.showWarningMessage(text);
  else void vscode.window.showInformationMessage(text);
}
