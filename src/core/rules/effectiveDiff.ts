/** Effective settings as lines for people: what a change does, and what is in force. Knows nothing of dialogs. */
import { visibleText } from "../visible";
import { asList, asMap, type KeyPath, keyPaths, keyRules, readKey } from "./keyRules";
import type { Effective } from "./layers";
import { asRules, showRule } from "./ruleLists";
import type { Config } from "./schema";
import type { RuleConfig } from "./schemaHooks";
import { changeOf, sameValue } from "./tightens";

/** One line per changed value, what loosens first; empty when nothing changes. */
export function diffEffective(before: Config, after: Config): readonly string[] {
  const lines = keyPaths.flatMap((key) => {
    const change = changeOf(key, before, after);
    const mark = change === "looser" ? "Loosens: " : change === "tighter" ? "Tightens: " : "Changes: ";
    return changesOf(key, readKey(before, key), readKey(after, key)).map((line) => mark + visibleText(line));
  });
  return [
    ...lines.filter((line) => line.startsWith("Loosens")),
    ...lines.filter((line) => !line.startsWith("Loosens")),
  ];
}

function changesOf(key: KeyPath, before: unknown, after: unknown): readonly string[] {
  if (sameValue(before, after)) return [];
  if (keyRules[key].kind === "mapping") return mapChanges(key, asMap(before), asMap(after));
  if (keyRules[key].kind === "rules") return ruleChanges(key, asRules(before), asRules(after));
  if (Array.isArray(before) && key !== "chain.order") {
    const [old, now] = [asList(before), asList(after)];
    const added = now.filter((item) => !old.includes(item)).map((item) => `${key} + ${JSON.stringify(item)}`);
    const gone = old.filter((item) => !now.includes(item)).map((item) => `${key} − ${JSON.stringify(item)}`);
    return [...added, ...gone];
  }
  return [`${key}: ${showValue(before)} → ${showValue(after)}`];
}

function mapChanges(
  key: KeyPath,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
) {
  const tools = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return tools
    .filter((tool) => before[tool] !== after[tool])
    .map((tool) => `${key}.${tool}: ${showValue(before[tool])} → ${showValue(after[tool])}`);
}

function ruleChanges(key: KeyPath, before: readonly RuleConfig[], after: readonly RuleConfig[]) {
  const [old, now] = [before.map(showRule), after.map(showRule)];
  const added = now.filter((line) => !old.includes(line)).map((line) => `${key} + ${line}`);
  const gone = old.filter((line) => !now.includes(line)).map((line) => `${key} − ${line}`);
  return added.length + gone.length > 0 ? [...added, ...gone] : [`${key}: the rules' order changes`];
}

/** A value as a person reads it; the password of a URL is masked. */
export function showValue(value: unknown): string {
  if (value === undefined) return "(not set)";
  if (typeof value === "string") return JSON.stringify(value.replace(/(\/\/[^/@:]*):[^@]*@/u, "$1:•••@"));
  return JSON.stringify(value);
}

/** `key = value  # origin`, one line per key and per mapped tool, then why values of a layer are not in force. */
export function listEffective({ config, origins, notes }: Effective): readonly string[] {
  const lines = keyPaths.flatMap((key) => {
    const value = readKey(config, key);
    const origin = (at: string) => origins.get(at) ?? "default";
    if (keyRules[key].kind === "mapping") {
      return Object.entries(asMap(value)).map(
        ([tool, arg]) => `${key}.${tool} = ${showValue(arg)}  # ${origin(`${key}.${tool}`)}`,
      );
    }
    if (keyRules[key].kind === "rules" && asRules(value).length > 0) {
      return asRules(value).map((rule) => `${key}: ${showRule(rule)}  # ${origin(key)}`);
    }
    const items = asList(value).map((item) => origin(`${key}[${item}]`));
    const from = items.length === 0 ? origin(key) : [...new Set(items)].join(", ");
    return value === undefined ? [`# ${key} is not set`] : [`${key} = ${showValue(value)}  # ${from}`];
  });
  return [...lines, ...notes.map((note) => `# ${note.message}`)].map(visibleText);
}
