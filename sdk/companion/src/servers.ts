// Finds running servers of this user by their discovery files, and calls their tools.
import { lstat, readFile, readdir, stat } from "node:fs/promises";
import { request } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Claim, proved } from "./proof";

/** The content of a discovery file. */
export interface Server extends Claim {
  roots: string[];
}

/** The folder of discovery files; must match that of `marq`. */
function folder(): string {
  const { MARQ_STATE_DIR, XDG_STATE_HOME } = process.env;
  const state = MARQ_STATE_DIR ?? join(XDG_STATE_HOME ?? join(homedir(), ".local/state"), "marquetry");
  return join(state, "servers");
}

function relates(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => `${path.replace(/\/$/, "")}/`) as [string, string];
  return one.startsWith(other) || other.startsWith(one);
}

/**
 * Returns whether something belongs to this user, and none of these mode bits are set. Always true on Windows, which
 * has neither user ids nor mode bits.
 */
function isOwn({ uid, mode }: { uid: number; mode: number }, bits: number): boolean {
  const user = process.getuid?.();
  return user === undefined || (uid === user && (mode & bits) === 0);
}

function runs(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Reads a discovery file. Returns `undefined` if others can access it, or its process has ended. */
async function read(name: string): Promise<Server | undefined> {
  const path = join(folder(), name);
  const metadata = await lstat(path);
  if (!metadata.isFile() || !isOwn(metadata, 0o077)) return undefined;
  const { address, token, pid, roots } = JSON.parse(await readFile(path, "utf8")) as Server;
  const agrees = /^127\.0\.0\.1:\d+$/.test(address) && name === `${pid}.json` && runs(pid);
  return agrees ? { address, token, pid, roots } : undefined;
}

/**
 * The servers for these folders: the root of the server is one of them, contains one, or is in one. Not yet verified.
 */
export async function find(folders: string[]): Promise<Server[]> {
  const place = folder();
  const metadata = await stat(place).catch(() => undefined);
  // A folder inside of a project, or one that others can write to, may contain forged discovery files.
  const isPlanted = folders.some((folder) => `${place}/`.startsWith(`${folder.replace(/\/$/, "")}/`)) && process.env.MARQ_STATE_DIR !== undefined;
  if (!metadata || !isOwn(metadata, 0o022) || isPlanted) return [];
  const names = await readdir(place).catch(() => []);
  const found: Server[] = [];
  for (const name of names.filter((name) => name.endsWith(".json")).sort()) {
    // The server has ended, or is just writing the file.
    const server = await read(name).catch(() => undefined);
    if (server?.roots.some((root) => folders.some((folder) => relates(root, folder)))) found.push(server);
  }
  return found;
}

/** A failure of a tool, with a message for a model. */
export class ToolFailure extends Error {}

interface Answer {
  result?: unknown;
  error?: { message: string; data?: { kind?: string; hint?: string | null; candidates?: string[] } };
}

/** Calls a tool of a server, after verifying the server on the same connection. */
export async function call(server: Server, method: string, params: object, cancelled: AbortSignal): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const [host, port] = server.address.split(":");
  const socket = await proved(server);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    };
    const createConnection = () => socket;
    const httpRequest = request({ host, port, method: "POST", path: "/", headers, signal: cancelled, createConnection }, (response) => {
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
    httpRequest.on("error", reject);
    httpRequest.end(body);
  });
}
