/** `countersign hook --agent NAME`: the hook client for agents that are set up to call the command line. Knows nothing of verdicts. */
import { homedir } from "node:os";
import { Readable } from "node:stream";
import { broken } from "../agents/denial";
import { type BrokerAnswer, type HookEvent, hookEvents, isHookEvent } from "../agents/hookRequest";
import { type PayloadStream, runHookClient } from "../node/hookClient";
import { watchParent } from "../node/parentWatch";
import { answerUsage, didYouMean, readOptions } from "./options";

export interface HookIo {
  readonly stdin: PayloadStream | AsyncIterable<Uint8Array>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Default: the user's home folder. */
  readonly home?: string;
}

const USAGE = `usage: countersign hook --agent NAME [--event EVENT]

Answers one hook call of an agent; the call comes on standard input as the agent sends it.
  --agent NAME    vscode or claude
  --event EVENT   ${hookEvents.join(", ")}; default: as the call says
`;

const LINE = { name: "hook", usage: USAGE, texts: ["agent", "event"], words: Infinity } as const;

/** Agents whose payloads the broker reads. */
const supported: readonly string[] = ["vscode", "claude"];

const events: Readonly<Record<string, HookEvent>> = {
  PreToolUse: "pre",
  PostToolUse: "post",
  SessionStart: "session-start",
  SubagentStart: "subagent-start",
  SubagentStop: "subagent-stop",
  Stop: "stop",
};

/** Events that carry no call. A name that is not known here counts as a call and is judged, or refused. */
const noCall = new Set(["UserPromptSubmit", "SessionEnd", "PreCompact", "PostCompact", "Notification"]);

/**
 * Arguments: `--agent NAME [--event pre|post|...]`. Resolves to the exit code: 0, or 2 for a deny to an agent that wants it so.
 * The caller ends the process with it: stdin may still be open.
 */
export async function runHook(argv: readonly string[], io: HookIo): Promise<number> {
  const { agent, event } = readArguments(argv);
  const answer = await answerOf({ agent, event }, io);
  if (answer.stdout !== "") io.stdout.write(answer.stdout);
  if (answer.stderr !== undefined) io.stderr.write(`${answer.stderr}\n`);
  return answer.exitCode ?? 0;
}

async function answerOf(
  hook: { agent: string; event: string | undefined },
  io: HookIo,
): Promise<BrokerAnswer> {
  const { agent, event } = hook;
  const refuse = (reason: string): BrokerAnswer => broken({ agent, event: "pre", reason });
  if (agent === "") return refuse("countersign hook needs --agent NAME");
  if (!supported.includes(agent)) return refuse(`this version cannot judge calls of ${agent}`);
  if (event !== undefined && !isHookEvent(event)) return refuse(`there is no hook event ${event}`);
  watchParent(undefined, () => process.exit(3));
  try {
    return await runHookClient({
      agent,
      observer: `hook:${agent}`,
      event: event ?? eventOf,
      stdin: "on" in io.stdin ? io.stdin : Readable.from(io.stdin),
      env: io.env,
      home: io.home ?? homedir(),
      cwd: io.cwd,
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function eventOf(payload: Record<string, unknown>): HookEvent | undefined {
  const name = payload.hook_event_name;
  if (typeof name !== "string") return "pre";
  return noCall.has(name) ? undefined : (events[name] ?? "pre");
}

function readArguments(argv: readonly string[]): { agent: string; event: string | undefined } {
  const given = (flag: string): string | undefined => {
    const at = argv.indexOf(flag);
    const joined = argv.find((argument) => argument.startsWith(`${flag}=`));
    return joined === undefined ? (at < 0 ? undefined : argv[at + 1]) : joined.slice(flag.length + 1);
  };
  return { agent: given("--agent") ?? "", event: given("--event") };
}
