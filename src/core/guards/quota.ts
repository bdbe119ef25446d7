/** The quota guard: at most so many calls per profile and period. Knows nothing of what the calls do. */
import type { Clock } from "../../ports";
import { Allow, Deny } from "../decision";
import type { Hook } from "../hook";

const PERIOD_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** When which calls of a profile were made, in milliseconds since 1970 by call id. */
export type QuotaCalls = Map<string, Map<string, number>>;

export interface QuotaOptions {
  /** At least 1. */
  readonly calls: number;
  readonly per: keyof typeof PERIOD_MS;
  readonly clock: Clock;
  /** Kept by whoever builds chains anew, so that a changed configuration does not begin the count again. */
  readonly seen?: QuotaCalls;
}

/** A sliding window per profile; the same call judged again (after a click) counts once. */
export function quota(options: QuotaOptions): Hook {
  if (!Number.isSafeInteger(options.calls) || options.calls < 1) {
    throw new RangeError(`quota.calls must be a whole number of at least 1, not ${options.calls}`);
  }
  const window = PERIOD_MS[options.per];
  const seen: QuotaCalls = options.seen ?? new Map();
  return {
    name: "quota",
    guard: true,
    preToolUse(ctx) {
      const now = options.clock.now();
      const calls = seen.get(ctx.profile) ?? new Map<string, number>();
      seen.set(ctx.profile, calls);
      for (const [id, at] of calls) if (at <= now - window) calls.delete(id);
      if (calls.has(ctx.call.callId)) return Allow();
      if (calls.size >= options.calls) {
        return Deny(
          `quota reached: ${options.calls} calls per ${options.per} for profile "${ctx.profile}". Wait, then try again.`,
        );
      }
      calls.set(ctx.call.callId, now);
      return Allow();
    },
  };
}
