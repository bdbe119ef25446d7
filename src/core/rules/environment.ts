/** The environment's part of the configuration: `COUNTERSIGN__HOOKS__*` and `DATAMIND__HOOKS__*`. Is given the variables, never reads them. */
import type { Problem, Result } from "../errors";
import type { ConfigFile } from "./schema";
import { nearest } from "./suggest";

const switches = {
  ENABLED: "enabled",
  DESTRUCTIVE_SQL: "destructive_sql",
  PATH_ALLOWLIST: "path_allowlist",
  AUDIT_LOG: "audit_log",
  SHELL: "shell",
  SELF_PROTECTION: "self_protection",
  EGRESS: "egress",
} as const;
const EXTRA = "PATH_ALLOWLIST_EXTRA";
const names = [...Object.keys(switches), EXTRA];

// The words that pydantic takes for booleans, in any case.
const TRUE = ["1", "true", "t", "yes", "y", "on"];
const FALSE = ["0", "false", "f", "no", "n", "off"];

/** Lowest first: a COUNTERSIGN variable stands over a DATAMIND one. */
const prefixes = ["DATAMIND__HOOKS__", "COUNTERSIGN__HOOKS__"] as const;

const OURS = /__HOOKS__/iu;

type ChainLayer = {
  -readonly [K in keyof NonNullable<ConfigFile["chain"]>]: NonNullable<ConfigFile["chain"]>[K];
};

/**
 * Names in any case. Wrong values, and names after `COUNTERSIGN__HOOKS__` that do not exist, are errors;
 * the problems name the variable as their file and never repeat its value.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Result<ConfigFile> {
  const chain: ChainLayer = {};
  const problems: Problem[] = [];
  // Names first: of the process's environment each value is a question to the system, and this is asked per call.
  const ours = Object.keys(env).filter((name) => OURS.test(name));
  for (const prefix of prefixes) {
    const seen = new Map<string, string>();
    for (const name of ours) {
      const value = env[name];
      if (value === undefined || !name.toUpperCase().startsWith(prefix)) continue;
      const key = name.toUpperCase().slice(prefix.length);
      const problem =
        seen.has(key) && seen.get(key) !== value ? clash(name) : take(chain, prefix, { name, key, value });
      seen.set(key, value);
      if (problem !== undefined) problems.push(problem);
    }
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: Object.keys(chain).length === 0 ? {} : { chain } };
}

/** What stands in for an environment that cannot be read: every guard that a variable could have switched on is on. */
export const strictEnvironment: ConfigFile = {
  chain: {
    enabled: true,
    path_allowlist: true,
    destructive_sql: true,
    audit_log: true,
    shell: true,
    self_protection: true,
    egress: true,
  },
};

interface Variable {
  readonly name: string;
  readonly key: string;
  readonly value: string;
}

function take(chain: ChainLayer, prefix: string, { name, key, value }: Variable): Problem | undefined {
  if (Object.hasOwn(switches, key)) {
    const word = value.toLowerCase();
    if (!TRUE.includes(word) && !FALSE.includes(word)) {
      return problem(
        "config.type",
        name,
        "must be true or false",
        "write true, 1, yes, on, or false, 0, no, off",
      );
    }
    chain[switches[key as keyof typeof switches]] = TRUE.includes(word);
    return undefined;
  }
  if (key === EXTRA) {
    const paths = pathList(value);
    if (paths === undefined) {
      return problem("config.type", name, "must be a JSON list of paths", `write ["/data/uploads"]`);
    }
    chain.path_allowlist_extra = paths;
    return undefined;
  }
  // Other DATAMIND variables belong to another program.
  if (prefix === "DATAMIND__HOOKS__") return undefined;
  const near = nearest(key, names);
  return problem(
    "config.unknown_key",
    name,
    "no such variable",
    near === undefined ? `known: ${names.join(", ")}` : `did you mean ${prefix}${near}?`,
  );
}

function pathList(value: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(value);
    if (!Array.isArray(list) || list.length > 1000) return undefined;
    const paths = list.filter(
      (item) => typeof item === "string" && item.length > 0 && item.length <= 4096 && !item.includes("\0"),
    );
    return paths.length === list.length ? paths : undefined;
  } catch {
    return undefined;
  }
}

function clash(name: string): Problem {
  return problem(
    "config.type",
    name,
    "is set twice, in different spellings and with different values",
    "set it once",
  );
}

function problem(code: Problem["code"], name: string, message: string, suggestion: string): Problem {
  return { code, file: name, line: 1, column: 1, message: `${name}: ${message}`, suggestion };
}
