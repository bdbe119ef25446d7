/** One request to an OTLP/HTTP receiver and what its answer means. Knows nothing of records, queues or waiting. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export type Posted =
  | { readonly kind: "taken"; readonly answer: Uint8Array }
  /** Worth another try; `afterMs` is what the receiver asked for. */
  | { readonly kind: "later"; readonly why: string; readonly afterMs?: number }
  /** The same bytes will never be taken. */
  | { readonly kind: "refused"; readonly why: string };

export interface Target {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for one whole request. */
  readonly timeoutMs: number;
}

const MAX_ANSWER = 64 * 1024;

/** Where logs go: `/v1/logs` is added unless the address already has a path of its own. Undefined = no http(s) address. */
export function logsUrl(endpoint: string): URL | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const url = new URL(endpoint);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.pathname === "/" || url.pathname === "") url.pathname = "/v1/logs";
  return url;
}

/** Never rejects. Redirects are not followed: the headers may hold a key that is meant for this receiver alone. */
export function post(target: Target, body: Uint8Array, signal?: AbortSignal): Promise<Posted> {
  return new Promise((resolve) => {
    const send = target.url.protocol === "https:" ? httpsRequest : httpRequest;
    const failed = (error: Error): void => resolve({ kind: "later", why: error.message });
    try {
      const req = send(target.url, {
        method: "POST",
        headers: {
          ...target.headers,
          "content-type": "application/x-protobuf",
          "content-length": String(body.length),
        },
        ...(signal === undefined ? {} : { signal }),
      });
      // The whole request, not only silence on the socket: a receiver that trickles must not hold us.
      const timer = setTimeout(() => req.destroy(new Error("no answer in time")), target.timeoutMs);
      timer.unref();
      req.on("error", failed);
      req.on("close", () => clearTimeout(timer));
      req.on("response", (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size <= MAX_ANSWER) chunks.push(chunk);
        });
        response.on("error", failed);
        response.on("aborted", () => failed(new Error("the answer was cut off")));
        response.on("end", () =>
          resolve(meaning(response.statusCode ?? 0, response.headers["retry-after"], Buffer.concat(chunks))),
        );
      });
      req.end(body);
    } catch (error) {
      // A header that HTTP does not allow.
      resolve({ kind: "refused", why: error instanceof Error ? error.message : String(error) });
    }
  });
}

/** The protocol lets 429, 502, 503 and 504 be tried again; other 5xx are too, for the queue must not lose records to a receiver that is being mended. */
function meaning(status: number, retryAfter: string | undefined, answer: Uint8Array): Posted {
  if (status >= 200 && status < 300) return { kind: "taken", answer };
  const why = `the receiver answered ${status}`;
  if (status !== 429 && status !== 408 && status < 500) return { kind: "refused", why };
  const afterMs = retryAfterMs(retryAfter, Date.now());
  return { kind: "later", why, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** `120`, or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header.trim()) * 1000;
  const at = Date.parse(header);
  return Number.isFinite(at) ? Math.max(0, at - now) : undefined;
}

/** Receivers close connections and restart; waits double up to five minutes, spread by a fifth. `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const base = Math.min(300_000, 1000 * 2 ** Math.min(attempt, 20));
  return Math.round(base * (0.8 + 0.4 * random));
}

/** Not for ever: a receiver may ask for a day. */
export const LONGEST_WAIT_MS = 3_600_000;
