// JSON-RPC 2.0 over a WebSocket to this server: requests in both directions, and automatic reconnection.

/** A failure with a hint about what to do. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly hint: string | undefined,
    readonly candidates: string[],
  ) {
    super(message);
  }
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string; data?: { kind?: string; hint?: string | null; candidates?: string[] } };
}

/** Callbacks of a connection. */
export interface Ends {
  /** The connection was opened, for the first time or again. */
  opened(): void;
  /** The connection was closed; `refused` is true if it was never open. */
  closed(refused: boolean): void;
  /** Answers a request of the server. */
  request(method: string, params: unknown): Promise<unknown>;
  /** Handles a notification from the server. */
  notification(method: string, params: unknown): void;
}

/** Delays between attempts to connect, in milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

export class Socket {
  private socket: WebSocket | undefined;
  private last = 0;
  private pause = FIRST_PAUSE;
  private readonly waiting = new Map<number, { resolve: (result: unknown) => void; reject: (why: Failure) => void }>();

  constructor(
    private readonly path: string,
    private readonly key: string,
    private readonly ends: Ends,
  ) {
    this.dial();
  }

  private dial(): void {
    const socket = new WebSocket(`ws://${location.host}${this.path}`, ["marquetry", this.key]);
    let opened = false;
    socket.addEventListener("open", () => {
      opened = true;
      this.socket = socket;
      this.pause = FIRST_PAUSE;
      this.ends.opened();
    });
    socket.addEventListener("message", (event: MessageEvent<string>) => {
      this.heard(JSON.parse(event.data) as Message);
    });
    socket.addEventListener("close", () => {
      this.socket = undefined;
      for (const { reject } of this.waiting.values()) {
        reject(new Failure("the connection to the server ended", "Internal", "the page connects again by itself", []));
      }
      this.waiting.clear();
      this.ends.closed(!opened);
      setTimeout(() => {
        this.dial();
      }, this.pause);
      this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
    });
  }

  private send(message: object): boolean {
    this.socket?.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
    return this.socket !== undefined;
  }

  private heard({ id, method, params, result, error }: Message): void {
    if (method !== undefined && id !== undefined) {
      this.ends.request(method, params).then(
        (answer) => this.send({ id, result: answer ?? null }),
        (why: unknown) => this.send({ id, error: described(why) }),
      );
    } else if (method !== undefined) {
      this.ends.notification(method, params);
    } else if (id !== undefined) {
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) {
        const { kind, hint, candidates } = error.data ?? {};
        waiting?.reject(new Failure(error.message, kind ?? "Internal", hint ?? undefined, candidates ?? []));
      } else {
        waiting?.resolve(result);
      }
    }
  }

  /** Sends a request and waits for the answer. */
  ask<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.last;
    return new Promise<T>((resolve, reject) => {
      if (this.send({ id, method, params })) {
        this.waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      } else {
        reject(new Failure("there is no connection to the server", "Internal", "it may have ended", []));
      }
    });
  }

  /** Sends a notification. */
  notify(method: string, params: object): void {
    this.send({ method, params });
  }
}

/** Converts an exception to a JSON-RPC error. */
function described(why: unknown): object {
  const message = why instanceof Error ? why.message : String(why);
  const kinds: Record<string, string> = { FileNotFound: "file-not-found", InvalidArgument: "invalid-argument" };
  const known = why instanceof Failure ? why : undefined;
  return { code: -32000, message, data: { kind: kinds[known?.kind ?? ""] ?? known?.kind, hint: known?.hint ?? null } };
}
