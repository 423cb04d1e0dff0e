// The view of calls in progress of all clients, each with a button to cancel it.
import { announce, button, element } from "../dom";
import type { Call } from "../protocol";
import { store } from "../store";
import { type View, attempt, table } from "./view";

class Calls implements View {
  readonly node = element("section", { "aria-label": "Calls" });
  private readonly body = element("div");
  private readonly stop: () => void;

  constructor() {
    this.node.append(element("h2", {}, "Calls in progress"), this.body);
    this.stop = store.on("calls", () => {
      this.show();
    });
    this.show();
  }

  end(): void {
    this.stop();
  }

  private show(): void {
    const calls = store.progress.calls;
    if (calls.length === 0) {
      this.body.replaceChildren(element("p", { class: "hint" }, "Nothing is in progress."));
      return;
    }
    // Keep the keyboard focus on the same button.
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["call"] : undefined;
    const row = (call: Call) => [
      call.tool,
      call.about,
      call.client,
      call.why ?? "",
      call.cancelled ? "cancelled, ends at its next step" : (call.progress ?? ""),
      `${(call.milliseconds / 1000).toFixed(1)} s`,
      call.cancelled ? "" : button("Cancel", () => {
        attempt(async () => {
          await store.ask("ui/cancel", { call: call.call });
          announce(`Cancelled ${call.tool}`);
        });
      }, { "data-call": String(call.call), "aria-label": `Cancel ${call.tool} ${call.about}` }),
    ];
    this.body.replaceChildren(table("In progress", ["Tool", "About", "Client", "Why", "Progress", "Time", "Action"], calls.map(row)));
    if (focused !== undefined) this.body.querySelector<HTMLElement>(`[data-call="${CSS.escape(focused)}"]`)?.focus();
  }
}

export function calls(): View {
  return new Calls();
}
