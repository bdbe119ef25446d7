/** A door before a real governor and chain; only the person is scripted. */
import { createHookDoor, type HookDoor, type HookDoorDeps, type HookSeen } from "../../src/agents/hookDoor";
import type { BrokerAnswer, HookEvent } from "../../src/agents/hookRequest";
import { Allow, AskUser, Deny, Rewrite } from "../../src/core/decision";
import type { Hook } from "../../src/core/hook";
import { quietLog, type Rig, rig, sha256 } from "../core/fixtures";

/** Judges by words in the command: what the door does with a verdict is tested, not the verdict. */
export const byWord: Hook = {
  name: "by_word",
  guard: true,
  preToolUse(_ctx, _tool, args) {
    const command = String(args.command ?? "");
    if (command.includes("THROW")) throw new Error("cannot think");
    if (command.includes("DENY")) return Deny("not here");
    if (command.includes("ASK"))
      return AskUser({ prompt: `Run ${command}?`, confirmArgs: { confirm_destructive: true } });
    if (command.includes("REWRITE")) return Rewrite({ ...args, command: command.replace("REWRITE", "SAFE") });
    return Allow();
  },
};

export interface DoorBench extends Rig {
  readonly door: HookDoor;
  readonly seen: HookSeen[];
  /** Sends one event as VS Code's local agent mode would. */
  send(event: HookEvent, more?: Partial<Sent>): Promise<BrokerAnswer>;
}

export interface Sent {
  readonly command: string;
  /** null = the host gives none. */
  readonly id: string | null;
  readonly session: string;
  readonly observer: string;
  readonly tool: string;
  readonly signal: AbortSignal;
  readonly host: "local" | "agentHost";
  readonly agentId: string;
  /** The agent's last words. */
  readonly says: string;
}

const names: Readonly<Record<HookEvent, string>> = {
  pre: "PreToolUse",
  post: "PostToolUse",
  "session-start": "SessionStart",
  "subagent-start": "SubagentStart",
  "subagent-stop": "SubagentStop",
  stop: "Stop",
};

function localPayload(event: HookEvent, sent: Partial<Sent>): unknown {
  const { command = "ls", id = "id-1", session = "s", tool = "run_in_terminal", agentId, says } = sent;
  return {
    hook_event_name: names[event],
    session_id: session,
    cwd: "/ws",
    tool_name: tool,
    tool_input: { command },
    ...(id === null ? {} : { tool_use_id: id }),
    ...(event === "post" ? { tool_response: "done" } : {}),
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...(says === undefined ? {} : { last_assistant_message: says }),
  };
}

function agentHostPayload(sent: Partial<Sent>): unknown {
  const { command = "ls", session = "s", tool = "run_in_terminal" } = sent;
  return { sessionId: session, workingDirectory: "/ws", toolName: tool, toolArgs: { command }, timestamp: 1 };
}

export function doorBench(
  options: Parameters<typeof rig>[0] = {},
  deps: Partial<HookDoorDeps> = {},
): DoorBench {
  const bench = rig({ hooks: [byWord], ...options });
  const seen: HookSeen[] = [];
  let ids = 0;
  const door = createHookDoor({
    governor: bench.governor,
    isOwnTool: (tool) => /^(db|kb)_/.test(tool),
    canonicalName: (tool) => (tool === "run_in_terminal" ? "Bash" : tool),
    profile: () => "default",
    hash: sha256,
    clock: bench.clock,
    ids: (prefix) => {
      ids += 1;
      return `${prefix}-${ids}`;
    },
    log: quietLog,
    onSeen: (event) => seen.push(event),
    ...deps,
  });
  const never = new AbortController().signal;
  return {
    ...bench,
    door,
    seen,
    send(event, sent = {}) {
      const payload = JSON.stringify(
        sent.host === "agentHost" ? agentHostPayload(sent) : localPayload(event, sent),
      );
      const { observer = "plugin", signal = never } = sent;
      return door({ event, agent: "vscode", observer, payload, cwd: "/ws" }, { signal });
    },
  };
}

export function decisionOf(answer: BrokerAnswer): string {
  if (answer.stdout === "") return "none";
  const value = JSON.parse(answer.stdout);
  return (value.hookSpecificOutput ?? value).permissionDecision ?? "none";
}
