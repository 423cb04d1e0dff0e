// Registers the server's tools for language models in VS Code, and marq as an MCP server.
import { type Server, ToolFailure, call } from "@marquetry/companion/servers";
import * as vscode from "vscode";

/** Prefix of the tools in package.json, which is generated from `marq tools --json`: `marquetry_file_read` is `file_read`. */
const PREFIX = "marquetry_";

interface Declared {
  name: string;
  displayName: string;
}

/** Registers all declared tools. */
export function offerTools(context: vscode.ExtensionContext, server: () => Server | undefined): vscode.Disposable[] {
  const { contributes } = context.extension.packageJSON as { contributes: { languageModelTools: Declared[] } };
  return contributes.languageModelTools.map(({ name, displayName }) =>
    vscode.lm.registerTool(name, {
      prepareInvocation: () => ({ invocationMessage: `${displayName} with marq` }),
      invoke: async ({ input }: vscode.LanguageModelToolInvocationOptions<object>, token) => {
        const known = server();
        if (!known) throw new ToolFailure("no server of marq serves this folder: run `Marquetry: Start server`");
        const cancelled = new AbortController();
        token.onCancellationRequested(() => {
          cancelled.abort();
        });
        const clientInfo = { name: vscode.env.appName, version: vscode.version };
        const answer = await call(known, name.slice(PREFIX.length), { ...input, clientInfo }, cancelled.signal);
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(JSON.stringify(answer))]);
      },
    }),
  );
}

interface StdioServer {
  label: string;
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** API of versions after 1.100, which the types for 1.100 lack. */
interface Later {
  registerMcpServerDefinitionProvider?: (id: string, provider: { provideMcpServerDefinitions(): StdioServer[] }) => vscode.Disposable;
}

/** Registers marq as an MCP server if this version of VS Code supports it. */
export function offerServer(folders: () => string[]): vscode.Disposable[] {
  const { registerMcpServerDefinitionProvider: register } = vscode.lm as Later;
  const { McpStdioServerDefinition: Definition } = vscode as {
    McpStdioServerDefinition?: new (label: string, command: string, args: string[], env: Record<string, string>) => StdioServer;
  };
  if (!register || !Definition) return [];
  const provideMcpServerDefinitions = () => {
    const program = vscode.workspace.getConfiguration("marquetry").get("command", "marq");
    const roots = folders().flatMap((path) => ["--root", path]);
    return roots.length === 0 ? [] : [new Definition("marq", program, ["mcp", ...roots], {})];
  };
  return [register("marquetry", { provideMcpServerDefinitions })];
}
