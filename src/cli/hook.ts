/** `countersign hook --agent NAME`: the hook client for agents that are set up to call the command line. Knows nothing of verdicts. */
import { homedir } from "node:os";
import { Readable } from "node:stream";
import { agentIds, isAgentId } from "../agents/agentDoor";
import { doorOf } from "../agents/agentDoors";
import { broken } from "../agents/denial";
import { type BrokerAnswer, type HookEvent, hookEvents, isHookEvent } from "../agents/hookRequest";
import { token } from "../agents/plugin/token";
import { messageOf } from "../core/errors";
import { answerText } from "../node/hookAnswerText";
import { type PayloadStream, runHookClient } from "../node/hookClient";
import { watchParent } from "../node/parentWatch";
import type { judgeAlone } from "./hookAlone";
import { didYouMean, readOptions } from "./options";

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
  --agent NAME    ${agentIds.join(", ")}
  --event EVENT   ${hookEvents.join(", ")}; default: as the call says
  --token         print the answer as the launcher reads it: "${token}", the exit code, the text
`;

const LINE = {
  name: "hook",
  usage: USAGE,
  texts: ["agent", "event"],
  flags: ["token"],
  words: Number.POSITIVE_INFINITY,
} as const;

/**
 * Arguments: `--agent NAME [--event pre|post|...]`. Resolves to the exit code: 0, or 2 for a deny to an agent that wants it so.
 * The caller ends the process with it: stdin may still be open.
 */
export async function runHook(argv: readonly string[], io: HookIo): Promise<number> {
  // Only alone: an agent would take the help that a mistaken set-up prints for "go on".
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")) {
    io.stdout.write(USAGE);
    return 0;
  }
  const hook = readArguments(argv);
  const answer =
    "why" in hook ? broken({ ...hook, event: "pre", reason: hook.why }) : await answerOf(hook, io);
  if (argv.includes("--token")) {
    io.stdout.write(answerText(answer));
    return 0;
  }
  if (answer.stdout !== "") io.stdout.write(answer.stdout);
  if (answer.stderr !== undefined) io.stderr.write(`${answer.stderr}\n${"why" in hook ? `\n${USAGE}` : ""}`);
  return answer.exitCode ?? 0;
}

interface HookArguments {
  readonly agent: string;
  readonly event: HookEvent | undefined;
}

async function answerOf({ agent, event }: HookArguments, io: HookIo): Promise<BrokerAnswer> {
  watchParent(undefined, () => process.exit(3));
  const home = io.home ?? homedir();
  try {
    return await runHookClient({
      agent,
      observer: `hook:${agent}`,
      event: event ?? ((payload) => eventOf(agent, payload)),
      stdin: "on" in io.stdin ? io.stdin : Readable.from(io.stdin),
      env: io.env,
      home,
      cwd: io.cwd,
      // The editor's own agent mode has a window, or something is wrong.
      ...(agent === "vscode" ? {} : { alone: (request) => alone(request, { home, env: io.env }) }),
    });
  } catch (error) {
    return broken({ agent, event: "pre", reason: messageOf(error) });
  }
}

/** Loaded only where it is needed: it brings the whole core. */
const alone: typeof judgeAlone = async (request, options) =>
  (await import("./hookAlone")).judgeAlone(request, options);

/** A name that the agent's door does not know counts as a call and is judged, or refused. */
function eventOf(agent: string, payload: Record<string, unknown>): HookEvent | undefined {
  const name = payload.hook_event_name ?? payload.hookName ?? payload.agent_action_name;
  const events = doorOf(agent)?.events ?? {};
  const event = typeof name === "string" && Object.hasOwn(events, name) ? events[name] : "pre";
  return event === "none" ? undefined : event;
}

/** Wrong arguments deny too, in the shape of the agent as far as one is named. */
function readArguments(argv: readonly string[]): HookArguments | { agent: string; why: string } {
  const asked = readOptions(argv, LINE);
  const wrong = (why: string) => ({ agent: agentIn(argv), why: `countersign hook: ${why}` });
  if (asked.kind === "help") return wrong("--help goes without other options");
  if (asked.kind === "wrong") return wrong(asked.why);
  const { agent, event } = asked.values;
  if (agent === undefined) return wrong("needs --agent NAME");
  if (!isAgentId(agent))
    return wrong(`this version cannot judge calls of ${agent}${didYouMean(agent, agentIds)}`);
  if (event === undefined || isHookEvent(event)) return { agent, event };
  return wrong(`there is no hook event ${event}${didYouMean(event, hookEvents)}`);
}

function agentIn(argv: readonly string[]): string {
  const joined = argv.find((argument) => argument.startsWith("--agent="));
  if (joined !== undefined) return joined.slice("--agent=".length);
  const at = argv.indexOf("--agent");
  return (at < 0 ? undefined : argv[at + 1]) ?? "";
}
