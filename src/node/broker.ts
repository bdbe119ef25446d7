/** The running editor's local endpoint: hook clients hand in one call each and are held until it is judged. Knows nothing of verdicts. */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrokerAnswer, BrokerReply, BrokerRequest } from "../agents/hookRequest";
import { messageOf } from "../core/errors";
import type { Log } from "../ports";
import { createBrokerHttp } from "./brokerHttp";
import { MAX_FRAME, readRequest, replyLine, waitLine } from "./brokerWire";
import { notOursAlone } from "./ownPath";

/** `sun_path` holds 104 bytes on macOS, its closing NUL included. */
const MAX_SOCKET_PATH = 103;
const MAX_CONNECTIONS = 512;

interface BrokerContext {
  /** Aborted when the client goes away before its answer. */
  readonly signal: AbortSignal;
}

export interface BrokerOptions {
  readonly handle: (request: BrokerRequest, ctx: BrokerContext) => Promise<BrokerAnswer>;
  readonly log: Log;
  /** Where the socket's own 0700 folder is made; default the user's runtime folder, else the temp folder. */
  readonly folder?: string;
  /** Milliseconds a client may take to hand in its request; default 10 000. */
  readonly frameMs?: number;
  /** Milliseconds between signs of life while a call is held; default 5 000. */
  readonly heartbeatMs?: number;
}

export interface Broker {
  /** Path of the unix socket or named pipe. */
  readonly socket: string;
  /** Path of the unix socket that speaks HTTP, for hooks that a shell carries; absent on Windows. */
  readonly http?: string;
  /** The secret that proves a client to the broker and the broker to a client. */
  readonly nonce: string;
  /** Ends every held call without an answer, which denies it. */
  close(): Promise<void>;
}

/** Rejects when no endpoint can be opened. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const nonce = randomBytes(32).toString("hex");
  const place = process.platform === "win32" ? pipePlace() : socketPlace(options.folder);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket, nonce, options);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("error", (error) => options.log.error(`broker: ${messageOf(error)}`));
  await listen(server, place.socket);
  const http = await openHttp(options, place.http);
  return {
    socket: place.socket,
    ...(http === undefined ? {} : { http: http.socket }),
    nonce,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed, http?.close()]);
      place.remove();
    },
  };
}

interface HttpEnd {
  readonly socket: string;
  close(): Promise<void>;
}

async function openHttp(options: BrokerOptions, socket: string | undefined): Promise<HttpEnd | undefined> {
  if (socket === undefined) return undefined;
  const server = createBrokerHttp(options);
  await listen(server, socket);
  return {
    socket,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function listen(server: Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

interface Place {
  readonly socket: string;
  readonly http?: string;
  remove(): void;
}

/** Pipes live in one open name space: only the random name and the proofs of `brokerWire` protect them. Untested on Windows. */
function pipePlace(): Place {
  return { socket: `\\\\.\\pipe\\countersign-${randomBytes(16).toString("hex")}`, remove: () => undefined };
}

/** The folder's mode is what refuses other users: they cannot even see the socket. */
function socketPlace(wanted: string | undefined): Place {
  const bases = wanted === undefined ? [process.env.XDG_RUNTIME_DIR, tmpdir(), "/tmp"] : [wanted];
  let problem = "no folder for the broker's socket";
  for (const base of bases) {
    if (base === undefined || !base.startsWith("/")) continue;
    try {
      const folder = mkdtempSync(join(base, `countersign-${process.pid}-`));
      chmodSync(folder, 0o700);
      const socket = join(folder, "s");
      const wrong = notOursAlone(folder, "folder") ?? tooLong(socket);
      if (wrong === undefined)
        return {
          socket,
          http: join(folder, "h"),
          remove: () => rmSync(folder, { recursive: true, force: true }),
        };
      rmSync(folder, { recursive: true, force: true });
      problem = wrong;
    } catch (error) {
      problem = messageOf(error);
    }
  }
  throw new Error(problem);
}

function tooLong(socket: string): string | undefined {
  return Buffer.byteLength(socket) > MAX_SOCKET_PATH ? `${socket} is too long for a socket` : undefined;
}

/** One connection carries one request. */
function serve(socket: Socket, nonce: string, options: BrokerOptions): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let taken = false;
  // A busy host may see the timer before the bytes that lie ready: they get one more turn.
  const late = setTimeout(
    () => setImmediate(() => taken || take({ broken: "the request did not arrive in time" })),
    options.frameMs ?? 10_000,
  );
  socket.on("close", () => clearTimeout(late));
  // A client that vanishes resets the connection: `close` follows and says all there is to say.
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    if (taken) return;
    const end = chunk.indexOf(10);
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    size += part.length;
    chunks.push(part);
    if (size > MAX_FRAME) take({ broken: "the request is too large" });
    else if (end >= 0) take({ line: Buffer.concat(chunks).toString("utf8") });
  });

  function take(frame: { line: string } | { broken: string }): void {
    taken = true;
    clearTimeout(late);
    chunks.length = 0;
    const read =
      "line" in frame
        ? readRequest(nonce, frame.line)
        : { ok: false as const, challenge: "", reason: frame.broken };
    if (read.ok) {
      void answer(socket, { ...options, request: read.request, challenge: read.challenge, nonce });
      return;
    }
    options.log.warn(`broker: refused a request: ${read.reason}`);
    socket.end(replyLine(nonce, read.challenge, { kind: "broken", reason: read.reason }));
    // What is left of an oversized request is not worth reading.
    socket.once("finish", () => socket.destroy());
  }
}

type Held = BrokerOptions & {
  readonly request: BrokerRequest;
  readonly challenge: string;
  readonly nonce: string;
};

async function answer(socket: Socket, held: Held): Promise<void> {
  const gone = new AbortController();
  const heartbeat = setInterval(() => socket.write(waitLine), held.heartbeatMs ?? 5_000);
  const onClose = (): void => {
    clearInterval(heartbeat);
    gone.abort();
  };
  socket.on("close", onClose);
  if (socket.destroyed) onClose();
  const reply = await replyOf(held, gone.signal);
  clearInterval(heartbeat);
  socket.off("close", onClose);
  if (!socket.destroyed) socket.end(replyLine(held.nonce, held.challenge, reply));
}

async function replyOf(held: Held, signal: AbortSignal): Promise<BrokerReply> {
  try {
    return { kind: "answer", answer: await held.handle(held.request, { signal }) };
  } catch (error) {
    held.log.error(`broker: ${messageOf(error)}`);
    return { kind: "broken", reason: messageOf(error) };
  }
}
