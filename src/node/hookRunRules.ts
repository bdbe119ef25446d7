/// <reference lib="esnext.disposable" preserve="true" />
/** The rules of a run in their order: those of code and those of the file. Runs none. */
import { isPlainObject } from "../core/call";
import { formatProblem } from "../core/errors";
import { type CompiledRules, compileRules } from "../core/hookRules/fires";
import {
  type ArgFilter,
  type Handler,
  type HookEventName,
  hookEventNames,
  type Rule,
} from "../core/hookRules/types";
import { HookError } from "./hookRunErrors";
import { functionHandler, isHandler, type OnHandler } from "./hookRunHandlers";

export interface RuleOptions {
  readonly matcher?: string;
  readonly vendor?: string;
  readonly arg?: ArgFilter;
  readonly name?: string;
  /** Ahead of the file's rules. */
  readonly before?: boolean;
}

/** Takes the rule away again, by `dispose()` or by `using`. */
export interface AddedRule extends Disposable {
  dispose(): void;
}

export interface RuleList {
  /** Handlers, and at the end the rule's filters. Throws a HookError for what is no rule. */
  add(event: HookEventName, rest: readonly (OnHandler | RuleOptions)[]): AddedRule;
  setFile(rules: readonly Rule[]): void;
  compiled(): CompiledRules;
  /** Milliseconds in which any queue of async handlers has had its time. */
  longestMs(): number;
}

const OPTIONS: readonly string[] = ["matcher", "vendor", "arg", "name", "before"];

export function createRuleList(): RuleList {
  let file: readonly Rule[] = [];
  let own: readonly Rule[] = [];
  let compiled: CompiledRules | undefined;
  const change = (next: { file?: readonly Rule[]; own?: readonly Rule[] }): void => {
    file = next.file ?? file;
    own = next.own ?? own;
    compiled = undefined;
  };
  const all = (): readonly Rule[] => [
    ...own.filter(({ before }) => before),
    ...file,
    ...own.filter(({ before }) => !before),
  ];
  return {
    add(event, rest) {
      const rule = ruleOf(event, rest, own);
      compileOrThrow([rule]);
      change({ own: [...own, rule] });
      const dispose = (): void => change({ own: own.filter((one) => one !== rule) });
      return { dispose, [Symbol.dispose]: dispose };
    },
    setFile: (rules) => change({ file: rules }),
    compiled() {
      compiled ??= compileOrThrow(all());
      return compiled;
    },
    longestMs: () => longest(all()),
  };
}

function longest(rules: readonly Rule[]): number {
  const each = rules.flatMap(({ handlers }) => handlers.map(({ timeoutMs = 30_000 }) => timeoutMs));
  return Math.max(0, ...each) + 1000;
}

function compileOrThrow(rules: readonly Rule[]): CompiledRules {
  const made = compileRules(rules);
  if (made.ok) return made.value;
  throw new HookError(made.problems.map(formatProblem).join("\n"));
}

function ruleOf(
  event: HookEventName,
  rest: readonly (OnHandler | RuleOptions)[],
  own: readonly Rule[],
): Rule {
  if (!hookEventNames.includes(event)) {
    throw new HookError(`there is no event "${String(event)}"; there are: ${hookEventNames.join(", ")}`);
  }
  const last = rest.at(-1);
  const options = last === undefined || isOnHandler(last) ? {} : checkedOptions(last);
  const given = options === last ? rest.slice(0, -1) : rest;
  if (given.length === 0) throw new HookError(`on("${event}") needs a handler`);
  const name = unused(options.name ?? defaultName(event, given, own.length), own);
  const { matcher, vendor, arg } = options;
  return {
    name,
    event,
    before: options.before ?? false,
    handlers: given.map((one, place) => handlerOf(one, { rule: name, place, alone: given.length === 1 })),
    ...(matcher === undefined ? {} : { matcher }),
    ...(vendor === undefined ? {} : { vendor }),
    ...(arg === undefined ? {} : { arg }),
  };
}

const isOnHandler = (value: unknown): value is OnHandler => typeof value === "function" || isHandler(value);

function checkedOptions(options: unknown): RuleOptions {
  if (!isPlainObject(options)) throw new HookError("a handler is a function or a built-in handler");
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) {
    throw new HookError(`a rule has no filter "${unknown}"; it has: ${OPTIONS.join(", ")}`);
  }
  const { matcher, vendor, name, before, arg } = options;
  for (const [key, value] of Object.entries({ matcher, vendor, name })) {
    if (value !== undefined && typeof value !== "string") throw new HookError(`${key} must be text`);
  }
  if (before !== undefined && typeof before !== "boolean")
    throw new HookError("before must be true or false");
  if (!isArgFilter(arg)) throw new HookError("arg must be a name, or an object of patterns by path");
  return options;
}

const isArgFilter = (arg: unknown): boolean =>
  arg === undefined ||
  typeof arg === "string" ||
  (isPlainObject(arg) && Object.values(arg).every((pattern) => typeof pattern === "string"));

/** Rules are told apart by their names. */
function unused(name: string, own: readonly Rule[]): string {
  const taken = new Set(own.map((rule) => rule.name));
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? name : `${name} (${n})`;
    if (!taken.has(candidate)) return candidate;
  }
}

function defaultName(event: HookEventName, given: readonly unknown[], index: number): string {
  const [only] = given;
  if (given.length === 1 && typeof only === "function" && only.name !== "") return only.name;
  return `on ${event}[${index}]`;
}

function handlerOf(
  given: unknown,
  where: { readonly rule: string; readonly place: number; readonly alone: boolean },
): Handler {
  const fallback = where.alone ? where.rule : `${where.rule}[${where.place}]`;
  if (isHandler(given)) return given.name === "" ? renamed(given, fallback) : given;
  if (typeof given !== "function") throw new HookError("the rule's filters come last, after its handlers");
  return functionHandler(
    where.alone ? where.rule : given.name || fallback,
    given as Parameters<typeof functionHandler>[1],
  );
}

/** `run` stays a method of what was given, which may be an instance of a class. */
function renamed(given: Handler, name: string): Handler {
  const { kind, async, timeoutMs, onError } = given;
  return {
    name,
    kind,
    run: (event, signal) => given.run(event, signal),
    ...(async === undefined ? {} : { async }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onError === undefined ? {} : { onError }),
  };
}
