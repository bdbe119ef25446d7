/** Keeps each agent session to the place of its first call: changing the directory must not change whose rules hold. */
import type { ToolCall } from "./call";
import { sessionKey } from "./consent";

const MAX_SESSIONS = 2000;

export interface SessionPins {
  /** The place the session began in; `here` when this is its first call. */
  of(call: Pick<ToolCall, "agent" | "sessionId">, here: string): string;
}

export function sessionPins(): SessionPins {
  const pins = new Map<string, string>();
  return {
    of(call, here) {
      const key = sessionKey(call);
      const pinned = pins.get(key) ?? here;
      // Re-inserted, so that the session which was silent longest is forgotten first.
      pins.delete(key);
      pins.set(key, pinned);
      const [oldest] = pins.keys();
      if (pins.size > MAX_SESSIONS && oldest !== undefined) pins.delete(oldest);
      return pinned;
    },
  };
}
