// Creates DOM elements in one expression. Text is never parsed as markup, wherever it comes from.

type Child = Node | string | undefined;
type Attributes = Record<string, string | boolean | ((event: Event) => void) | undefined>;

/** Creates an element with attributes, listeners (`onclick`) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (typeof value === "string") made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Texts with code between backquotes, as nodes. */
export function prose(text: string): Child[] {
  return text.split(/`([^`]*)`/).map((part, at) => (at % 2 === 0 ? part : element("code", {}, part)));
}

/** Creates a button with a label. */
export function button(name: string, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return element("button", { type: "button", onclick, ...attributes }, name);
}

/** The element of the page with this id. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Announces a change to users of screen readers. */
export function announce(text: string): void {
  part("announcement").textContent = text;
}
