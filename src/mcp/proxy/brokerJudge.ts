/** Has calls judged by the window that holds the folder, where a person can be asked; without one, in this process. Knows no guard. */
import type { BrokerRequest } from "../../agents/hookRequest";
import { messageOf } from "../../core/errors";
import { askBroker, type BrokerTarget, type Patience } from "../../node/askBroker";
import { findBroker, readLocators } from "../../node/locator";
import { nodeIds } from "../../node/ports";
import type { Log } from "../../ports";
import { PROXY_OBSERVER, type ProxyAnswer, type ProxyRequest, readAnswer } from "./doorMessages";
import type { Judge, ProxyCall, ProxyServer, ProxyVerdict, RunTool } from "./judge";

const SILENCE_MS = 20_000;
const HELLO: Patience = { silence: 3_000, total: 3_000 };
/** A person has half an hour. */
const PRE: Patience = { silence: SILENCE_MS, total: 30 * 60_000 };
const POST: Patience = { silence: SILENCE_MS, total: 10 * 60_000 };
const PRESENCE: Patience = { silence: SILENCE_MS, total: 24 * 60 * 60_000 };

export interface BrokerJudgeOptions {
  readonly server: ProxyServer;
  readonly sessionId: string;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Where no window answers. */
  readonly local: Judge;
}

interface Window {
  readonly target: BrokerTarget;
  readonly left: AbortController;
}

export function brokerJudge(options: BrokerJudgeOptions): Judge {
  const { sessionId: session, log } = options;
  let window: Promise<Window | undefined> | undefined;
  let attempt = 0;

  /** Each window that is met knows this proxy by a name of its own. */
  const meet = async (): Promise<Window | undefined> => {
    for (const target of targetsOf(options)) {
      const welcome = await send(options, target, { kind: "hello", session }, HELLO);
      if (welcome.ok && welcome.answer.kind === "welcome") return { target, left: stay(target) };
      log.info(`no verdicts from ${target.socket}: ${welcome.ok ? welcome.answer.kind : welcome.why}`);
    }
    return undefined;
  };

  /** The window holds this request as long as we are there; when it ends the window is looked for anew. */
  const stay = (target: BrokerTarget): AbortController => {
    const left = new AbortController();
    const mine = ++attempt;
    void send(options, target, { kind: "presence", session }, { ...PRESENCE, signal: left.signal }).then(
      () => {
        left.abort();
        if (attempt === mine) window = undefined;
      },
    );
    return left;
  };

  const current = (): Promise<Window | undefined> => {
    const found = window ?? meet();
    window = found;
    // Without a window the next call looks again.
    void found.then((one) => {
      if (one === undefined && window === found) window = undefined;
    });
    return found;
  };

  return {
    async govern(call, run, signal) {
      const met = await current();
      if (met === undefined) return options.local.govern(call, run, signal);
      return governThere(options, { target: met.target, call, run, signal });
    },
    async close() {
      attempt += 1;
      (await window)?.left.abort();
      await options.local.close();
    },
  };
}

/**
 * The window that has the folder open, else the one that the environment names: which may be the work of a project's file, so
 * that it only chooses among those that have announced themselves.
 */
function targetsOf({ env, home, cwd, log }: BrokerJudgeOptions): readonly BrokerTarget[] {
  const { COUNTERSIGN_SOCKET: socket, COUNTERSIGN_NONCE: nonce } = env;
  try {
    const found = findBroker(home, cwd);
    const named = readLocators(home).live.filter((one) => one.socket === socket && one.nonce === nonce);
    return found === undefined ? named : [found, ...named.filter((one) => one.socket !== found.socket)];
  } catch (error) {
    log.warn(`the open windows cannot be told: ${messageOf(error)}`);
    return [];
  }
}

interface There {
  readonly target: BrokerTarget;
  readonly call: ProxyCall;
  readonly run: RunTool;
  readonly signal: AbortSignal;
}

/** Once a window has said that it is there, its silence is a guard that broke: nothing runs on it. */
async function governThere(options: BrokerJudgeOptions, there: There): Promise<ProxyVerdict> {
  const { server, sessionId: session } = options;
  const { target, call, run, signal } = there;
  const callId = nodeIds("call");
  const asked = await send(
    options,
    target,
    { kind: "pre", session, callId, server, call },
    { ...PRE, signal },
  );
  if (!asked.ok) throw new Error(asked.why);
  if (asked.answer.kind === "refused") return { kind: "refused", said: asked.answer.said };
  if (asked.answer.kind !== "run") throw new Error(`the window answered "${asked.answer.kind}"`);
  const { ticket, args, pinApproved } = asked.answer;
  const tell = (ended: { result: unknown } | { error: string }) =>
    send(options, target, { kind: "post", session, ticket, ended }, POST);
  let result: unknown;
  try {
    result = await run({ args: args ?? call.input, rewritten: args !== undefined, pinApproved });
  } catch (error) {
    const told = await tell({ error: messageOf(error) });
    if (!told.ok) throw new Error(`the tool failed, and its error could not be judged: ${told.why}`);
    if (told.answer.kind === "refused") return told.answer;
    if (error instanceof Error && told.answer.kind === "ended" && told.answer.error !== undefined)
      error.message = told.answer.error;
    throw error;
  }
  const told = await tell({ result });
  // What the rules have not seen may hold what they would have taken out.
  if (!told.ok) throw new Error(`the tool ran, but its result could not be judged: ${told.why}`);
  if (told.answer.kind === "refused") return told.answer;
  if (told.answer.kind !== "ended") throw new Error(`the window answered "${told.answer.kind}"`);
  if (told.answer.error !== undefined) throw new Error(told.answer.error);
  const { result: shown, contexts } = told.answer;
  return {
    kind: "ran",
    value: shown === undefined ? result : shown.value,
    changed: shown !== undefined,
    contexts,
  };
}

type Sent =
  | { readonly ok: true; readonly answer: ProxyAnswer }
  | { readonly ok: false; readonly why: string };

export async function send(
  { cwd }: { readonly cwd: string },
  target: BrokerTarget,
  request: ProxyRequest,
  patience: Patience,
): Promise<Sent> {
  const carried: BrokerRequest = {
    event: "pre",
    agent: "mcp",
    observer: PROXY_OBSERVER,
    payload: JSON.stringify(request),
    cwd,
  };
  const reply = await askBroker(target, carried, patience);
  if (reply.kind === "broken") return { ok: false, why: reply.reason };
  const read = readAnswer(reply.answer.stdout);
  return read.ok ? { ok: true, answer: read.value } : { ok: false, why: read.why };
}
