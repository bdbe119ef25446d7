/** The handlers of a broken file that can be looked at further: what is wrong with them is told together with the rest. Never used to run one. */
import { isPlainObject } from "../call";
import { type HookEventName, hookEventNames } from "../hookRules/types";
import type { Looked } from "./allIssues";
import { type HandlerConfig, handlerSchema } from "./schemaHandlers";
import type { HooksConfig, RuleConfig } from "./schemaHooks";
import { nearest } from "./suggest";

/** Stands where nothing can be told of what is there, and keeps the places of the others. */
const UNKNOWN: HandlerConfig = { type: "deny" };

/** Without these, in whatever spelling, a handler is looked for elsewhere, and what is said of it may be wrong. */
const PLACES: readonly string[] = ["cwd", "env", "reaches"];

/** Places in lists are those of the file. */
export function soundHandlers({ rest, gone }: Pick<Looked, "rest" | "gone">): HooksConfig {
  const hooks = isPlainObject(rest) && isPlainObject(rest.hooks) ? rest.hooks : {};
  const lost = new Set(gone.filter(isPlace).map((path) => JSON.stringify(path.slice(0, 5))));
  const handlerOf = (one: unknown, path: readonly (string | number)[]): HandlerConfig => {
    const checked = handlerSchema.safeParse(one);
    return checked.success && !lost.has(JSON.stringify(path)) ? checked.data : UNKNOWN;
  };
  const rulesOf = (event: HookEventName): readonly RuleConfig[] =>
    listOf(hooks[event]).map((rule, index) => ({
      handlers: listOf(isPlainObject(rule) ? rule.handlers : undefined).map((one, place) =>
        handlerOf(one, ["hooks", event, index, "handlers", place]),
      ),
    }));
  // Every event has its list.
  return Object.fromEntries(hookEventNames.map((event) => [event, rulesOf(event)])) as HooksConfig;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `hooks.<event>.<n>.handlers.<n>.cwd`; of the environment all of it, or where programs are looked for. */
function isPlace([, , , , , key, inner]: readonly (string | number)[]): boolean {
  if (typeof key !== "string" || (key === "env" && inner !== undefined && !/^path$/iu.test(String(inner))))
    return false;
  return PLACES.includes(key) || nearest(key, PLACES) !== undefined;
}
