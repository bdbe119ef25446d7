/** One judgement of a call looks at each place once, whichever guard asks. Knows no guard and no path. */
import type { Clock, FileSystem } from "../../ports";
import type { ToolCall } from "../call";
import { rememberLooks } from "../paths/rememberLooks";

/** Milliseconds: where a guard takes longer, the next ones look again. */
const FRESH_MS = 50;

/** Each judgement has a call object of its own: what one saw, the next does not go by. */
export function looksOfCall(fileSystem: FileSystem, clock: Clock): (call: ToolCall) => FileSystem {
  const known = new WeakMap<ToolCall, { readonly fs: FileSystem; readonly until: number }>();
  return (call) => {
    const now = clock.monotonic();
    const seen = known.get(call);
    if (seen !== undefined && now < seen.until) return seen.fs;
    const fs = rememberLooks(fileSystem);
    known.set(call, { fs, until: now + FRESH_MS });
    return fs;
  };
}
