/** The guards once more, on rewritten arguments. Knows nothing of who rewrote them. */
import type { ToolCall } from "./call";
import type { HookChain, Survey } from "./chain";
import type { HookContext } from "./hook";
import { copyArgs, stableText } from "./values";

/** After a rewrite the guards judge what will really run; their word replaces their earlier one. */
export async function recheck(
  call: ToolCall,
  ctx: HookContext,
  run: { readonly chain: HookChain; readonly first: Survey },
): Promise<Survey> {
  const { chain, first } = run;
  const args = copyArgs(first.args, { freeze: "yes" });
  // A judgement of its own: what was looked at before the rewrite may have changed since.
  const again = await chain.survey(
    { ...ctx, call: { ...call } },
    {
      toolName: call.toolName,
      args,
      onAsk: "collect",
      only: "guards",
      stage: "recheck",
    },
  );
  const guards = new Set(
    chain
      .hooks()
      .filter((hook) => hook.guard === true)
      .map((hook) => hook.name),
  );
  const changedAgain = again.rewritten && stableText(again.args) !== stableText(args);
  const deny =
    again.deny ??
    (changedAgain
      ? {
          reason: `guard broken: ${again.rewrittenBy ?? "a guard"} rewrites its own rewrite`,
          by: again.rewrittenBy ?? "security",
          broken: true,
        }
      : undefined);
  return {
    ...first,
    args,
    ...(deny === undefined ? {} : { deny }),
    asks: [...again.asks, ...first.asks.filter((ask) => !guards.has(ask.by))],
    contexts: [...first.contexts, ...again.contexts],
    findings: [...first.findings, ...again.findings],
    binding: { ...first.binding, ...again.binding },
    trail: [...first.trail, ...again.trail],
  };
}
