/** What a program of ours may add to a tool's result once the tool has run: the words of rules, where the host takes them. Knows no rule. */
import type { Clock } from "../ports";
import type { HookHost } from "./agentDoor";

/** Rules may take long; the hook itself is ended by its host after 30 seconds, and the tool's result waits for it. */
const TELL_MS = 20_000;

export interface Telling {
  /** False once nobody listens any more. */
  readonly tell: (contexts: readonly string[]) => boolean;
  /** Resolves with what was told; with nothing after a while, or when the host has gone. Never rejects. */
  readonly told: Promise<readonly string[]>;
}

/** The Agent Host drops what a hook says after a tool. */
export function createTelling(
  host: HookHost,
  how: { readonly clock: Clock; readonly signal: AbortSignal },
): Telling {
  const { clock, signal } = how;
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  let open = host === "local" && !signal.aborted;
  const close = (contexts: readonly string[]): void => {
    open = false;
    timer.cancel();
    signal.removeEventListener("abort", gone);
    resolve(contexts);
  };
  const gone = (): void => close([]);
  const timer = clock.timer(TELL_MS);
  signal.addEventListener("abort", gone, { once: true });
  void timer.done.then(gone);
  if (!open) gone();
  return {
    told: promise,
    tell(contexts) {
      if (!open) return false;
      close(contexts);
      return true;
    },
  };
}

/** The answer to a PostToolUse hook: appended to the tool's result, which no hook of this host can change. */
export function writeContexts(contexts: readonly string[]): string {
  if (contexts.length === 0) return "";
  const additionalContext = contexts.join("\n");
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext } });
}
