/** What a hook client and the broker say to each other, as plain data. Knows nothing of sockets. */

/** `pre` is the only event whose answer matters; for all others a failure changes nothing. */
export const hookEvents = [
  "pre",
  "post",
  "session-start",
  "subagent-start",
  "subagent-stop",
  "stop",
] as const;
export type HookEvent = (typeof hookEvents)[number];

export function isHookEvent(value: unknown): value is HookEvent {
  return hookEvents.some((event) => event === value);
}

export interface BrokerRequest {
  readonly event: HookEvent;
  /** The program whose hook runs: "vscode", ... */
  readonly agent: string;
  /** Which installation of ours saw the call: "plugin", "hook:claude", ... */
  readonly observer: string;
  /** The hook's stdin, byte for byte as text. */
  readonly payload: string;
  /** Working directory of the hook process; the payload's own cwd counts first. */
  readonly cwd: string;
}

/** What the client prints and how it ends. */
export interface BrokerAnswer {
  readonly stdout: string;
  readonly stderr?: string;
  readonly exitCode?: 0 | 2;
}

/** The broker's reply: an answer, or the reason why there is none (the client then denies in its agent's shape). */
export type BrokerReply =
  | { readonly kind: "answer"; readonly answer: BrokerAnswer }
  | { readonly kind: "broken"; readonly reason: string };
