// Obsidian plugin: attaches the vault as an editor.
import { Connection } from "@marquetry/companion/connection";
import { EditorView } from "@codemirror/view";
import { type App, MarkdownView, Plugin, PluginSettingTab, Setting } from "obsidian";
import { WebSocket } from "ws";
import { PROPOSAL, ProposalView } from "./proposal";
import { Vault } from "./vault";

interface Settings {
  shareSelection: boolean;
}

const USUAL: Settings = { shareSelection: true };

export default class Marquetry extends Plugin {
  override settings: Settings = USUAL;

  override async onload(): Promise<void> {
    this.settings = { ...USUAL, ...((await this.loadData()) as Partial<Settings> | null) };
    const status = this.addStatusBarItem();
    const vault = new Vault(this.app, () => this.settings.shareSelection, (server) => {
      status.setText(server ? "marq: attached" : "marq: no server");
    });
    vault.gone();
    this.registerView(PROPOSAL, (leaf) => new ProposalView(leaf));
    this.addSettingTab(new SettingTab(this.app, this));
    this.listen(vault);
    this.offerCommands(vault);
    // Open tabs are unknown until the layout is ready.
    this.app.workspace.onLayoutReady(() => {
      const connection = new Connection("/editors/obsidian", vault, (url, headers, socket) => new WebSocket(url, { headers, createConnection: () => socket }));
      vault.attach(connection);
      this.register(() => {
        connection.dispose();
        vault.gone();
      });
      this.addCommand({ id: "look", name: "Look for a server", callback: () => { connection.again(); } });
    });
  }

  /** Forwards events in the vault. */
  private listen(vault: Vault): void {
    const { workspace } = this.app;
    this.registerEditorExtension(
      EditorView.updateListener.of(({ selectionSet, docChanged }) => {
        if (selectionSet || docChanged) vault.sendSelection();
      }),
    );
    this.registerEvent(workspace.on("editor-change", (_, { file }) => { vault.typed(file); }));
    this.registerEvent(this.app.vault.on("modify", (file) => { void vault.written(file.path); }));
    this.registerEvent(workspace.on("active-leaf-change", () => { vault.sendSelection(); }));
    this.registerEvent(workspace.on("layout-change", () => { vault.sendTabs(); }));
    this.registerEvent(workspace.on("file-open", () => { vault.sendTabs(); }));
    this.registerDomEvent(window, "focus", () => { vault.focused(true); });
    this.registerDomEvent(window, "blur", () => { vault.focused(false); });
  }

  private offerCommands(vault: Vault): void {
    const proposal = () => this.app.workspace.getActiveViewOfType(ProposalView);
    const press = (id: string, name: string, decision: "accepted" | "rejected") => {
      this.addCommand({
        id,
        name,
        checkCallback: (checking) => {
          const waits = proposal()?.waits === true;
          if (waits && !checking) proposal()?.decide(decision);
          return waits;
        },
      });
    };
    press("accept", "Accept proposal", "accepted");
    press("reject", "Reject proposal", "rejected");
    this.addCommand({
      id: "mention",
      name: "Mention",
      checkCallback: (checking) => {
        const view = this.app.workspace.getActiveViewOfType(MarkdownView);
        if (view && !checking) vault.mention(view);
        return view !== null;
      },
    });
  }
}

class SettingTab extends PluginSettingTab {
  constructor(
    app: App,
    private readonly marquetry: Marquetry,
  ) {
    super(app, marquetry);
  }

  override display(): void {
    this.containerEl.empty();
    new Setting(this.containerEl)
      .setName("Share the selection")
      .setDesc("Send the selection to marq whenever it changes. If off, it is sent only on request.")
      .addToggle((toggle) =>
        toggle.setValue(this.marquetry.settings.shareSelection).onChange(async (shareSelection) => {
          this.marquetry.settings = { ...this.marquetry.settings, shareSelection };
          await this.marquetry.saveData(this.marquetry.settings);
        }),
      );
  }
}
