/** Which rules an event meets: filters compiled once, answers for names kept. Runs no handler. */
import type { Problem, Result } from "../errors";
import { serverToolNames } from "../mcpNames";
import { rightArgPath } from "../rules/argPath";
import { textsAt } from "./argTexts";
import { compileNamePattern } from "./namePattern";
import { compilePattern, type Pattern, type PatternMistake } from "./pattern";
import { type Budget, type Fit, fitsWhole, foundIn, searched, spent } from "./patternSearch";
import { type ArgFilter, type HookEvent, type HookEventName, hookEventNames, type Rule } from "./types";

export interface CompiledRules {
  /** In the order in which they run: those with `before` first. */
  readonly rules: readonly Rule[];
  /** The rules of that event in their order, each to be asked about the event as it is by then. */
  of(event: HookEventName): readonly Candidate[];
  /** False = no rule can ever match this event. */
  has(event: HookEventName): boolean;
}

export interface Candidate {
  readonly rule: Rule;
  /** Whether all its filters hold. "unsearched" = its patterns would take longer than a call may: nobody knows. */
  fits(event: HookEvent, budget: Budget): Fit;
}

interface Compiled {
  readonly rule: Rule;
  readonly name: Pattern | undefined;
  readonly vendor: Pattern | undefined;
  readonly args: readonly ArgTest[];
}

interface ArgTest {
  readonly path: string;
  readonly pattern: Pattern | undefined;
}

/** Names are few; what somebody makes up must not fill the memory. */
const MAX_NAMES = 1000;
const MAX_NAME_LENGTH = 512;

/** Problems name the rule, and are of a program's rules only: those of a file were checked where it was read. */
export function compileRules(rules: readonly Rule[]): Result<CompiledRules> {
  const ordered = [...rules.filter((rule) => rule.before), ...rules.filter((rule) => !rule.before)];
  const problems: Problem[] = [];
  const byEvent = new Map<HookEventName, Compiled[]>(hookEventNames.map((name) => [name, []]));
  for (const rule of ordered) {
    const compiled = compileRule(rule, problems);
    byEvent.get(rule.event)?.push(compiled);
  }
  if (problems.length > 0) return { ok: false, problems };
  const candidates = new Map(hookEventNames.map((name) => [name, candidatesOf(byEvent.get(name) ?? [])]));
  return {
    ok: true,
    value: {
      rules: ordered,
      has: (event) => (byEvent.get(event)?.length ?? 0) > 0,
      of: (event) => candidates.get(event) ?? [],
    },
  };
}

function compileRule(rule: Rule, problems: Problem[]): Compiled {
  const say = (
    key: string,
    { message, suggestion }: Pick<PatternMistake, "message" | "suggestion">,
  ): void => {
    problems.push({
      code: "config.type",
      file: rule.name,
      line: 1,
      column: 1,
      message: `${key} ${message}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  };
  const read = (
    source: string | undefined,
    key: string,
    compile = compileNamePattern,
  ): Pattern | undefined => {
    if (source === undefined || source === "" || source === "*") return undefined;
    const compiled = compile(source);
    if (compiled.ok) return compiled.pattern;
    say(key, compiled.mistake);
    return undefined;
  };
  for (const { path } of argTests(rule.arg)) {
    const right = rightArgPath(path);
    if (right !== undefined)
      say("arg", { message: `\`${path}\` is no path of an argument`, suggestion: `write \`${right}\`` });
  }
  return {
    rule,
    name: read(rule.matcher, "matcher"),
    vendor: read(rule.vendor, "vendor"),
    args: argTests(rule.arg).map(({ path, source }) => ({
      path,
      pattern: read(source, `arg.${path}`, compilePattern),
    })),
  };
}

function argTests(arg: ArgFilter | undefined): readonly { path: string; source: string | undefined }[] {
  if (arg === undefined) return [];
  if (typeof arg === "string") return [{ path: arg, source: undefined }];
  return Object.entries(arg).map(([path, source]) => ({ path, source }));
}

function candidatesOf(rules: readonly Compiled[]): readonly Candidate[] {
  const named = nameFilter(rules);
  return rules.map((one) => ({
    rule: one.rule,
    fits(event, budget) {
      const fitting = named(event, budget);
      if (fitting === undefined) return "unsearched";
      return fitting.has(one) && vendorFits(one, event) ? argsFit(one, event, budget) : "no";
    },
  }));
}

/** The rules whose matcher holds for the event's names; asked once per name. */
function nameFilter(
  rules: readonly Compiled[],
): (event: HookEvent, budget: Budget) => ReadonlySet<Compiled> | undefined {
  const cost = rules.reduce((sum, { name }) => sum + (name?.cost ?? 0), 0);
  const known = new Map<string, ReadonlySet<Compiled>>();
  let last: { readonly event: HookEvent; readonly fitting: ReadonlySet<Compiled> } | undefined;
  const fittingFor = (event: HookEvent, budget: Budget): ReadonlySet<Compiled> | undefined => {
    const texts = namesOf(event);
    // No list of other names has the same key, whatever the names hold.
    const key = JSON.stringify(texts);
    const found = known.get(key);
    if (found !== undefined) return found;
    // Names of a usual length are looked at once and kept.
    if (key.length > MAX_NAME_LENGTH && !spent(budget, key.length * cost)) return undefined;
    const names = texts.map(searched);
    const fitting = new Set(
      rules.filter(({ name }) => name === undefined || names.some((one) => fitsWhole(one, name))),
    );
    if (known.size >= MAX_NAMES) known.clear();
    if (key.length <= MAX_NAME_LENGTH) known.set(key, fitting);
    return fitting;
  };
  return (event, budget) => {
    // Each rule asks about the same event until one rewrites it.
    if (last?.event === event) return last.fitting;
    const fitting = fittingFor(event, budget);
    if (fitting !== undefined) last = { event, fitting };
    return fitting;
  };
}

/** A tool goes by its raw and its common name, a request by its path. */
function namesOf(event: HookEvent): readonly string[] {
  switch (event.event) {
    case "pre_tool_call":
    case "post_tool_call": {
      const { tool_name = "", canonical_name = tool_name } = event;
      return [...new Set([tool_name, canonical_name, ...serverToolNames(tool_name)])];
    }
    case "pre_request":
    case "post_response":
      return [event.request?.path ?? ""];
    case "run_end":
      return [""];
    default:
      return event.event satisfies never;
  }
}

const vendorFits = ({ vendor }: Compiled, event: HookEvent): boolean =>
  vendor === undefined || (event.vendor !== undefined && vendor.whole(event.vendor));

function argsFit({ args }: Compiled, event: HookEvent, budget: Budget): Fit {
  for (const { path, pattern } of args) {
    const texts = textsAt(event, path);
    if (texts === undefined) return "no";
    if (pattern === undefined) continue;
    const found = foundIn(texts, pattern, budget);
    if (found !== "yes") return found;
  }
  return "yes";
}
