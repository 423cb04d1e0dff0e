// A diff in its own tab: the changes at the top, and below them the text, which the user may edit before accepting
// it. Closing the tab without a decision closes the proposal.
import type { Decision, Diff } from "@marquetry/companion/protocol";
import { diffLines } from "diff";
import { ItemView } from "obsidian";

export const PROPOSAL = "marquetry-proposal";

/** A diff and the callback for the decision. */
export interface Shown {
  diff: Diff;
  left: string;
  right: string;
  decided: (decision: Decision, text?: string) => void;
}

export class ProposalView extends ItemView {
  private shown: Shown | undefined;
  private text: HTMLTextAreaElement | undefined;
  private said = "";
  /** True while the decision is pending. */
  waits = false;

  override getViewType(): string {
    return PROPOSAL;
  }

  override getDisplayText(): string {
    return this.shown?.diff.title ?? "Proposal";
  }

  override getIcon(): string {
    return "git-compare";
  }

  /** The ID of the diff. */
  get id(): number | undefined {
    return this.shown?.diff.id;
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.waits = shown.diff.decide;
    this.said = shown.diff.decide ? "waits for your decision" : "";
    this.render();
  }

  // A view that was restored from an earlier session has no diff to show.
  override async onOpen(): Promise<void> {
    this.render();
    return Promise.resolve();
  }

  override async onClose(): Promise<void> {
    if (this.waits) this.decide("closed");
    return Promise.resolve();
  }

  /** Closes the view at the host's request, discarding its text. */
  withdraw(): void {
    this.waits = false;
    this.leaf.detach();
  }

  decide(decision: Decision): void {
    if (!this.waits || !this.shown) return;
    this.waits = false;
    this.said = decision;
    const text = this.text?.value ?? this.shown.right;
    this.shown.decided(decision, decision === "accepted" ? text : undefined);
    if (decision !== "closed") this.render(text);
  }

  private render(text = this.shown?.right ?? ""): void {
    this.contentEl.empty();
    if (!this.shown) {
      this.contentEl.createEl("p", { text: "This proposal has ended." });
      return;
    }
    const { diff, left } = this.shown;
    const all = this.contentEl.createDiv({ cls: "marquetry-proposal" });
    const bar = all.createDiv({ cls: "bar" });
    bar.createEl("span", { cls: "state", text: `${diff.title} ${this.said}`, attr: { role: "status" } });
    const changes = all.createEl("pre", { attr: { "aria-label": `${diff.left.label} and ${diff.right.label}, compared`, tabindex: "0" } });
    const compare = (now: string) => {
      changes.empty();
      for (const { value, added, removed } of diffLines(left, now)) {
        const mark = added ? "+" : removed ? "-" : " ";
        const lines = value.replace(/\n$/, "").split("\n");
        changes.createDiv({ cls: added ? "added" : removed ? "removed" : "same", text: lines.map((line) => `${mark} ${line}`).join("\n") });
      }
    };
    compare(text);
    if (!diff.decide) return;
    const area = all.createEl("textarea", { attr: { "aria-label": "Proposed text" } });
    area.value = text;
    area.disabled = !this.waits;
    this.text = area;
    area.addEventListener("input", () => {
      compare(area.value);
    });
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.decide("accepted");
    });
    if (!this.waits) return;
    for (const [name, decision, cls] of [["Accept", "accepted", "mod-cta"], ["Reject", "rejected", ""]] as const) {
      bar.createEl("button", { text: name, cls }).addEventListener("click", () => {
        this.decide(decision);
      });
    }
  }
}
