/** Tools behind a program's own hooks, which authorize a call before the rules of a run see it. Knows nothing of rules. */
import { isPlainObject } from "../core/call";
import { callShape } from "./hookRunArguments";
import { withLabels } from "./hookRunContext";
import { HookDenied, HookError } from "./hookRunErrors";
import type { Tool, ToolMap, Wrapped } from "./hookRunWrap";
import type { Hooks } from "./hooks";

export interface Secured {
  readonly hooks: Hooks;
  /** The tool without its hooks, on its own map. */
  readonly tool: Tool;
}

/** Survives two copies of this module: a secured tool must never be taken for a bare one. */
const SECURED = Symbol.for("countersign.secured");

/**
 * The same functions by the same names, each call governed by `hooks`: guards, consent, audit. A refused call rejects
 * with HookDenied. Wrapped by a run, a call is authorized first, then goes through the rules, and what they rewrite is
 * authorized again.
 */
export function secureTools<T extends ToolMap>(tools: T, hooks: Hooks): Wrapped<T> {
  if (!isPlainObject(tools)) throw new HookError("tools must be a plain object of functions by name");
  const entries = Object.keys(tools).map((toolName) => {
    const given: unknown = tools[toolName];
    if (typeof given !== "function") throw new HookError(`the tool \`${toolName}\` is no function`);
    const tool: Tool = (...args) => Reflect.apply(given, tools, args);
    const secured = (...args: unknown[]): Promise<unknown> => callSecured(toolName, args, { hooks, tool });
    const marks = { name: { value: toolName }, [SECURED]: { value: { hooks, tool } satisfies Secured } };
    return [toolName, Object.defineProperties(secured, marks)] as const;
  });
  const wrapped: unknown = Object.fromEntries(entries);
  return wrapped as Wrapped<T>;
}

/** Undefined for a tool that nobody secured. */
export function securedBy(tool: object): Secured | undefined {
  const mark: unknown = Reflect.get(tool, SECURED);
  // Only `secureTools` sets the mark.
  return mark === undefined ? undefined : (mark as Secured);
}

async function callSecured(
  toolName: string,
  args: readonly unknown[],
  { hooks, tool }: Secured,
): Promise<unknown> {
  const shape = callShape(args);
  const { outcome, result } = await hooks.govern(toolName, shape.input, (final) =>
    tool(...shape.spread(final)),
  );
  if (outcome.kind === "run") return withLabels(result, outcome.contexts);
  const { by, findings } = outcome;
  if (outcome.kind === "denied") throw new HookDenied(outcome.reason, { handler: by, findings });
  const reason = `not confirmed: ${outcome.prompt}`;
  throw new HookDenied(reason, { handler: by, findings, confirmArgs: outcome.confirm_args });
}
