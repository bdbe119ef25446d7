/**
 * The line format between hook client and broker: each side proves that it knows the window's nonce, which is never sent.
 * Knows nothing of sockets. Versioned by the leading word.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { BrokerReply, BrokerRequest } from "../agents/hookRequest";
import { isHookEvent } from "../agents/hookRequest";

const VERSION = "CSB1";
const MIB = 1024 * 1024;

/** Bytes of a hook's stdin. More is "guard broken", never skipped. */
export const MAX_PAYLOAD = 8 * MIB;
/** A payload as a JSON string at most doubles: its own control characters are escaped already. */
export const MAX_FRAME = 2 * MAX_PAYLOAD + 64 * 1024;

/** Sent while a verdict is awaited, so that a client can tell a thinking person from a dead broker. */
export const waitLine = `${VERSION} wait\n`;

type Side = "request" | "reply";

function mac(nonce: string, side: Side, parts: { challenge: string; body: string }): string {
  return createHmac("sha256", nonce).update(`${side}\n${parts.challenge}\n${parts.body}`).digest("hex");
}

function sameMac(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `CSB1 <challenge> <mac> <json>\n`. */
export function requestLine(nonce: string, challenge: string, request: BrokerRequest): string {
  const body = JSON.stringify(request);
  return `${VERSION} ${challenge} ${mac(nonce, "request", { challenge, body })} ${body}\n`;
}

export type ReadRequest =
  | { readonly ok: true; readonly challenge: string; readonly request: BrokerRequest }
  | { readonly ok: false; readonly challenge: string; readonly reason: string };

/** Reads one request line without its newline. */
export function readRequest(nonce: string, line: string): ReadRequest {
  const match = /^CSB1 ([0-9a-f]{32}) ([0-9a-f]{64}) (.*)$/s.exec(line);
  const [, challenge = "", given = "", body = ""] = match ?? [];
  if (match === null) return { ok: false, challenge, reason: "the broker could not read the request" };
  if (!sameMac(given, mac(nonce, "request", { challenge, body }))) {
    return { ok: false, challenge, reason: "the request does not belong to this window" };
  }
  const request = parseRequest(body);
  return request === undefined
    ? { ok: false, challenge, reason: "the broker could not read the request" }
    : { ok: true, challenge, request };
}

function parseRequest(body: string): BrokerRequest | undefined {
  const value = parseObject(body);
  if (value === undefined) return undefined;
  const { event, agent, observer, payload, cwd } = value;
  if (!isHookEvent(event) || typeof agent !== "string" || typeof observer !== "string") return undefined;
  if (typeof payload !== "string" || typeof cwd !== "string") return undefined;
  return { event, agent, observer, payload, cwd };
}

/** `CSB1 <mac> <json>\n`, bound to the client's challenge. */
export function replyLine(nonce: string, challenge: string, reply: BrokerReply): string {
  const body = JSON.stringify(reply);
  return `${VERSION} ${mac(nonce, "reply", { challenge, body })} ${body}\n`;
}

/** `undefined` = the line is not one that this window's broker wrote for this challenge. */
export function readReply(nonce: string, challenge: string, line: string): BrokerReply | undefined {
  const match = /^CSB1 ([0-9a-f]{64}) (.*)$/s.exec(line);
  const [, given = "", body = ""] = match ?? [];
  if (match === null || !sameMac(given, mac(nonce, "reply", { challenge, body }))) return undefined;
  return parseReply(body);
}

function parseReply(body: string): BrokerReply | undefined {
  const value = parseObject(body);
  if (value?.kind === "broken" && typeof value.reason === "string")
    return { kind: "broken", reason: value.reason };
  if (value?.kind !== "answer" || typeof value.answer !== "object" || value.answer === null) return undefined;
  const { stdout, stderr, exitCode } = value.answer as Record<string, unknown>;
  if (typeof stdout !== "string" || (stderr !== undefined && typeof stderr !== "string")) return undefined;
  if (exitCode !== undefined && exitCode !== 0 && exitCode !== 2) return undefined;
  return {
    kind: "answer",
    answer: {
      stdout,
      ...(stderr === undefined ? {} : { stderr }),
      ...(exitCode === undefined ? {} : { exitCode }),
    },
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // The one parse boundary of this format: fields are checked by the callers.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
