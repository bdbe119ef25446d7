/** Which rules an event meets: filters compiled once, answers for names kept. Runs no handler. */
import { isPlainObject } from "../call";
import type { Problem, Result } from "../errors";
import { valuesAt } from "./argValues";
import { compilePattern, type Pattern } from "./pattern";
import { type ArgFilter, type HookEvent, type HookEventName, hookEventNames, type Rule } from "./types";

export interface CompiledRules {
  /** In the order in which they run: those with `before` first. */
  readonly rules: readonly Rule[];
  /** The rules whose filters all hold, in order. */
  matching(event: HookEvent): Matching;
  /** False = no rule can ever match this event. */
  has(event: HookEventName): boolean;
}

export interface Matching {
  readonly rules: readonly Rule[];
  /** The first rule whose `arg` would have to be searched in more text than a call may take: nobody knows whether it matches. */
  readonly unsearched?: Rule;
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
  const named = new Map(hookEventNames.map((name) => [name, nameFilter(byEvent.get(name) ?? [])]));
  return {
    ok: true,
    value: {
      rules: ordered,
      has: (event) => (byEvent.get(event)?.length ?? 0) > 0,
      matching(event) {
        return search(named.get(event.event)?.(event) ?? [], event);
      },
    },
  };
}

function compileRule(rule: Rule, problems: Problem[]): Compiled {
  const read = (source: string | undefined, key: string): Pattern | undefined => {
    if (source === undefined || source === "" || source === "*") return undefined;
    const compiled = compilePattern(source);
    if (compiled.ok) return compiled.pattern;
    const { message, suggestion } = compiled.mistake;
    problems.push({
      code: "config.type",
      file: rule.name,
      line: 1,
      column: 1,
      message: `${key} ${message}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
    return undefined;
  };
  return {
    rule,
    name: read(rule.matcher, "matcher"),
    vendor: read(rule.vendor, "vendor"),
    args: argTests(rule.arg).map(({ path, source }) => ({ path, pattern: read(source, `arg.${path}`) })),
  };
}

function argTests(arg: ArgFilter | undefined): readonly { path: string; source: string | undefined }[] {
  if (arg === undefined) return [];
  if (typeof arg === "string") return [{ path: arg, source: undefined }];
  return Object.entries(arg).map(([path, source]) => ({ path, source }));
}

/** The rules whose matcher holds for the event's names; asked once per name. */
function nameFilter(rules: readonly Compiled[]): (event: HookEvent) => readonly Compiled[] {
  const known = new Map<string, readonly Compiled[]>();
  return (event) => {
    if (rules.length === 0) return rules;
    const texts = namesOf(event);
    const key = texts.join("\u0000");
    const found = known.get(key);
    if (found !== undefined) return found;
    const fitting = rules.filter(({ name }) => name === undefined || texts.some((text) => name.whole(text)));
    if (known.size >= MAX_NAMES) known.clear();
    if (key.length <= MAX_NAME_LENGTH) known.set(key, fitting);
    return fitting;
  };
}

/** A tool goes by its raw and its common name, a request by its path. */
function namesOf(event: HookEvent): readonly string[] {
  switch (event.event) {
    case "pre_tool_call":
    case "post_tool_call": {
      const { tool_name = "", canonical_name } = event;
      return canonical_name === undefined || canonical_name === tool_name
        ? [tool_name]
        : [tool_name, canonical_name];
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

/** Characters that the patterns of one event may look at: some tenths of a second. */
const MAX_SEARCHED = 16_000_000;

function search(candidates: readonly Compiled[], event: HookEvent): Matching {
  if (candidates.length === 0) return { rules: [] };
  const rules: Rule[] = [];
  let left = MAX_SEARCHED;
  for (const one of candidates) {
    if (!vendorFits(one, event)) continue;
    const found = argsFit(one, event, left);
    left = found.left;
    if (left < 0) return { rules, unsearched: one.rule };
    if (found.fits) rules.push(one.rule);
  }
  return { rules };
}

const vendorFits = ({ vendor }: Compiled, event: HookEvent): boolean =>
  vendor === undefined || (event.vendor !== undefined && vendor.whole(event.vendor));

function argsFit(
  { args }: Compiled,
  event: HookEvent,
  budget: number,
): { readonly fits: boolean; readonly left: number } {
  if (args.length === 0) return { fits: true, left: budget };
  let left = budget;
  for (const { path, pattern } of args) {
    const values = valuesAt(event, path);
    if (values.length === 0) return { fits: false, left };
    if (pattern === undefined) continue;
    const texts = values.flatMap(textsOf);
    left -= texts.reduce((sum, text) => sum + text.length, 0);
    if (left < 0 || !texts.some((text) => pattern.somewhere(text))) return { fits: false, left };
  }
  return { fits: true, left };
}

const MAX_DEPTH = 200;

/** Each text within the value by itself, and all of them in one: a pattern finds what was split over a list too. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  const texts: string[] = [];
  collect(value, texts, 0);
  return texts.length > 1 ? [...texts, texts.join(" ")] : texts;
}

function collect(value: unknown, texts: string[], depth: number): void {
  // Deeper arguments are refused before any rule sees them.
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) collect(item, texts, depth + 1);
  else if (isPlainObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      texts.push(key);
      collect(inner, texts, depth + 1);
    }
  } else texts.push(String(value));
}
