/** Functions by name, each behind the rules of a run. Knows nothing of what they do. */
import { isPlainObject } from "../core/call";
import { callTool, type ToolRun } from "./hookRunCall";
import { HookError } from "./hookRunErrors";
import type { RunCore } from "./hookRunFire";
import { securedBy } from "./hookRunSecure";

// biome-ignore lint/suspicious/noExplicitAny: any function is a tool, whatever it takes.
export type Tool = (...args: any[]) => unknown;
export type ToolMap = Readonly<Record<string, Tool>>;

/** The same names; every function resolves to what the agent may see. */
export type Wrapped<T extends ToolMap> = {
  readonly [K in keyof T]: (...args: Parameters<T[K]>) => Promise<Awaited<ReturnType<T[K]>>>;
};

/** Throws a HookError where something in the map is no function: it would run past the rules, or not at all. */
export function wrapTools<T extends ToolMap>(
  core: RunCore,
  tools: T,
  options: { readonly vendor?: string | undefined },
): Wrapped<T> {
  if (!isPlainObject(tools)) throw new HookError("tools must be a plain object of functions by name");
  const entries = Object.keys(tools).map((toolName) => {
    const tool: Tool | undefined = tools[toolName];
    if (typeof tool !== "function") throw new HookError(`the tool \`${toolName}\` is no function`);
    const how = { toolName, vendor: options.vendor, run: applied(tool, tools), ...securedRun(tool) };
    const wrapped = (...args: unknown[]): Promise<unknown> => callTool(core, { ...how, args });
    return [toolName, Object.defineProperty(wrapped, "name", { value: toolName })] as const;
  });
  // Same names, same parameters; what rules do to a result no type can tell.
  const wrapped: unknown = Object.fromEntries(entries);
  return wrapped as Wrapped<T>;
}

const applied = (tool: Tool, own: ToolMap) => (args: readonly unknown[]) => Reflect.apply(tool, own, args);

function securedRun(tool: Tool): Pick<ToolRun, "secured"> {
  const secured = securedBy(tool);
  if (secured === undefined) return {};
  return { secured: { governing: secured.hooks, run: (args) => secured.tool(...args) } };
}
