/** What one file says of hooks: the part that counts, the switches that turn them off, the hooks that are not ours. Knows no disk. */
import { isPlainObject } from "../call";
import { stableText } from "../values";
import type { HookSource } from "./hookSources";

export interface ReadHookSource {
  /** One text for all that speaks of hooks: another text means that something changed. */
  readonly fact: string;
  /** `disableAllHooks`, `features.hooks`, … as they stand in the file. */
  readonly off: readonly string[];
  /** Programs that the file lets run as hooks and that are not ours, shortened. */
  readonly foreign: readonly string[];
}

/** Our launcher, or our plugin file for agents that load one. */
const OURS = /[/\\]\.countersign[/\\]+bin[/\\]+(?:hook\b|opencode\.mjs)/;
const MAX_FOREIGN = 10;

/** `parsed` undefined = the file cannot be read as settings: then every byte counts. */
export function readHookSource(source: HookSource, text: string, parsed: unknown): ReadHookSource {
  if (!isPlainObject(parsed))
    return {
      fact: text,
      off: [],
      foreign: source.keys === undefined && text.trim() !== "" && !OURS.test(text) ? [shortened(text)] : [],
    };
  const off = (source.switches ?? [])
    .filter(({ key, off }) => settingOf(parsed, key) === off)
    .map(({ key }) => key);
  const counts = source.keys?.map((key) => [key, settingOf(parsed, key)] as const);
  const hooks =
    source.hooks === undefined
      ? source.keys === undefined
        ? parsed
        : undefined
      : settingOf(parsed, source.hooks);
  return {
    fact: stableText(counts?.filter(([, value]) => value !== undefined) ?? parsed),
    off,
    foreign: [...listed(hooks), ...foreignIn(hooks)],
  };
}

/** In VS Code's files the dots are part of the name; a workspace file keeps its settings below `settings`. */
function settingOf(tree: Readonly<Record<string, unknown>>, key: string): unknown {
  if (Object.hasOwn(tree, key)) return tree[key];
  const { settings } = tree;
  if (isPlainObject(settings) && Object.hasOwn(settings, key)) return settings[key];
  let at: unknown = tree;
  for (const part of key.split(".")) {
    if (!isPlainObject(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

/** Commands, scripts and addresses of hooks, whatever the agent's grammar nests them in. */
function foreignIn(hooks: unknown, depth = 0): readonly string[] {
  if (typeof hooks !== "object" || hooks === null || depth > 8) return [];
  const own = Object.entries(hooks).flatMap(([name, value]) => {
    if (!/^(command|bash|powershell|windows|linux|osx|url|prompt|args)$/.test(name))
      return foreignIn(value, depth + 1);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return name === "args" || OURS.test(text) || (isPlainObject(hooks) && OURS.test(JSON.stringify(hooks)))
      ? []
      : [shortened(text)];
  });
  return [...new Set(own)].slice(0, MAX_FOREIGN);
}

/** OpenCode's list of plugin files. */
function listed(plugins: unknown): readonly string[] {
  if (!Array.isArray(plugins)) return [];
  return plugins
    .filter((one): one is string => typeof one === "string" && !OURS.test(one))
    .slice(0, MAX_FOREIGN)
    .map(shortened);
}

function shortened(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
