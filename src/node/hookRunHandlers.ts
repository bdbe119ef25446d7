/** A program's own functions as handlers of a rule. Knows nothing of runs. */
import type { Finding } from "../core/decision";
import { messageOf } from "../core/errors";
import { allowResult, parseHookResult } from "../core/hookRules/parseHookResult";
import type { Handler, HandlerAnswer, HookEvent, HookResult as Parsed } from "../core/hookRules/types";
import { detached } from "./hookRunCopy";
import { HookDenied } from "./hookRunErrors";

/** What a handler answers: only the keys that say something. `UNSET` and a missing key are one, null is another. */
export type HookAnswer = Partial<Omit<Parsed, "findings">> & {
  readonly findings?: readonly (string | Partial<Finding>)[];
};

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement allows.
type Said = HookAnswer | null | undefined | void;

/** `signal` is aborted when the time of the handler is over. */
export type HookFunction = (event: HookEvent, signal: AbortSignal) => Said | Promise<Said>;

export type OnHandler = HookFunction | Handler;

export type HookResult = Parsed;

/** A result with every key there: what is not given is `UNSET`, or says nothing. */
export function HookResult(fields: HookAnswer = {}): Parsed {
  const { findings, ...rest } = fields;
  // The engine checks it like any answer; here only the gaps are filled.
  return { ...allowResult, ...rest, findings: (findings ?? []) as readonly Finding[] };
}

/** Refuses whatever the rule matches. */
export function DenyHandler(reason: string, options: { readonly name?: string } = {}): Handler {
  return { name: options.name ?? "", kind: "deny", run: async () => ({ kind: "deny", reason }) };
}

/** Each call of the function has a copy of the event to itself. */
export function functionHandler(name: string, handle: HookFunction): Handler {
  return {
    name,
    kind: "function",
    async run(event, signal) {
      let copy: HookEvent;
      try {
        copy = detached(event);
      } catch (error) {
        return { kind: "broken", why: `the event cannot be copied: ${messageOf(error)}` };
      }
      return answerOf(handle, copy, signal);
    },
  };
}

async function answerOf(handle: HookFunction, event: HookEvent, signal: AbortSignal): Promise<HandlerAnswer> {
  try {
    const said = await handle(event, signal);
    const parsed = parseHookResult(said);
    if (parsed.ok) return { kind: "result", result: parsed.value };
    return { kind: "failed", why: parsed.problems.map((problem) => problem.message).join("; ") };
  } catch (error) {
    if (error instanceof HookDenied) {
      const { reason, findings } = error;
      return { kind: "result", result: HookResult({ decision: "deny", reason, findings }) };
    }
    return { kind: "failed", why: messageOf(error) || "it threw" };
  }
}

export function isHandler(value: unknown): value is Handler {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "run") === "function" &&
    typeof Reflect.get(value, "kind") === "string"
  );
}
