/**
 * What a hook process does, whichever agent started it: read the payload, find the window, hold until there is a verdict.
 * Whatever goes wrong becomes a deny in the agent's shape. Knows nothing of the token that the plugin's wrapper wants.
 */
import { isUtf8 } from "node:buffer";
import { broken } from "../agents/denial";
import type { BrokerAnswer, BrokerRequest, HookEvent } from "../agents/hookRequest";
import { messageOf } from "../core/errors";
import { askBroker, type BrokerTarget, type Patience } from "./askBroker";
import { MAX_PAYLOAD } from "./brokerWire";
import { findBroker } from "./locator";

/** A stream of bytes, such as `process.stdin`. */
export interface PayloadStream {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Frees a stream that never ended, so that the process can. */
  destroy?(): unknown;
}

export interface HookInvocation {
  readonly agent: string;
  readonly observer: string;
  /** Or how to tell it from the payload; undefined = an event that is none of our business. */
  readonly event: HookEvent | ((payload: Record<string, unknown>) => HookEvent | undefined);
  readonly stdin: PayloadStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Working directory of the hook process. */
  readonly cwd: string;
  /** Judges where no window has the folder open; absent = such a call is denied. */
  readonly alone?: (request: BrokerRequest) => Promise<BrokerAnswer>;
}

/** The host's own timeout is a day: we deny long before it, since every host runs the tool when its timeout passes. */
const patience: Patience = { silence: 20_000, total: 30 * 60_000 };
/** Nobody waits for the answer to a notice: it is handed over and that is all. */
const briefly: Patience = { silence: 3_000, total: 5_000 };
/** Rules may have something to say of a result; the host ends the hook after 30 seconds. */
const afterTool: Patience = { silence: 12_000, total: 25_000 };
/** Milliseconds the host may take to hand over the payload. */
const READ_MS = 30_000;

export async function runHookClient(hook: HookInvocation): Promise<BrokerAnswer> {
  const assumed = typeof hook.event === "string" ? hook.event : "pre";
  const fail = (reason: string, event: HookEvent = assumed): BrokerAnswer =>
    broken({ agent: hook.agent, event, reason });
  const readMs = assumed === "pre" ? READ_MS : briefly.total;
  const read = await readPayload(hook.stdin, shorter(hook.env.COUNTERSIGN_HOOK_READ_MS, readMs));
  if (!read.ok) return fail(read.reason);
  const payload = parsePayload(read.text);
  const event =
    typeof hook.event === "string" ? hook.event : payload === undefined ? "pre" : hook.event(payload);
  if (event === undefined) return { stdout: "" };
  const cwd = cwdOf(payload) ?? hook.cwd;
  const { agent, observer } = hook;
  const request: BrokerRequest = { event, agent, observer, payload: read.text, cwd: hook.cwd };
  const target = targetOf(hook, cwd);
  if (target === undefined) {
    const why = `no open window with Countersign has the folder ${cwd}`;
    if (hook.alone === undefined) return fail(why, event);
    return hook.alone(request).catch((error: unknown) => fail(messageOf(error), event));
  }
  if (typeof target === "string") return fail(target, event);
  const limits = event === "pre" ? limitsOf(hook.env) : event === "post" ? afterTool : briefly;
  const reply = await askBroker(target, request, limits);
  return reply.kind === "broken" ? fail(reply.reason, event) : reply.answer;
}

/** The window that started us names itself in the environment; everyone else looks for the one that has the folder open. */
function targetOf(hook: HookInvocation, cwd: string): BrokerTarget | string | undefined {
  const { COUNTERSIGN_SOCKET: socket, COUNTERSIGN_NONCE: nonce } = hook.env;
  if (socket !== undefined || nonce !== undefined) {
    return socket && nonce ? { socket, nonce } : "the environment names only half of a broker";
  }
  return findBroker(hook.home, cwd);
}

type Read = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** Reads to the end even when the payload is too large: a host whose write fails may take that for a hook that failed. */
async function readPayload(stdin: PayloadStream, deadlineMs: number): Promise<Read> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Read>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, reason: "the hook's input did not end" }), deadlineMs);
  });
  const read = await Promise.race([readAll(stdin).catch(unreadable), late]);
  clearTimeout(timer);
  if (!read.ok) stdin.destroy?.();
  return read;
}

function unreadable(error: unknown): Read {
  return { ok: false, reason: `the hook's input cannot be read (${messageOf(error)})` };
}

/** By events: an async iterator costs a hook some milliseconds. */
function readAll(stdin: PayloadStream): Promise<Read> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    stdin.on("error", reject);
    stdin.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= MAX_PAYLOAD) chunks.push(chunk);
    });
    stdin.on("end", () => resolve(textOf(chunks, size)));
  });
}

function textOf(chunks: readonly Uint8Array[], size: number): Read {
  if (size > MAX_PAYLOAD) return { ok: false, reason: `the hook's input is over ${MAX_PAYLOAD} bytes` };
  const bytes = Buffer.concat(chunks);
  // Replacement characters would have us judge another text than the one that runs.
  if (!isUtf8(bytes)) return { ok: false, reason: "the hook's input is no UTF-8" };
  return { ok: true, text: bytes.toString("utf8") };
}

/** Only to find the window; the broker reads the payload strictly and refuses what this lets pass. */
function parsePayload(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // The one parse boundary here: every field read is checked where it is read.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function cwdOf(payload: Record<string, unknown> | undefined): string | undefined {
  const named = payload?.cwd ?? payload?.workingDirectory;
  return typeof named === "string" && named !== "" ? named : undefined;
}

function limitsOf(env: HookInvocation["env"]): Patience {
  return {
    silence: shorter(env.COUNTERSIGN_HOOK_SILENCE_MS, patience.silence),
    total: shorter(env.COUNTERSIGN_HOOK_TOTAL_MS, patience.total),
  };
}

/** The environment may only tighten. */
function shorter(given: string | undefined, standard: number): number {
  const wanted = given === undefined ? Number.NaN : Number(given);
  return wanted > 0 && wanted < standard ? wanted : standard;
}
