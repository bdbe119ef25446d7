/** What people get wrong in rules, said so that a newcomer can act on it. Knows the grammar of rules, nothing of text or places. */
import type * as z from "zod";
import { handlerKinds, hookEventNames } from "../hookRules/types";
import type { Path } from "./jsonText";
import type { PatternIssue } from "./schemaPattern";
import { nearest } from "./suggest";

type Issue = z.core.$ZodIssue;

export interface RuleMistake {
  readonly message: string;
  readonly suggestion?: string;
  readonly replacement?: string;
  /** The part of the value that is wrong, as offsets into it. */
  readonly within?: { readonly start: number; readonly end: number };
  /** True where what is there instead says nothing more. */
  readonly whole: true;
}

/** A sentence of its own for an issue within `[hooks]`; undefined = the usual one says it. `name` is the dotted path. */
export function ruleMistake(issue: Issue, at: { name: string; value: unknown }): RuleMistake | undefined {
  if (issue.path[0] !== "hooks") return undefined;
  if (issue.code === "invalid_union" && issue.path.at(-1) === "type") return typeMistake(at);
  if (issue.code === "custom") return patternMistake(issue, at.name);
  if (at.value === undefined)
    return { message: `\`${at.name}\` is missing`, ...sampleOf(issue.path), whole: true };
  if (issue.code === "invalid_type") return shapeMistake(issue, at.name);
  if (issue.code === "too_small" && issue.path.at(-1) === "handlers") {
    return {
      message: `\`${at.name}\` is empty: the rule would do nothing`,
      ...sampleOf(issue.path),
      whole: true,
    };
  }
  return undefined;
}

const types = handlerKinds.filter((kind) => kind !== "alias");

function typeMistake({ name, value }: { name: string; value: unknown }): RuleMistake {
  const known = types.map((type) => JSON.stringify(type)).join(", ");
  if (value === "alias") {
    const message = `\`${name}\`: the alias door is not in this version, so an alias handler cannot run`;
    return { message, suggestion: "remove the handler", whole: true };
  }
  if (value === undefined)
    return { message: `\`${name}\` is missing`, suggestion: `write type = one of ${known}`, whole: true };
  const near = typeof value === "string" ? (meantType(value) ?? nearest(value, types)) : undefined;
  const not = typeof value === "string" ? `, not the text ${JSON.stringify(value.slice(0, 60))}` : "";
  const message = `\`${name}\` must be one of ${known}${not}`;
  if (near === undefined) return { message, whole: true };
  return { message, suggestion: `did you mean ${JSON.stringify(near)}?`, replacement: near, whole: true };
}

/** What other programs call a kind of handler. */
const MEANT_TYPES: Readonly<Record<string, string>> = {
  block: "deny",
  reject: "deny",
  refuse: "deny",
  shell: "command",
  exec: "command",
  script: "command",
  webhook: "http",
  https: "http",
  url: "http",
  function: "callable",
  python: "callable",
  module: "callable",
};
const meantType = (value: string): string | undefined =>
  Object.hasOwn(MEANT_TYPES, value.toLowerCase()) ? MEANT_TYPES[value.toLowerCase()] : undefined;

const MEANT_KEYS: Readonly<Record<string, string>> = {
  cmd: "command",
  run: "command",
  exec: "command",
  tool: "matcher",
  tools: "matcher",
  match: "matcher",
  pattern: "matcher",
  args: "arg",
  endpoint: "url",
  function: "target",
  message: "reason",
};

/** What other programs call a key that this table has. */
export function meantKey(key: string, known: readonly string[]): string | undefined {
  const meant = Object.hasOwn(MEANT_KEYS, key) ? MEANT_KEYS[key] : undefined;
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}

function patternMistake(issue: Issue, name: string): RuleMistake | undefined {
  const params: unknown = "params" in issue ? issue.params : undefined;
  if (typeof params !== "object" || params === null || !("mistake" in params)) return undefined;
  // Set by the schema's own check of patterns, and by nothing else.
  const { message, suggestion, start, end } = (params as PatternIssue).mistake;
  return {
    message: `\`${name}\` ${message}`,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(start === undefined || end === undefined ? {} : { within: { start, end } }),
    whole: true,
  };
}

function shapeMistake(issue: Issue, name: string): RuleMistake | undefined {
  const [, event] = issue.path;
  if (issue.path.length === 2) {
    return {
      message: `\`${name}\` must be a list of rules`,
      suggestion: `write [[hooks.${String(event)}]]`,
      whole: true,
    };
  }
  if (issue.path.length === 1) {
    return {
      message: `\`${name}\` must be a table`,
      suggestion: "write [[hooks.pre_tool_call]]",
      whole: true,
    };
  }
  if (issue.path.at(-1) === "handlers") {
    return { message: `\`${name}\` must be a list`, suggestion: "write handlers = [{ … }]", whole: true };
  }
  return undefined;
}

function sampleOf(path: readonly PropertyKey[]): { readonly suggestion?: string } {
  const samples: Readonly<Record<string, string>> = {
    handlers: 'write handlers = [{ type = "deny", reason = "…" }]',
    command: 'write command = ["node", "check.mjs"]',
    url: 'write url = "https://…"',
    target: 'write target = "./guards.ts:check"',
  };
  const suggestion = samples[String(path.at(-1))];
  return suggestion === undefined ? {} : { suggestion };
}

/** How the table at `path` is called in a sentence, when it is a rule or a handler. */
export function ruleTable(path: Path, value: unknown): string | undefined {
  if (path[0] !== "hooks" || path.length < 3) return undefined;
  if (path.length === 3) return `[[hooks.${String(path[1])}]]`;
  const type = typeof value === "object" && value !== null ? Reflect.get(value, "type") : undefined;
  return types.some((known) => known === type) ? `a ${String(type)} handler` : "a handler";
}

/** Why a key that other tables have is not for this one. */
export function misplacedRuleKey(path: Path, key: string, value: unknown): string | undefined {
  if (path[0] !== "hooks") return undefined;
  if (path.length === 3 && path[1] === "run_end" && ["matcher", "vendor", "arg"].includes(key)) {
    return "remove it: the end of a run has no tool";
  }
  if (
    path.length === 3 &&
    ["type", "command", "url", "target", "reason", "timeout", "async", "on_error"].includes(key)
  ) {
    return "it belongs in one of the `handlers`";
  }
  const type = typeof value === "object" && value !== null ? Reflect.get(value, "type") : undefined;
  if (type === "deny" && ["async", "timeout", "on_error"].includes(key)) {
    return "remove it: a deny handler answers at once and cannot fail";
  }
  if (path.length > 3 && ["matcher", "vendor", "arg", "before"].includes(key)) {
    return "it belongs in the rule, beside `handlers`";
  }
  if (path.length === 1 && nearest(key, hookEventNames) === undefined) {
    return `the events are ${hookEventNames.join(", ")}`;
  }
  return undefined;
}
