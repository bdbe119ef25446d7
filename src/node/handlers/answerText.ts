/** Reads what a handler printed or sent: a result in JSON, plain text for the agent, or neither. Knows nothing of processes. */
import { formatProblem, messageOf } from "../../core/errors";
import { doubledKey, notPlainText } from "../../core/hookRules/answerShape";
import { allowResult, parseHookResult } from "../../core/hookRules/parseHookResult";
import type { HandlerAnswer } from "../../core/hookRules/types";

/** Bytes; a longer answer is none. */
export const MAX_ANSWER = 1_048_576;

export const allowed: HandlerAnswer = { kind: "result", result: allowResult };

export const failed = (why: string): HandlerAnswer => ({ kind: "failed", why });

/** Undefined = no UTF-8. */
export function decodeAnswer(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Nothing and `null` allow; what begins with `{` must be a result; plain text is context, anything else is no answer. */
export function readAnswerText(text: string): HandlerAnswer {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return allowed;
  if (trimmed.startsWith("{")) return readAnswerJson(trimmed);
  const why = notPlainText(trimmed);
  return why === undefined ? { kind: "context", text: trimmed } : failed(why);
}

export function readAnswerJson(text: string): HandlerAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failed(`its answer is no JSON: ${messageOf(error)}`);
  }
  const twice = doubledKey(text);
  if (twice !== undefined) return failed(`its answer has the key \`${twice.slice(0, 60)}\` twice`);
  return readAnswerValue(value);
}

export function readAnswerValue(value: unknown): HandlerAnswer {
  const parsed = parseHookResult(value);
  if (parsed.ok) return { kind: "result", result: parsed.value };
  const [first] = parsed.problems;
  return failed(
    first === undefined ? "its answer is none" : formatProblem(first).replace(/^answer:\d+:\d+: /, ""),
  );
}
