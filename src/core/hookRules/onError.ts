/** What a handler's failure makes of the call. Runs nothing. */
import type { Handler, HookEventName, OnError } from "./types";

/** "record" in the library; "ask" wherever an agent could make a handler fail: editor, hook, MCP, command line. */
export type DoorDefault = "record" | "ask";

/** The handler's own word, else the door's for what may still hold the call back, else "record". */
export function onErrorOf(handler: Handler, event: HookEventName, door: DoorDefault): OnError {
  if (handler.async === true) return "record";
  const before = event === "pre_tool_call" || event === "pre_request";
  const wanted = handler.onError ?? (before ? door : "record");
  // Nobody can be asked about anything but a tool call that has not run.
  return wanted === "ask" && event !== "pre_tool_call" ? "deny" : wanted;
}
