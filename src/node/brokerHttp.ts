/**
 * The broker's second endpoint, for hooks that a shell and curl carry: HTTP on a unix socket inside the broker's own 0700 folder,
 * which is what proves each side to the other. Knows nothing of verdicts.
 */
import { isUtf8 } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { broken } from "../agents/denial";
import { type BrokerAnswer, type BrokerRequest, type HookEvent, isHookEvent } from "../agents/hookRequest";
import { messageOf } from "../core/errors";
import type { Log } from "../ports";
import { MAX_PAYLOAD } from "./brokerWire";
import { answerText } from "./hookAnswerText";

export interface BrokerHttpOptions {
  readonly handle: (request: BrokerRequest, ctx: { readonly signal: AbortSignal }) => Promise<BrokerAnswer>;
  readonly log: Log;
  /** Milliseconds between signs of life while a call is held; default 2 000. */
  readonly heartbeatMs?: number;
}

/** Blanks before the answer: curl gives up on a silent broker, and dies of them once its shell has gone. */
const SIGN_OF_LIFE = " ".repeat(64);

const MAX_CONNECTIONS = 512;

interface Asked {
  readonly agent: string;
  readonly event: HookEvent;
  readonly observer: string;
  readonly cwd: string;
}

export function createBrokerHttp(options: BrokerHttpOptions): Server {
  const server = createServer({ keepAliveTimeout: 1 }, (request, response) => {
    void serve(request, response, options);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("error", (error) => options.log.error(`broker: ${messageOf(error)}`));
  return server;
}

/** `POST /v1/<agent>/<event>` (for the editor's own agents `/v1/plugin/<event>`), the payload as the body, the folder of the hook process in `X-Cwd`. */
function asked(request: IncomingMessage): Asked | undefined {
  const [, agent, event] = /^\/v1\/([a-z]+)\/([a-z-]+)$/.exec(request.url ?? "") ?? [];
  if (request.method !== "POST" || agent === undefined || !isHookEvent(event)) return undefined;
  const cwd = request.headers["x-cwd"];
  const isPlugin = agent === "plugin";
  return {
    agent: isPlugin ? "vscode" : agent,
    event,
    observer: isPlugin ? "plugin" : `hook:${agent}`,
    // Header bytes come as Latin-1.
    cwd: typeof cwd === "string" ? Buffer.from(cwd, "latin1").toString("utf8") : "",
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: BrokerHttpOptions,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.on("error", () => gone.abort());
  const who = asked(request);
  if (who === undefined) {
    options.log.warn(`broker: refused a request for ${request.url}`);
    response.writeHead(404, { connection: "close" }).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/plain", connection: "close" });
  const heartbeat = setInterval(() => response.write(SIGN_OF_LIFE), options.heartbeatMs ?? 2_000);
  const answer = await answerOf(request, who, { ...options, signal: gone.signal });
  clearInterval(heartbeat);
  if (!response.destroyed) response.end(answerText(answer));
}

async function answerOf(
  request: IncomingMessage,
  who: Asked,
  given: BrokerHttpOptions & { readonly signal: AbortSignal },
): Promise<BrokerAnswer> {
  try {
    const payload = await payloadOf(request);
    if (typeof payload !== "string") return broken({ ...who, reason: payload.why });
    return await given.handle({ ...who, payload }, { signal: given.signal });
  } catch (error) {
    given.log.error(`broker: ${messageOf(error)}`);
    return broken({ ...who, reason: messageOf(error) });
  }
}

/** Reads to the end even when the payload is too large: curl must not fail on a closed connection before it has the answer. */
async function payloadOf(request: IncomingMessage): Promise<string | { readonly why: string }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_PAYLOAD) chunks.push(chunk);
  }
  if (size > MAX_PAYLOAD) return { why: `the hook's input is over ${MAX_PAYLOAD} bytes` };
  const bytes = Buffer.concat(chunks);
  // Replacement characters would have us judge another text than the one that runs.
  return isUtf8(bytes) ? bytes.toString("utf8") : { why: "the hook's input is no UTF-8" };
}
