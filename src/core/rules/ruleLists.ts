/** Lists of rules as layers join and compare them: which part of a list only denies, what was added, what was lost. */
import { stableText } from "../values";
import type { RuleConfig } from "./schemaHooks";

/** The value was checked by the schema when its layer was read. */
export function asRules(value: unknown): readonly RuleConfig[] {
  return Array.isArray(value) ? (value as readonly RuleConfig[]) : [];
}

/** Rules are compared by their texts, each made once: lists of hundreds are compared for every call. */
const texts = new WeakMap<RuleConfig, string>();

function textOf(rule: RuleConfig): string {
  const known = texts.get(rule);
  if (known !== undefined) return known;
  const text = stableText(rule);
  texts.set(rule, text);
  return text;
}

const sameRule = (a: RuleConfig, b: RuleConfig): boolean => a === b || textOf(a) === textOf(b);

/** The upper layer's rules follow the lower one's; a rule that is there already is not doubled. */
export function joinRules(below: readonly RuleConfig[], above: readonly RuleConfig[]): readonly RuleConfig[] {
  const known = new Set(below.map(textOf));
  return [...below, ...above.filter((rule) => !known.has(textOf(rule)))];
}

export const onlyDenies = (rule: RuleConfig): boolean => rule.handlers.every((one) => one.type === "deny");

/** What of the list refuses calls and does nothing else: it needs nobody's acceptance. */
export function denyingPart(rules: readonly RuleConfig[]): readonly RuleConfig[] {
  return rules.flatMap((rule) => {
    const handlers = rule.handlers.filter((one) => one.type === "deny");
    return handlers.length === 0 ? [] : [{ ...rule, handlers }];
  });
}

/** "tighter" when every rule is still there, in its order, and what came in between only denies. */
export function rulesChange(
  before: readonly RuleConfig[],
  after: readonly RuleConfig[],
): "same" | "tighter" | "looser" {
  let kept = 0;
  let added = 0;
  for (const rule of after) {
    const next = before[kept];
    if (next !== undefined && sameRule(next, rule)) kept += 1;
    else if (onlyDenies(rule)) added += 1;
    else return "looser";
  }
  if (kept < before.length) return "looser";
  return added === 0 ? "same" : "tighter";
}

/** `deny “no production”`, as a person reads a rule in a list of changes. */
export function showRule(rule: RuleConfig): string {
  const { name, handlers, ...filters } = rule;
  const when = Object.entries(filters).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const what = handlers.map((one) => showHandler(one)).join(", ");
  return `${name === undefined ? "" : `${JSON.stringify(name)} `}${when.length === 0 ? "every call" : when.join(", ")}: ${what}`;
}

function showHandler(one: RuleConfig["handlers"][number]): string {
  switch (one.type) {
    case "command":
      return `command ${JSON.stringify(one.command)}`;
    case "http":
      return `http ${JSON.stringify(one.url)}`;
    case "callable":
      return `callable ${JSON.stringify(one.target)}`;
    case "deny":
      return one.reason === undefined ? "deny" : `deny ${JSON.stringify(one.reason)}`;
    default:
      return one satisfies never;
  }
}
