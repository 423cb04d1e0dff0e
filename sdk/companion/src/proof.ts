// Asks a server to prove that it has the token of its discovery file, before the token is sent: after a server was
// killed, any user of the machine can listen on its port. The server's side is host/wire/src/proof.rs.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type Socket, connect } from "node:net";

/** The parts of a discovery file that take part in the proof. */
export interface Claim {
  address: string;
  token: string;
  pid: number;
}

/** Time limit for the server, in milliseconds. */
const PATIENCE = 3_000;
/** Maximum length of the response head, in bytes. */
const LONGEST_HEAD = 4096;
const DIGITS = 64;

function expected({ address, token, pid }: Claim, nonce: string): Buffer {
  const port = address.split(":")[1] ?? "";
  return Buffer.from(createHmac("sha256", token).update(`marquetry server proof\n${nonce}\n${port}\n${pid}`).digest("hex"));
}

/**
 * Connects to a server and verifies it. Rejects if another process listens at the address; that process has only
 * received a random number.
 */
export function proved(claim: Claim): Promise<Socket> {
  const [host, port] = claim.address.split(":");
  const nonce = randomBytes(32).toString("hex");
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) });
    let answer = Buffer.alloc(0);
    const fail = (why: string) => {
      socket.destroy();
      reject(new Error(`${claim.address}: ${why}`));
    };
    const read = (bytes: Buffer) => {
      answer = Buffer.concat([answer, bytes]);
      const head = answer.indexOf("\r\n\r\n");
      if (head < 0 && answer.length > LONGEST_HEAD) fail("the answer is not a valid proof");
      if (head < 0 || answer.length < head + 4 + DIGITS) return;
      const given = answer.subarray(head + 4);
      if (given.length !== DIGITS || !timingSafeEqual(given, expected(claim, nonce))) {
        fail("the process at this address is not the server that wrote the discovery file");
        return;
      }
      socket.removeAllListeners();
      socket.setTimeout(0);
      // Ignore errors until the next user of the connection adds a listener.
      socket.on("error", () => undefined);
      resolve(socket);
    };
    socket.setTimeout(PATIENCE, () => {
      fail("it did not answer in time");
    });
    socket.on("error", ({ message }) => {
      fail(message);
    });
    socket.on("close", () => {
      fail("the connection was closed");
    });
    socket.on("data", read);
    socket.write(`GET /proof?nonce=${nonce} HTTP/1.1\r\nHost: ${claim.address}\r\n\r\n`);
  });
}
