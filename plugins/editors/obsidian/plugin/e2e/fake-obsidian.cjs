// Fake Obsidian, because the real one is not available from a package registry: a vault, tabs and editors without a
// window. It implements the parts of Obsidian's API that the plugin uses, according to its documentation. It loads
// the packaged plugin and executes commands of the test: `process.send({ id, what, ... })` is answered with
// `{ id, answer }` or `{ id, error }`.
const { readFileSync, existsSync, statSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { basename, extname, join } = require("node:path");

/** Delay, in milliseconds, between the last key and Obsidian's write of the note. */
const WRITES_AFTER = 2000;

class Events {
  #listeners = new Map();
  on(name, listener) {
    const all = this.#listeners.get(name) ?? [];
    this.#listeners.set(name, [...all, listener]);
    return { name, listener };
  }
  trigger(name, ...given) {
    for (const listener of this.#listeners.get(name) ?? []) listener(...given);
  }
}

/** An element with the helpers that Obsidian adds to those of browsers. */
class Element extends Events {
  children = [];
  attributes = {};
  value = "";
  disabled = false;
  constructor(tag, { cls = "", text = "", attr = {} } = {}) {
    super();
    [this.tag, this.cls, this.text] = [tag, cls, text];
    Object.assign(this.attributes, attr);
  }
  createEl(tag, options) {
    const made = new Element(tag, options);
    this.children.push(made);
    return made;
  }
  createDiv(options) {
    return this.createEl("div", options);
  }
  empty() {
    this.children = [];
  }
  setText(text) {
    this.text = text;
  }
  addEventListener(name, listener) {
    this.on(name, listener);
  }
  all() {
    return [this, ...this.children.flatMap((child) => child.all())];
  }
  get innerText() {
    return this.all().map(({ text }) => text).filter((text) => text !== "").join("\n");
  }
}

class TAbstractFile {
  constructor(path) {
    [this.path, this.name] = [path, basename(path)];
  }
}

class TFile extends TAbstractFile {
  get extension() {
    return extname(this.path).slice(1);
  }
  get basename() {
    return basename(this.path, extname(this.path));
  }
}

class FileSystemAdapter {
  constructor(base) {
    this.getBasePath = () => base;
  }
}

class Vault extends Events {
  #files = new Map();
  constructor(base) {
    super();
    this.base = base;
    this.adapter = new FileSystemAdapter(base);
  }
  getName() {
    return basename(this.base);
  }
  getAbstractFileByPath(path) {
    const full = join(this.base, path);
    if (!existsSync(full)) return null;
    if (!statSync(full).isFile()) return new TAbstractFile(path);
    if (!this.#files.has(path)) this.#files.set(path, new TFile(path));
    return this.#files.get(path);
  }
  getFileByPath(path) {
    const found = this.getAbstractFileByPath(path);
    return found instanceof TFile ? found : null;
  }
  async read({ path }) {
    return readFileSync(join(this.base, path), "utf8");
  }
  async modify(file, text) {
    writeFileSync(join(this.base, file.path), text);
    this.trigger("modify", file);
  }
  async process(file, change) {
    const text = change(await this.read(file));
    await this.modify(file, text);
    return text;
  }
}

/** The editor of a note: text, selection and undo history. */
class Editor {
  #before = [];
  anchor = { line: 0, ch: 0 };
  head = { line: 0, ch: 0 };
  constructor(text, changed) {
    [this.text, this.changed] = [text, changed];
  }
  getValue() {
    return this.text;
  }
  lineCount() {
    return this.text.split("\n").length;
  }
  getLine(line) {
    return this.text.split("\n")[line] ?? "";
  }
  posToOffset({ line, ch }) {
    const lines = this.text.split("\n");
    return lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + Math.min(ch, (lines[line] ?? "").length);
  }
  offsetToPos(offset) {
    const lines = this.text.slice(0, offset).split("\n");
    return { line: lines.length - 1, ch: lines.at(-1).length };
  }
  getCursor(which) {
    const [a, b] = [this.anchor, this.head].sort((one, other) => this.posToOffset(one) - this.posToOffset(other));
    return which === "from" ? a : b;
  }
  getSelection() {
    return this.text.slice(this.posToOffset(this.getCursor("from")), this.posToOffset(this.getCursor("to")));
  }
  setSelection(anchor, head = anchor) {
    [this.anchor, this.head] = [anchor, head];
    this.changed({ selectionSet: true, docChanged: false });
  }
  scrollIntoView() {}
  transaction({ changes }) {
    this.#before.push(this.text);
    const spans = changes.map(({ from, to, text }) => [this.posToOffset(from), this.posToOffset(to ?? from), text]);
    for (const [from, to, text] of spans.sort((one, other) => other[0] - one[0])) {
      this.text = this.text.slice(0, from) + text + this.text.slice(to);
    }
    this.changed({ selectionSet: false, docChanged: true });
  }
  /** Simulates typing. */
  type(text) {
    const from = this.getCursor("from");
    const end = this.posToOffset(from) + text.length;
    this.transaction({ changes: [{ from, to: this.getCursor("to"), text }] });
    this.setSelection(this.offsetToPos(end));
  }
  undo() {
    this.text = this.#before.pop() ?? this.text;
    this.changed({ selectionSet: false, docChanged: true });
  }
}

class View {
  constructor(leaf) {
    [this.leaf, this.app] = [leaf, leaf.app];
  }
  async onOpen() {}
  async onClose() {}
}

class ItemView extends View {
  contentEl = new Element("div");
}

class MarkdownView extends View {
  file = null;
  #timer;
  getViewType() {
    return "markdown";
  }
  load(file, text) {
    this.file = file;
    this.editor = new Editor(text, (update) => {
      if (update.docChanged) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => void this.save(), WRITES_AFTER);
        this.app.workspace.trigger("editor-change", this.editor, this);
      }
      for (const listener of listeners) listener(update);
    });
  }
  async save() {
    clearTimeout(this.#timer);
    await this.app.vault.modify(this.file, this.editor.getValue());
  }
  async onClose() {
    await this.save();
  }
}

class WorkspaceLeaf {
  view = undefined;
  constructor(app) {
    this.app = app;
  }
  async openFile(file, { active = true } = {}) {
    const view = new MarkdownView(this);
    view.load(file, await this.app.vault.read(file));
    this.view = view;
    if (active) this.app.workspace.setActiveLeaf(this);
    this.app.workspace.trigger("file-open", file);
  }
  async setViewState({ type, active }) {
    this.view = this.app.views.get(type)(this);
    await this.view.onOpen();
    if (active) this.app.workspace.setActiveLeaf(this);
    this.app.workspace.trigger("layout-change");
  }
  getViewState() {
    return { type: this.view?.getViewType() ?? "empty", pinned: false };
  }
  detach() {
    const { workspace } = this.app;
    if (!workspace.leaves.includes(this)) return;
    workspace.leaves = workspace.leaves.filter((leaf) => leaf !== this);
    if (workspace.active === this) workspace.active = workspace.leaves.at(-1);
    void this.view?.onClose();
    workspace.trigger("layout-change");
  }
}

class Workspace extends Events {
  leaves = [];
  active = undefined;
  constructor(app) {
    super();
    this.app = app;
  }
  onLayoutReady(run) {
    queueMicrotask(run);
  }
  getLeaf() {
    const leaf = new WorkspaceLeaf(this.app);
    this.leaves.push(leaf);
    return leaf;
  }
  getLeavesOfType(type) {
    return this.leaves.filter(({ view }) => view?.getViewType() === type);
  }
  setActiveLeaf(leaf) {
    this.active = leaf;
    this.trigger("active-leaf-change", leaf);
  }
  getActiveViewOfType(type) {
    return this.active?.view instanceof type ? this.active.view : null;
  }
}

class Component {
  #ends = [];
  register(end) {
    this.#ends.push(end);
  }
  registerEvent() {}
  registerDomEvent(target, name, listener) {
    target.addEventListener(name, listener);
  }
  unload() {
    for (const end of this.#ends.splice(0)) end();
  }
}

class Plugin extends Component {
  constructor(app, manifest) {
    super();
    [this.app, this.manifest] = [app, manifest];
  }
  async loadData() {
    return null;
  }
  async saveData() {}
  addStatusBarItem() {
    return (this.app.status = new Element("div"));
  }
  addCommand(command) {
    this.app.commands.set(command.id, command);
  }
  addSettingTab() {}
  registerView(type, make) {
    this.app.views.set(type, make);
  }
  registerEditorExtension(extension) {
    listeners.push(extension);
  }
}

class Setting {}
class PluginSettingTab {}
class Notice {
  constructor(text) {
    notices.push(text);
  }
}

const listeners = [];
const notices = [];
const [base, folder] = process.argv.slice(2);
const app = { vault: new Vault(base), commands: new Map(), views: new Map() };
app.workspace = new Workspace(app);
globalThis.window = Object.assign(new EventTarget(), { setTimeout });

const modules = {
  obsidian: { apiVersion: "1.13.1 (fake)", FileSystemAdapter, ItemView, MarkdownView, Notice, Plugin, PluginSettingTab, Setting, TAbstractFile, TFile },
  "@codemirror/view": { EditorView: { updateListener: { of: (listener) => listener } } },
};
const load = Module._load;
Module._load = (name, ...rest) => modules[name] ?? load(name, ...rest);

const Marquetry = require(join(folder, "main.js")).default;
const plugin = new Marquetry(app, JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")));
const note = () => app.workspace.getActiveViewOfType(MarkdownView);
const proposals = () => app.workspace.leaves.map(({ view }) => view).filter((view) => view instanceof ItemView);
const front = () => proposals().at(-1);
const found = (tag, text) => front().contentEl.all().find((one) => one.tag === tag && (text === undefined || one.text === text));

const DO = {
  status: () => app.status.text,
  notices: () => notices,
  open: ({ path }) => app.workspace.getLeaf().openFile(app.vault.getFileByPath(path)),
  text: () => note().editor.getValue(),
  tabs: () => app.workspace.leaves.map(({ view }) => (view instanceof MarkdownView ? view.file.path : view.getDisplayText())),
  select: ({ from, to }) => note().editor.setSelection(from, to),
  type: ({ text }) => note().editor.type(text),
  undo: () => note().editor.undo(),
  save: () => note().save(),
  command({ name }) {
    const { callback, checkCallback } = app.commands.get(name);
    if (callback) callback();
    else if (checkCallback(true) !== true) throw new Error(`${name} is not there now`);
    else checkCallback(false);
  },
  shown: () => front()?.contentEl.innerText ?? null,
  change({ text }) {
    const area = found("textarea");
    if (area.disabled) throw new Error("it is decided");
    area.value = text;
    area.trigger("input");
  },
  press({ name }) {
    const button = found("button", name);
    if (!button) throw new Error(`there is no button ${name}`);
    button.trigger("click");
  },
  key: ({ key, ctrlKey }) => found("textarea").trigger("keydown", { key, ctrlKey, metaKey: false }),
  closeFront: () => front().leaf.detach(),
  unload: () => plugin.unload(),
};

process.on("message", async ({ id, what, ...given }) => {
  try {
    process.send({ id, answer: (await DO[what](given)) ?? null });
  } catch (error) {
    process.send({ id, error: String(error?.message ?? error) });
  }
});
process.on("disconnect", () => process.exit(0));
void plugin.onload().then(() => process.send({ id: 0, answer: null }));
