/**
 * What every outside agent looks like to us: how its hook's payload becomes a call, and how an outcome becomes an answer it obeys.
 * Pure; knows nothing of verdicts beyond their kind, nor of how the hook is installed.
 */
import type { Args } from "../core/call";
import type { Outcome } from "../core/hook";
import type { BrokerAnswer, HookEvent } from "./hookRequest";

export const agentIds = [
  "vscode",
  "claude",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "qwen",
  "cursor",
  "cline",
  "windsurf",
] as const;
export type AgentId = (typeof agentIds)[number];

export function isAgentId(value: unknown): value is AgentId {
  return agentIds.some((id) => id === value);
}

/** Which of an agent's harnesses speaks: VS Code has two with forms of their own. */
export type HookHost = "local" | "agentHost" | "cli";

interface Base {
  readonly host: HookHost;
  /** Whose session it is; some programs load hooks that were made for another. */
  readonly agent: AgentId;
  readonly sessionId: string;
  /** Absolute; absent when the host names none. */
  readonly cwd?: string;
  readonly agentId?: string;
}

export interface CallPayload extends Base {
  readonly kind: "pre" | "post";
  /** The host's own id of this call; not every host has one. */
  readonly toolUseId?: string;
  readonly toolName: string;
  readonly input: Args;
  /** Set where the host sent the arguments as one text: they can then not be rewritten. */
  readonly rawInput?: true;
  /** What the tool gave back, in whatever form the host reports it; only with "post". */
  readonly response?: unknown;
  /** Why the tool failed, where the host says so; only with "post". */
  readonly error?: string;
}

export interface NoticePayload extends Base {
  readonly kind: "notice";
  /** The agent's last words, where its program tells them; only with "stop". */
  readonly finalText?: string;
}

export type HookPayload = CallPayload | NoticePayload;

export type ReadPayload =
  | { readonly ok: true; readonly value: HookPayload }
  | { readonly ok: false; readonly reason: string };

/** What the program can be told, as seen by running it; "read" = only documents say so. */
export interface Capabilities {
  readonly basis: "run" | "read";
  /** Rewritten arguments; without it a rewrite is a denial that names the arguments to use. */
  readonly rewrite: boolean;
  /** Text for the model beside a call that runs. */
  readonly context: boolean;
  /** After a person's click the program can be told not to ask again. */
  readonly allow: boolean;
  /** Calls of a subagent carry its id; elsewhere only its start and end are told. */
  readonly namesSubagents?: true;
  /** What is typed into a program that already runs comes to no hook. */
  readonly unseenInput?: true;
}

export interface AgentDoor {
  readonly id: AgentId;
  /** The program's name for people. */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** The program's own names of events; "none" = carries no call and no news. A name that is not here counts as a call. */
  readonly events: Readonly<Record<string, HookEvent | "none">>;
  /** Reads one hook's stdin. Anything that is not exactly of the agent's form is refused, never guessed at. */
  readonly readPayload: (event: HookEvent, text: string) => ReadPayload;
  /** The answer to a `pre` event. */
  readonly writeOutcome: (payload: CallPayload, outcome: Outcome) => BrokerAnswer;
  readonly writeDeny: (payload: Pick<CallPayload, "host">, reason: string) => BrokerAnswer;
}
