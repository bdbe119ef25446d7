/** An event as the JSON text that handlers are given. Knows nothing of handlers. */
import { messageOf } from "../../core/errors";
import type { HookEvent } from "../../core/hookRules/types";

/** UTF-16 units. A longer event cannot be judged by a handler, so the call is not let through. */
const MAX_EVENT = 16 * 1024 * 1024;

export type EventText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

export function eventText(event: HookEvent): EventText {
  let text: string;
  try {
    text = JSON.stringify(event);
  } catch (error) {
    return { ok: false, why: `the call cannot be written as JSON: ${messageOf(error)}` };
  }
  return text.length > MAX_EVENT
    ? { ok: false, why: "the call is larger than 16 MiB and cannot be handed to it" }
    : { ok: true, text };
}
