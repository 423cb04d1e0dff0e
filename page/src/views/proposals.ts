// The view of diffs: those that wait for a decision, and those that are only shown.
import type { MergeView } from "@codemirror/merge";
import { keymap } from "@codemirror/view";
import { merge } from "../code";
import { button, element, prose } from "../dom";
import { closeDiff, decide } from "../editor";
import { type OpenDiff, store } from "../store";
import type { View } from "./view";

class Proposals implements View {
  private readonly list = element("ul", { class: "tabs", "aria-label": "Diffs" });
  private readonly bar = element("div", { class: "bar" });
  private readonly sides = element("div", { class: "sides", "aria-hidden": "true" });
  private readonly body = element("div", { class: "text" });
  readonly node = element("section", { class: "proposals", "aria-label": "Proposals" }, this.list, this.bar, this.sides, this.body);
  private view: MergeView | undefined;
  private shown: OpenDiff | undefined;
  private readonly stop: () => void;

  constructor() {
    this.stop = store.on("diffs", () => {
      this.show();
    });
    this.show();
  }

  end(): void {
    this.keep();
    this.stop();
    this.view?.destroy();
  }

  /** Keeps the user's edits when another diff is shown. */
  private keep(): void {
    if (this.shown && this.view) this.shown.right = this.view.b.state.doc.toString();
  }

  private show(): void {
    const item = (open: OpenDiff) => {
      const go = () => {
        store.shown = open;
        store.notify("diffs");
      };
      const active = open === store.shown;
      const state = open.decision ?? (open.diff.decide ? "waits" : "shown");
      const name = button(open.diff.title, go, active ? { "aria-current": "true" } : {});
      return element("li", { class: active ? "active" : "" }, name, element("small", {}, ` ${state}`));
    };
    this.list.replaceChildren(...store.diffs.map(item));
    const open = store.shown;
    if (open !== this.shown) {
      this.keep();
      this.view?.destroy();
      this.view = undefined;
      this.shown = open;
      this.body.replaceChildren();
      if (open) this.merge(open);
    }
    if (!open) {
      this.sides.replaceChildren();
      this.bar.replaceChildren();
      const hint = "No diff is open. Changes that an agent proposes are shown in this view until you decide; `marq open` shows other diffs.";
      this.body.replaceChildren(element("p", { class: "hint" }, ...prose(hint)));
      return;
    }
    this.bar.replaceChildren(...this.buttons(open));
  }

  private merge(open: OpenDiff): void {
    const { left, right, decide: decides } = open.diff;
    const side = (label: string, what: string) => element("span", {}, label, element("strong", {}, ` ${what}`));
    this.sides.replaceChildren(side(left.label, "before"), side(right.label, decides ? "proposed" : "after"));
    const path = right.path ?? left.path ?? "";
    const accept = { key: "Mod-Enter", run: () => this.accept(open) };
    this.view = merge(
      this.body,
      { path, text: open.left, label: left.label },
      { path, text: open.right, label: right.label },
      !decides,
      keymap.of([accept]),
    );
    if (open.diff.focus) this.view.b.focus();
  }

  private buttons(open: OpenDiff): HTMLElement[] {
    const title = element("strong", {}, open.diff.title);
    if (!open.diff.decide) {
      return [title, button("Close", () => {
        closeDiff(open.diff.id);
      })];
    }
    if (open.decision) return [title, element("span", {}, open.decision)];
    return [
      title,
      button("Accept", () => this.accept(open), { class: "good", title: "Accept the right side as it is now (Ctrl+Enter)" }),
      button("Reject", () => {
        decide(open, "rejected");
      }, { class: "bad" }),
      button("Close", () => {
        decide(open, "closed");
      }, { class: "plain", title: "Close the diff without a decision: nothing is changed" }),
      element("small", {}, "Change the right side as you like, then accept it."),
    ];
  }

  private accept(open: OpenDiff): boolean {
    if (open.decision || !open.diff.decide) return false;
    this.keep();
    decide(open, "accepted", open.right);
    return true;
  }
}

export function proposals(): View {
  return new Proposals();
}
