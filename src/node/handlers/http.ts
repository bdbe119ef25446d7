/** Posts one event to one address and reads the answer: no redirects, bounded in size and time. Knows nothing of rules or configuration. */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { messageOf } from "../../core/errors";
import type { HandlerAnswer, HookEvent } from "../../core/hookRules/types";
import { allowed, decodeAnswer, failed, MAX_ANSWER, readAnswerJson, readAnswerText } from "./answerText";
import { boundedBytes } from "./boundedBytes";
import { abortText } from "./command";
import { eventText } from "./eventText";

export interface HttpPlan {
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Never rejects. The exchange, from the connection to the last byte, ends when `signal` aborts. */
export async function runHttp(plan: HttpPlan, event: HookEvent, signal: AbortSignal): Promise<HandlerAnswer> {
  const text = eventText(event);
  if (!text.ok) return { kind: "broken", why: text.why };
  if (signal.aborted) return failed("it was not asked: nobody waits for it any more");
  try {
    return await exchange(plan, text.text, signal);
  } catch (error) {
    return failed(signal.aborted ? abortText(signal) : `the exchange failed: ${codeOf(error)}`);
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return messageOf(error) || code || "no reason was given";
}

function exchange(plan: HttpPlan, body: string, signal: AbortSignal): Promise<HandlerAnswer> {
  return new Promise((resolve, reject) => {
    const send = plan.url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send(plan.url, optionsOf(plan, body), (response) => {
      response.on("error", reject);
      readResponse(response).then(resolve, reject);
    });
    // The whole exchange, also where bytes trickle in for ever.
    const onAbort = () => outgoing.destroy(new Error("aborted"));
    signal.addEventListener("abort", onAbort, { once: true });
    outgoing.on("error", reject);
    outgoing.on("close", () => {
      signal.removeEventListener("abort", onAbort);
      reject(new Error("the connection was closed before the answer was complete"));
    });
    outgoing.end(body);
  });
}

function optionsOf(plan: HttpPlan, body: string): RequestOptions {
  return {
    method: "POST",
    // A kept connection that the other side has dropped would fail a call that a new one serves.
    agent: false,
    maxHeaderSize: 16_384,
    headers: {
      accept: "application/json, text/plain",
      "accept-encoding": "identity",
      "user-agent": "countersign",
      ...plan.headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
    },
    ...(plan.url.protocol === "http:" && { lookup: loopbackOnly }),
  };
}

/** Without encryption the event leaves this machine in no case, whatever the name is made to mean. */
const loopbackOnly: LookupFunction = (_name, options, done) => {
  const both = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  if (options.all === true) done(null, both);
  else done(null, "127.0.0.1", 4);
};

async function readResponse(response: IncomingMessage): Promise<HandlerAnswer> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) {
    response.destroy();
    const moved = status >= 300 && status < 400 && status !== 304;
    return failed(`the answer was HTTP ${status}${moved ? "; redirects are not followed" : ""}`);
  }
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    response.destroy();
    return failed(`the answer is encoded as ${encoding.slice(0, 40)}, which was not asked for`);
  }
  const body = boundedBytes(MAX_ANSWER);
  for await (const chunk of response) {
    body.add(chunk);
    if (body.over) return failed(`the answer is larger than ${MAX_ANSWER / 1_048_576} MiB`);
  }
  if (!response.complete) return failed("the connection was closed before the answer was complete");
  return answerOf(body.bytes(), response.headers["content-type"] ?? "");
}

/** A page of HTML is what a proxy says, not the handler: only JSON and plain text count. */
function answerOf(bytes: Uint8Array, contentType: string): HandlerAnswer {
  const text = decodeAnswer(bytes);
  if (text === undefined) return failed("the answer is no UTF-8");
  if (text.trim() === "") return allowed;
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" || type.endsWith("+json")) return readAnswerJson(text);
  if (type === "text/plain") return readAnswerText(text);
  if (type === "" && text.trimStart().startsWith("{")) return readAnswerJson(text);
  return failed(
    `the answer is ${type === "" ? "of no named type" : type.slice(0, 80)}, not JSON or plain text`,
  );
}
