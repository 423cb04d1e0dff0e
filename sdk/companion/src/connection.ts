// The connection of one editor to one server in the protocol of companions. Reconnects while the editor is running.
import type { Socket } from "node:net";
import { confine } from "./confine";
import { proved } from "./proof";
import { Failure, type Folder } from "./protocol";
import { type Server, find } from "./servers";

/** Delays between attempts to connect, in milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

/** The editor's side of a connection. */
export interface Editor {
  folders(): Folder[];
  introduction(): object;
  answer(method: string, params: never): Promise<unknown>;
  /** Called when the host has accepted this editor. */
  welcome(server: Server): void;
  /** Called when the connection is closed. Removes everything that the host has shown. */
  gone(): void;
}

/** The methods of a WebSocket that are used here. */
export interface Wire {
  on(event: "open" | "close", listener: () => void): unknown;
  on(event: "message", listener: (data: { toString(encoding: "utf8"): string }) => void): unknown;
  on(event: "error", listener: (why: Error) => void): unknown;
  send(text: string): void;
  close(): void;
}

/**
 * Opens a WebSocket at an address with these headers. It must use this socket, on which the server proved its
 * identity.
 */
export type Dial = (url: string, headers: Record<string, string>, socket: Socket) => Wire;

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
}

export class Connection {
  /** Set while the connection is open. */
  private socket: Wire | undefined;
  private timer: NodeJS.Timeout | undefined;
  private pause = FIRST_PAUSE;
  private over = false;

  /** `path` is the URL path on which the editor's integration listens. */
  constructor(
    private readonly path: string,
    private readonly editor: Editor,
    private readonly wire: Dial,
  ) {
    void this.look();
  }

  dispose(): void {
    this.over = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  /** Connects now instead of after the delay, because a server was started or the folders changed. */
  again(): void {
    this.pause = FIRST_PAUSE;
    clearTimeout(this.timer);
    if (this.socket) this.socket.close();
    else void this.look();
  }

  private later(): void {
    if (this.over) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  private async look(): Promise<void> {
    const servers = await find(this.editor.folders().map(({ path }) => path));
    for (const server of servers) {
      if (this.over || (await this.dial(server))) return;
    }
    this.later();
  }

  /**
   * Returns whether a connection was opened; when it closes, a new one is attempted. Sends nothing to a server that
   * cannot prove its identity.
   */
  private async dial(server: Server): Promise<boolean> {
    const stream = await proved(server).catch(() => undefined);
    if (!stream) return false;
    if (this.over) {
      stream.destroy();
      return false;
    }
    return new Promise((resolve) => {
      const socket = this.wire(`ws://${server.address}${this.path}`, { authorization: `Bearer ${server.token}` }, stream);
      socket.on("open", () => {
        this.socket = socket;
        this.notify("introduce", this.editor.introduction());
        resolve(true);
      });
      socket.on("message", (data) => {
        this.heard(JSON.parse(data.toString("utf8")) as Message, server);
      });
      socket.on("error", () => {
        resolve(false);
      });
      socket.on("close", () => {
        if (this.socket !== socket) return;
        this.socket = undefined;
        this.editor.gone();
        this.later();
      });
    });
  }

  private heard({ id, method, params }: Message, server: Server): void {
    if (method === "welcome") {
      this.pause = FIRST_PAUSE;
      this.editor.welcome(server);
    } else if (method !== undefined && id !== undefined) {
      const allowed = confine(params, this.editor.folders());
      allowed.then(() => this.editor.answer(method, params as never)).then(
        (result) => {
          this.send({ id, result: result ?? null });
        },
        (why: unknown) => {
          const message = why instanceof Error ? why.message : String(why);
          this.send({ id, error: { code: -32000, message, data: { kind: why instanceof Failure ? why.kind : "editor-failed" } } });
        },
      );
    }
  }

  private send(message: object): void {
    this.socket?.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Sends a notification to the host. */
  notify(method: string, params: object): void {
    this.send({ method, params });
  }
}
