/** One tool call of a run: a governed call with the run's rules, in the words of a run. Knows the engine only through the run. */

import type { Args, ToolCall } from "../core/call";
import { CountersignError, messageOf } from "../core/errors";
import type { Governed } from "../core/govern";
import type { Outcome } from "../core/hook";
import { labelled } from "../core/hookRules/ruleRun";
import { rethrown } from "../core/hookRules/thrown";
import { copyArgs } from "../core/values";
import { type CallShape, callShape } from "./hookRunArguments";
import { withLabels } from "./hookRunContext";
import { detached } from "./hookRunCopy";
import { HookDenied, HookError } from "./hookRunErrors";
import type { RunCore, WatchedRules } from "./hookRunFire";
import type { Governing } from "./hookRunGovernor";

export interface ToolRun {
  readonly toolName: string;
  readonly vendor?: string | undefined;
  readonly args: readonly unknown[];
  /** The tool itself, sync or async. */
  run(args: readonly unknown[]): unknown;
  /** For a tool that is governed by itself: by what, and the tool without it. */
  readonly secured?: Pick<ToolRun, "run"> & { readonly governing: Governing };
}

/** Resolves to what the agent may see, also where a policy denied and gave what stands in for the result. Rejects with HookDenied, HookError, or the tool's own exception. */
export async function callTool(core: RunCore, tool: ToolRun): Promise<unknown> {
  // Before anything is waited for: the caller may change what it handed in.
  const shape = callShape(tool.args);
  const input = ownCopy(shape.input);
  return core.during(() => governed(core, { tool, shape, input }));
}

/** What is judged is what runs, whatever the caller does to theirs in the meantime. */
function ownCopy(input: Args): Args {
  try {
    return copyArgs(input, { freeze: "yes" });
  } catch (error) {
    throw new HookError(`the arguments cannot be read: ${messageOf(error)}`);
  }
}

interface Called {
  readonly tool: ToolRun;
  readonly shape: CallShape;
  readonly input: Args;
}

async function governed(core: RunCore, { tool, shape, input }: Called): Promise<unknown> {
  core.meters.count("calls");
  const rules = core.watched();
  // One governor where it can be one. Guards of the run's own file stand outside those of the tool: both must agree.
  const { governing, run: runTool } =
    tool.secured === undefined || core.guarded()
      ? { governing: core.governing(), run: tool.run }
      : tool.secured;
  const call = governing.call(tool.toolName, input, moreOf(core, tool));
  const run = (args: Args): unknown => runTool(finalArgs(core, shape, { call, args }));
  const ended = await attempt(() => governing.governing(rules).govern(call, run));
  if (!ended.ok) {
    const text = [messageOf(ended.thrown), ...rules.contexts().map(labelled)].join("\n\n");
    if (ended.thrown instanceof HookDenied) {
      core.meters.denied({ event: "pre_tool_call", tool_name: call.toolName }, ended.thrown);
    }
    throw ended.thrown instanceof CountersignError ? ended.thrown : rethrown(ended.thrown, text);
  }
  const { outcome, result } = ended.value;
  if (outcome.kind === "run") return withLabels(result, outcome.contexts);
  const refused = refusal(core, call, { outcome, rules });
  // What a policy puts in the place of the result the agent gets as one; the run and its record know better.
  if (outcome.kind === "denied" && outcome.syntheticOutput !== undefined)
    return withLabels(outcome.syntheticOutput, outcome.contexts);
  throw refused;
}

function moreOf(core: RunCore, { vendor }: ToolRun): Partial<ToolCall> {
  const { run_id, session_id, agent, cwd } = core.base(undefined);
  return {
    runId: run_id,
    sessionId: session_id ?? run_id,
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(vendor === undefined ? {} : { vendor }),
  };
}

type Ended =
  | { readonly ok: true; readonly value: Governed<unknown> }
  | { readonly ok: false; readonly thrown: unknown };

async function attempt(work: () => Promise<Governed<unknown>>): Promise<Ended> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    return { ok: false, thrown };
  }
}

function finalArgs(
  core: RunCore,
  shape: CallShape,
  final: { readonly call: ToolCall; readonly args: Args },
): readonly unknown[] {
  try {
    return shape.spread(detached(final.args));
  } catch (error) {
    const at = { event: "pre_tool_call", tool_name: final.call.toolName } as const;
    core.meters.failed(at, { handler: "", message: messageOf(error) });
    throw error;
  }
}

function refusal(
  core: RunCore,
  call: ToolCall,
  what: { readonly outcome: Exclude<Outcome, { kind: "run" }>; readonly rules: WatchedRules },
): HookDenied | HookError {
  const { outcome, rules } = what;
  const denial = rules.denial();
  const at = { event: denial?.event ?? "pre_tool_call", tool_name: call.toolName } as const;
  const { by, findings } = outcome;
  if (outcome.kind === "asks_user") {
    core.meters.count("asks");
    const refused = { reason: `not confirmed: ${outcome.prompt}`, handler: by, findings };
    core.meters.denied(at, refused);
    return new HookDenied(refused.reason, { ...refused, confirmArgs: outcome.confirm_args });
  }
  // A rule's denial is told by its handler; a guard's own word stands where it spoke first.
  const own = denial !== undefined && denial.by === by ? denial : undefined;
  const handler = own?.handler ?? by;
  // The engine has it among its errors already.
  if (own?.raised === true) return new HookError(outcome.reason, { handler });
  const refused = { reason: outcome.reason, handler, findings };
  core.meters.denied(at, refused);
  return new HookDenied(refused.reason, refused);
}
