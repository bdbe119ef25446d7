/** Whether a change of the effective configuration is purely stricter. Knows the rules of the keys, nothing of where values come from. */

import { hidesJudged } from "../audit/judgedNames";
import { stableText } from "../values";
import {
  asList,
  asMap,
  type KeyPath,
  type KeyRule,
  keyPaths,
  keyRules,
  quotaKeys,
  readKey,
} from "./keyRules";
import { asRules, rulesChange } from "./ruleLists";
import type { Config } from "./schema";

export interface Tightening {
  /** True when nothing got looser (also when nothing changed). */
  readonly pure: boolean;
  /** Paths of the keys that got looser. */
  readonly loosening: readonly KeyPath[];
}

export type Change = "same" | "tighter" | "looser";

/** Every change that no rule names as tighter counts as loosening. */
export function tightens(before: Config, after: Config): Tightening {
  const loosening = keyPaths.filter((key) => changeOf(key, before, after) === "looser");
  return { pure: loosening.length === 0, loosening };
}

export function changeOf(key: KeyPath, before: Config, after: Config): Change {
  const rule = keyRules[key];
  if (rule.kind === "quota") return quotaKeyChange(key, before, after);
  return valueChange(rule, readKey(before, key), readKey(after, key));
}

function valueChange(rule: KeyRule, before: unknown, after: unknown): Change {
  if (rule.kind === "rules") return rulesChange(asRules(before), asRules(after));
  if (sameValue(before, after)) return "same";
  switch (rule.kind) {
    case "switch":
      return after === true ? "tighter" : "looser";
    case "ladder":
      return rule.steps.indexOf(String(after)) > rule.steps.indexOf(String(before)) ? "tighter" : "looser";
    case "limit":
      return Number(after) < Number(before) ? "tighter" : "looser";
    case "more":
      return subset(asList(before), asList(after)) && !blinds(before, after) ? "tighter" : "looser";
    // Each card waits for a trust of its own before anything of it runs.
    case "added":
      return subset(asList(before), asList(after)) ? "tighter" : "looser";
    case "fewer":
      return subset(asList(after), asList(before)) ? "tighter" : "looser";
    case "mapping":
      return Object.entries(asMap(before)).every(([tool, arg]) => asMap(after)[tool] === arg)
        ? "tighter"
        : "looser";
    case "fixed":
    case "fixed-list":
    case "quota":
      return "looser";
  }
}

/** One entry more, and nobody can read what was judged. */
const blinds = (before: unknown, after: unknown): boolean =>
  asList(after).some((key) => !asList(before).includes(key) && hidesJudged(key));

const subset = (a: readonly string[], b: readonly string[]): boolean => a.every((item) => b.includes(item));

export function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => sameItem(item, b[i]));
  if (typeof a === "object" && typeof b === "object" && a !== null && b !== null) {
    const left = Object.entries(a);
    return left.length === Object.keys(b).length && left.every(([k, v]) => asMap(b)[k] === v);
  }
  return a === b;
}

/** Items of lists are texts, or the tables of rules. */
const sameItem = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && stableText(a) === stableText(b));

export function sameConfig(a: Config, b: Config): boolean {
  return keyPaths.every((key) => sameValue(readKey(a, key), readKey(b, key)));
}

const minutes = { minute: 1, hour: 60, day: 1440 } as const;

/** The three keys are judged as one; what got looser is named by the keys that changed. */
function quotaKeyChange(key: KeyPath, before: Config, after: Config): Change {
  const changed = quotaKeys.filter((k) => !sameValue(readKey(before, k), readKey(after, k)));
  if (!changed.includes(key)) return "same";
  const whole = quotaChange(before, after);
  if (whole !== "looser" || before.chain.quota === after.chain.quota) return whole;
  return key === "chain.quota" ? "looser" : "same";
}

function quotaChange(before: Config, after: Config): Change {
  if (!before.chain.quota) return after.chain.quota ? "tighter" : "same";
  if (!after.chain.quota) return "looser";
  const old = before.chain.options.quota;
  const now = after.chain.options.quota;
  const longer = minutes[now.per] / minutes[old.per];
  // Over a longer period the same count is stricter; over a shorter one all its periods together must stay below.
  const atMost = longer >= 1 ? now.calls : now.calls / longer;
  if (atMost > old.calls) return "looser";
  return longer === 1 && now.calls === old.calls ? "same" : "tighter";
}
