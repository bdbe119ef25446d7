/** What a policy is told of a call, as text: each policy makes its own copy of it. Knows nothing of policies. */
import type { Args, ToolCall } from "../call";
import { messageOf } from "../errors";
import type { PolicyEnd, PolicyEventText } from "./types";

/** UTF-16 units. A longer event cannot be judged, so the call is not let through. */
const MAX_EVENT = 16 * 1024 * 1024;

export type EventText =
  | { readonly ok: true; readonly text: PolicyEventText }
  | { readonly ok: false; readonly why: string };

export interface EventParts {
  readonly args: Args;
  readonly subject: string;
  readonly end?: PolicyEnd;
}

export function policyEvent(call: ToolCall, { args, subject, end }: EventParts): EventText {
  const { toolName, canonicalName, sessionId, agent, cwd, callId } = call;
  try {
    const json = JSON.stringify({
      toolName,
      canonicalName,
      input: args,
      ...(end === undefined ? {} : { output: end.error === null ? end.result : null, error: end.error }),
      sessionId,
      agent,
      runtime: agent,
      ...(cwd === undefined ? {} : { cwd }),
      callId,
    });
    if (json.length > MAX_EVENT)
      return { ok: false, why: "the call is larger than 16 MiB and cannot be handed to a policy" };
    return { ok: true, text: { json, subject } };
  } catch (error) {
    return { ok: false, why: `the call cannot be written as JSON: ${messageOf(error)}` };
  }
}
