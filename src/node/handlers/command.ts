/** Runs one command for one event: the event on standard input, the answer by exit status and output. Knows nothing of rules or configuration. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { messageOf } from "../../core/errors";
import type { HandlerAnswer, HookEvent } from "../../core/hookRules/types";
import { decodeAnswer, failed, MAX_ANSWER, readAnswerText } from "./answerText";
import { type BoundedBytes, boundedBytes } from "./boundedBytes";
import { eventText } from "./eventText";
import { endGroup, endLeftovers, endTree, MARK } from "./processTree";
import { watchTree } from "./treeWatch";

export interface CommandPlan {
  readonly name: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** On Windows the shell reads its text itself. */
  readonly verbatim?: "yes" | "no";
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Bytes of standard error that are kept; a reason is a sentence. */
const MAX_ERRORS = 65_536;
const MAX_REASON = 4000;
/** Milliseconds that output may still come after the exit, from children that hold it open. */
const LINGER = 200;

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The whole tree is ended when `signal` aborts, and whatever the command left behind when it is done. Never rejects. */
export async function runCommand(
  plan: CommandPlan,
  event: HookEvent,
  signal: AbortSignal,
): Promise<HandlerAnswer> {
  const text = eventText(event);
  if (!text.ok) return { kind: "broken", why: text.why };
  if (signal.aborted) return failed("it was not started: nobody waits for it any more");
  const mark = randomBytes(12).toString("hex");
  let child: ChildProcess;
  try {
    child = start(plan, mark);
  } catch (error) {
    return failed(`it cannot be started: ${messageOf(error)}`);
  }
  const stdout = boundedBytes(MAX_ANSWER);
  const stderr = boundedBytes(MAX_ERRORS);
  const { pid } = child;
  const watch = pid === undefined ? undefined : watchTree(pid);
  const ending = await follow(child, { text: text.text, stdout, stderr, signal });
  watch?.stop();
  if (pid !== undefined && watch !== undefined) {
    const tree = { pid, mark, known: watch.known };
    if (typeof ending === "string") await endTree(tree);
    else void endLeftovers(tree);
  }
  return typeof ending === "string" ? failed(ending) : answerOf(plan, ending, { stdout, stderr });
}

function start(plan: CommandPlan, mark: string): ChildProcess {
  return spawn(plan.program, [...plan.args], {
    cwd: plan.cwd,
    env: { ...plan.env, [MARK]: mark },
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own, so that it can be ended as one.
    detached: process.platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: plan.verbatim === "yes",
    shell: false,
  });
}

interface Streams {
  readonly text: string;
  readonly stdout: BoundedBytes;
  readonly stderr: BoundedBytes;
  readonly signal: AbortSignal;
}

/** How it ended, or why it was ended. */
function follow(child: ChildProcess, { text, stdout, stderr, signal }: Streams): Promise<Ending | string> {
  return new Promise((resolve) => {
    let linger: NodeJS.Timeout | undefined;
    const settle = (ending: Ending | string) => {
      clearTimeout(linger);
      signal.removeEventListener("abort", onAbort);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      resolve(ending);
    };
    const onAbort = () => settle(abortText(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    child.on("error", (error) => settle(`it cannot be started: ${messageOf(error)}`));
    child.on("exit", (code, name) => {
      if (child.pid !== undefined) endGroup(child.pid);
      linger = setTimeout(() => settle({ code, signal: name }), LINGER);
    });
    child.on("close", (code, name) => settle({ code, signal: name }));
    child.stdout?.on("data", (chunk: Uint8Array) => {
      stdout.add(chunk);
      if (stdout.over) settle(`it printed more than ${MAX_ANSWER / 1_048_576} MiB`);
    });
    child.stderr?.on("data", (chunk: Uint8Array) => stderr.add(chunk));
    // A command may answer without reading its input.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => undefined);
    child.stdin?.end(text);
  });
}

/** Why waiting ended, in words that fit behind the handler's name. */
export function abortText(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  const isTimeout = reason instanceof Error && reason.name === "TimeoutError";
  return isTimeout ? "it did not answer in time and was ended" : "it was ended before it answered";
}

function answerOf(
  plan: CommandPlan,
  { code, signal }: Ending,
  { stdout, stderr }: { readonly stdout: BoundedBytes; readonly stderr: BoundedBytes },
): HandlerAnswer {
  const errors = new TextDecoder().decode(stderr.bytes()).trim();
  if (code === 2) {
    const reason = errors === "" ? `denied by hook ${plan.name}` : errors.slice(0, MAX_REASON);
    return { kind: "deny", reason };
  }
  if (code !== 0) {
    const how = signal === null ? `exit status ${code}` : `ended by ${signal}`;
    return failed(errors === "" ? how : `${how}: ${errors.slice(0, 400)}`);
  }
  const text = decodeAnswer(stdout.bytes());
  return text === undefined ? failed("it printed what is no UTF-8") : readAnswerText(text);
}
