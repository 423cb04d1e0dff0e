// Answers questions in files in the folder `MARQ_PROBE`: the answer to `N.ask` is `N.answer`.
const { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const QUESTIONS = {
  tools: () => vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("marquetry_")),
  mcp: () => vscode.lm.tools.map(({ name }) => name).filter((name) => !name.startsWith("marquetry_") && name.includes("file_read")),
  async invoke({ name, input }) {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return content.map((part) => part.value);
  },
  command: ({ name, given }) => vscode.commands.executeCommand(name, ...(given ?? [])).then((answer) => answer ?? null),
};

exports.activate = (context) => {
  const folder = process.env.MARQ_PROBE;
  if (!folder || !existsSync(folder)) return;
  const timer = setInterval(() => {
    for (const name of readdirSync(folder).filter((name) => name.endsWith(".ask"))) {
      const path = join(folder, name);
      const { what, ...given } = JSON.parse(readFileSync(path, "utf8"));
      renameSync(path, path.replace(".ask", ".taken"));
      Promise.resolve()
        .then(() => QUESTIONS[what](given))
        .then((answer) => ({ answer }), (error) => ({ error: String(error?.message ?? error) }))
        .then((said) => {
          writeFileSync(`${path}.part`, JSON.stringify(said));
          renameSync(`${path}.part`, path.replace(".ask", ".answer"));
        });
    }
  }, 50);
  context.subscriptions.push({ dispose: () => clearInterval(timer) });
};
