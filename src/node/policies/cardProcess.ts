/** One card's policies in their process: asked within their time, ended when they take longer, given up when they keep ending it. Knows no verdicts. */
import { isPlainObject } from "../../core/call";
import type { PolicyAnswer, PolicyCallback, PolicyEventText } from "../../core/policies/types";
import type { Clock } from "../../ports";
import { createServant, ENDED_WITH_ANOTHER, type Servant } from "../handlers/servant";
import type { ServantReply } from "../handlers/servantMessages";
import type { CardReport } from "./policyMessages";
import { type CardPlan, policyPlan } from "./policyPlan";

export interface CardProcess {
  /** What the card's policies say of themselves, or why they cannot be loaded. Never rejects. */
  report(): Promise<CardReport | string>;
  /** Never rejects. */
  ask(asked: Asked): Promise<PolicyAnswer>;
  close(): Promise<void>;
}

export interface Asked {
  /** Place in the plan's entries. */
  readonly entry: number;
  readonly callback: PolicyCallback;
  readonly event: PolicyEventText;
  /** Milliseconds, from when the card is loaded. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Ends of its process in a row after which a policy is not asked any more. */
const MAX_CRASHES = 3;
/** Node's own word for an option that it does not know. */
const BAD_OPTION = "status 9";
const NEVER = new AbortController().signal;

export function createCardProcess(
  plan: CardPlan,
  { clock, onBroken }: { readonly clock: Clock; readonly onBroken: (entry: number, why: string) => void },
): CardProcess {
  const servant = createServant(policyPlan(plan));
  const crashes = new Map<number, number>();
  let isOpen = true;
  const askHere = async (asked: Asked): Promise<PolicyAnswer> => {
    const { entry, timeoutMs } = asked;
    if (!isOpen) return failed("it is not loaded any more");
    const ended = crashes.get(entry) ?? 0;
    if (ended >= MAX_CRASHES) return failed(`it ended its process ${ended} times and is not asked any more`);
    const reply = await exchange(servant, clock, asked);
    if (reply === "late") return { kind: "late", ms: timeoutMs };
    if ("ended" in reply) {
      crashes.set(entry, ended + 1);
      if (ended + 1 === MAX_CRASHES) onBroken(entry, reply.ended);
      return failed(reply.ended);
    }
    crashes.delete(entry);
    return reply.ok ? { kind: "returned", value: reply.value } : failed(reply.error);
  };
  return {
    async report() {
      const first = await servant.ready(NEVER);
      // Options that this runtime does not know are left out the second time.
      const reply = "ended" in first && first.ended.endsWith(BAD_OPTION) ? await servant.ready(NEVER) : first;
      if ("ended" in reply) return reply.ended;
      return reply.ok ? readReport(reply.value, plan) : reply.error;
    },
    ask: (asked) => untilAborted(askHere(asked), asked.signal),
    close() {
      isOpen = false;
      return servant.close();
    },
  };
}

const failed = (why: string): PolicyAnswer => ({ kind: "failed", why });

/** The time begins once the card is loaded. Who was only ended with another is asked once more. */
async function exchange(servant: Servant, clock: Clock, asked: Asked): Promise<ServantReply | "late"> {
  const { entry, callback, event, timeoutMs } = asked;
  const request = `{"subject":${JSON.stringify(event.subject)},"event":${event.json}}`;
  for (let again = true; ; again = false) {
    const ready = await servant.ready(NEVER);
    if ("ended" in ready || !ready.ok) return ready;
    const timeout = new AbortController();
    const timer = clock.timer(timeoutMs);
    void timer.done.then(() => timeout.abort());
    const reply = await servant.exchange(`${entry}:${callback}`, request, timeout.signal);
    timer.cancel();
    if (timeout.signal.aborted && "ended" in reply) return "late";
    if (!again || !("ended" in reply) || reply.ended !== ENDED_WITH_ANOTHER) return reply;
  }
}

/** Who has gone is not kept; the policy goes on within its time, for its own figures. */
function untilAborted(work: Promise<PolicyAnswer>, signal: AbortSignal): Promise<PolicyAnswer> {
  return new Promise((resolve) => {
    const onAbort = (): void => resolve({ kind: "aborted" });
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then((answer) => {
      signal.removeEventListener("abort", onAbort);
      resolve(answer);
    });
  });
}

function readReport(value: unknown, plan: CardPlan): CardReport | string {
  if (!isPlainObject(value) || typeof value.confined !== "boolean" || !Array.isArray(value.policies))
    return "its process sent what is no report";
  const { length } = value.policies;
  // Of the same build as this one; a count that differs would put one policy's word in another's mouth.
  if (length !== plan.entries.length && length !== 0) return "its process sent what is no report";
  return value as unknown as CardReport;
}
