// Servers of this user that run, found by the files that they write; and calls of their tools.
import { readFile, readdir } from "node:fs/promises";
import { request } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where a server is, and what opens it. */
export interface Server {
  address: string;
  token: string;
  roots: string[];
}

/** Where servers write where they are: as `marq` itself has it. */
function folder(): string {
  const { MARQ_STATE_DIR, XDG_STATE_HOME } = process.env;
  const state = MARQ_STATE_DIR ?? join(XDG_STATE_HOME ?? join(homedir(), ".local/state"), "marquetry");
  return join(state, "servers");
}

function relates(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => `${path.replace(/\/$/, "")}/`) as [string, string];
  return one.startsWith(other) || other.startsWith(one);
}

/** The servers that serve one of these folders, one around it, or one in it. */
export async function find(folders: string[]): Promise<Server[]> {
  const names = await readdir(folder()).catch(() => []);
  const found: Server[] = [];
  for (const name of names.filter((name) => name.endsWith(".json")).sort()) {
    try {
      const { address, token, roots } = JSON.parse(await readFile(join(folder(), name), "utf8")) as Server;
      const isLocal = /^127\.0\.0\.1:\d+$/.test(address);
      if (isLocal && roots.some((root) => folders.some((folder) => relates(root, folder)))) found.push({ address, token, roots });
    } catch {
      // It ended, or is just being written.
    }
  }
  return found;
}

/** A failure of a tool, as it is told to a model. */
export class ToolFailure extends Error {}

interface Answer {
  result?: unknown;
  error?: { message: string; data?: { kind?: string; hint?: string | null; candidates?: string[] } };
}

/** Call a tool of a server. */
export function call(server: Server, method: string, params: object, cancelled: AbortSignal): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const [host, port] = server.address.split(":");
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const asked = request({ host, port, method: "POST", path: "/", headers, signal: cancelled }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        try {
          const { result, error } = JSON.parse(Buffer.concat(parts).toString("utf8")) as Answer;
          if (!error) {
            resolve(result);
            return;
          }
          const { kind, hint, candidates } = error.data ?? {};
          const near = candidates && candidates.length > 0 ? `\ncandidates: ${candidates.join(", ")}` : "";
          reject(new ToolFailure(`${kind ?? "Internal"}: ${error.message}${hint ? `\nhint: ${hint}` : ""}${near}`));
        } catch {
          reject(new ToolFailure(`the server answered ${response.statusCode ?? 0}`));
        }
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
