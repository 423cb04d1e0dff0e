// The interface of views, and functions they share.
import { button, element, part, prose } from "../dom";
import { Failure } from "../socket";

/** A view. `end` releases its resources when another view replaces it. */
export interface View {
  node: HTMLElement;
  end(): void;
}

/** Shows an error with its hint and candidates. */
export function report(why: unknown): void {
  const message = why instanceof Error ? why.message : String(why);
  const { hint, candidates } = why instanceof Failure ? why : { hint: undefined, candidates: [] };
  const list = candidates.length === 0 ? undefined : element("ul", {}, ...candidates.map((one) => element("li", {}, ...prose(one))));
  const box = element(
    "div",
    { class: "wrong" },
    element("p", {}, element("strong", {}, ...prose(message))),
    hint === undefined ? undefined : element("p", {}, ...prose(hint)),
    list,
    button("Dismiss", () => {
      box.remove();
    }),
  );
  part("wrong").replaceChildren(box);
}

/** Runs a task and shows its error if it fails. */
export function attempt(task: () => Promise<unknown>): void {
  task().catch(report);
}

/** A shortened digest. */
export function short(digest: string | null): string {
  return digest === null ? "" : digest.slice(0, 12);
}

/** Creates a table with a caption; each row is a list of cells. */
export function table(caption: string, heads: string[], rows: (string | Node)[][]): HTMLElement {
  const head = element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)));
  const body = rows.map((cells) =>
    element("tr", {}, ...cells.map((cell, at) => element(at === 0 ? "th" : "td", at === 0 ? { scope: "row" } : {}, cell))),
  );
  const made = element("table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, made);
}
