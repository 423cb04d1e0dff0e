// Text and diff editors, based on CodeMirror, with a common style in the page's colours.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { xml } from "@codemirror/lang-xml";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { MergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Point, Region } from "./protocol";

const LANGUAGES: Record<string, { name: string; support: () => Extension }> = {};
function language(name: string, endings: string, support: () => Extension): void {
  for (const ending of endings.split(" ")) LANGUAGES[ending] = { name, support };
}
language("typescript", "ts mts cts", () => javascript({ typescript: true }));
language("typescriptreact", "tsx", () => javascript({ typescript: true, jsx: true }));
language("javascript", "js mjs cjs jsx", () => javascript({ jsx: true }));
language("json", "json jsonc json5 jsonl", () => json());
language("css", "css scss less", () => css());
language("html", "html htm", () => html());
language("markdown", "md mdx markdown", () => markdown());
language("xml", "xml svg xsd xsl csproj", () => xml());
language("yaml", "yaml yml", () => yaml());

/** The language id of a file, as editors use it. */
export function languageOf(path: string): string {
  return known(path)?.name ?? "plaintext";
}

function known(path: string): (typeof LANGUAGES)[string] | undefined {
  return LANGUAGES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.tagName], color: "var(--keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--number)" },
  { tag: [tags.comment, tags.meta], color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.className, tags.namespace], color: "var(--type)" },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName)], color: "var(--name)" },
  { tag: [tags.heading, tags.strong], fontWeight: "bold" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
]);

const LOOK = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--paper)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--paper)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--removed)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--added)" },
  "&.cm-merge-a .cm-changedText": { background: "var(--removed-text)" },
  "&.cm-merge-b .cm-changedText": { background: "var(--added-text)" },
  ".cm-collapsedLines": { color: "var(--text)", background: "var(--line)" },
});

function extensions(path: string, label: string, fixed: boolean): Extension[] {
  const support = known(path)?.support();
  return [
    EditorView.cspNonce.of(document.body.dataset["style"] ?? ""),
    LOOK,
    EditorView.darkTheme.of(matchMedia("(prefers-color-scheme: dark)").matches),
    syntaxHighlighting(COLOURS),
    lineNumbers(),
    drawSelection(),
    EditorState.readOnly.of(fixed),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", ...(fixed ? { "aria-readonly": "true" } : {}) }),
    ...(fixed ? [] : [history(), keymap.of(historyKeymap)]),
    ...(support === undefined ? [] : [support]),
    keymap.of(defaultKeymap),
  ];
}

/** A read-only editor. `moved` is called when the caret or the selection changes. */
export function viewer(parent: HTMLElement, path: string, text: string, moved: (view: EditorView) => void): EditorView {
  const listener = EditorView.updateListener.of((update) => {
    if (update.selectionSet || update.focusChanged) moved(update.view);
  });
  const state = EditorState.create({
    doc: text,
    extensions: [...extensions(path, `${path}, read-only`, true), highlightActiveLine(), listener],
  });
  return new EditorView({ state, parent });
}

/** One side of a diff. */
export interface Shown {
  path: string;
  text: string;
  label: string;
}

/** Shows two texts side by side. The right one can be edited unless `fixed` is set. */
export function merge(parent: HTMLElement, left: Shown, right: Shown, fixed: boolean, keys: Extension = []): MergeView {
  const label = fixed ? `${right.label}, after` : `${right.label}, after; may be changed`;
  return new MergeView({
    parent,
    a: { doc: left.text, extensions: extensions(left.path, `${left.label}, before`, true) },
    b: { doc: right.text, extensions: [keys, ...extensions(right.path, label, fixed)] },
    collapseUnchanged: { margin: 3, minSize: 6 },
    gutter: true,
  });
}

/** Converts a point to an offset. Columns beyond the end of a line are clamped. */
export function offset(state: EditorState, { line, column }: Point): number {
  const found = state.doc.line(Math.min(line + 1, state.doc.lines));
  return line >= state.doc.lines ? state.doc.length : Math.min(found.from + column, found.to);
}

function point(state: EditorState, at: number): Point {
  const line = state.doc.lineAt(at);
  return { line: line.number - 1, column: at - line.from };
}

/** The selection as a region. */
export function selectedRegion(state: EditorState): Region {
  const { from, to } = state.selection.main;
  return { start: point(state, from), end: point(state, to) };
}

/** Selects a region and scrolls it into view. */
export function reveal(view: EditorView, region: Region): void {
  const [anchor, head] = [offset(view.state, region.start), offset(view.state, region.end)];
  const effects = EditorView.scrollIntoView(anchor, { y: "center" });
  view.dispatch({ selection: { anchor, head }, effects });
}
