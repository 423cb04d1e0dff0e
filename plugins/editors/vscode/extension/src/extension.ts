// VS Code extension: attaches the window as an editor, registers tools for language models, and offers marq as an MCP
// server.
import { type ChildProcess, spawn } from "node:child_process";
import { Connection } from "@marquetry/companion/connection";
import type { Server } from "@marquetry/companion/servers";
import * as vscode from "vscode";
import { WebSocket } from "ws";
import { Window } from "./editor";
import { SCHEME } from "./proposals";
import { offerServer, offerTools } from "./tools";

let started: ChildProcess | undefined;

/** Starts a server for the folders of this window. It ends with the window. */
function start(window: Window, connection: Connection): void {
  const program = vscode.workspace.getConfiguration("marquetry").get("command", "marq");
  const roots = window.folders().flatMap(({ path }) => ["--root", path]);
  if (roots.length === 0) {
    void vscode.window.showErrorMessage("Open a folder first: a server serves folders.");
    return;
  }
  started?.kill();
  started = spawn(program, ["serve", ...roots], { stdio: "ignore" });
  started.on("error", (error) => {
    void vscode.window.showErrorMessage(`${program} cannot be started (${error.message}): set \`marquetry.command\`.`);
  });
  started.on("spawn", () => setTimeout(() => {
    connection.again();
  }, 500));
}

export function activate(context: vscode.ExtensionContext): void {
  let server: Server | undefined;
  const status = vscode.window.createStatusBarItem("marquetry", vscode.StatusBarAlignment.Right);
  status.name = "Marquetry";
  const window = new Window((now) => {
    server = now;
    status.text = now ? "$(check) marq" : "$(circle-slash) marq";
    status.tooltip = now ? `attached to the server at ${now.address}` : "no server of marq serves this folder";
    status.command = now ? undefined : "marquetry.start";
    status.show();
  });
  window.gone();
  const connection = new Connection("/editors/vscode", window, (url, headers, socket) => new WebSocket(url, { headers, createConnection: () => socket }));
  const press = (accept: boolean) => (uri?: vscode.Uri) => window.proposals.press(uri, accept);
  context.subscriptions.push(
    status,
    connection,
    vscode.workspace.registerFileSystemProvider(SCHEME, window.proposals, { isCaseSensitive: true }),
    vscode.commands.registerCommand("marquetry.accept", press(true)),
    vscode.commands.registerCommand("marquetry.reject", press(false)),
    vscode.commands.registerCommand("marquetry.mention", () => {
      window.mention();
    }),
    vscode.commands.registerCommand("marquetry.start", () => {
      start(window, connection);
    }),
    ...window.attach(connection),
    ...offerTools(context, () => server),
    ...offerServer(() => window.folders().map(({ path }) => path)),
  );
}

export function deactivate(): void {
  started?.kill();
}
