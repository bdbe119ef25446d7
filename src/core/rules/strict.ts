/** Strictness across configurations: the strictest user layer, and the strictest of two configurations. Knows nothing of why there are two. */
import { asList, asMap, type KeyPath, keyPaths, keyRules, quotaKeys, readKey, writeKey } from "./keyRules";
import { asRules, joinRules } from "./ruleLists";
import type { Config, ConfigFile } from "./schema";
import { changeOf, sameValue } from "./tightens";

/** What stands in for user settings that nobody can read. */
export const strictUserLayer: ConfigFile = {
  chain: {
    enabled: true,
    path_allowlist: true,
    destructive_sql: true,
    shell: true,
    self_protection: true,
    egress: true,
    audit_log: true,
    options: {
      path_allowlist: { outside: "deny" },
      destructive_sql: { on_unparseable: "deny", on_unverified: "deny", consent: "human" },
    },
  },
  audit: { required: true },
};

/**
 * A configuration at least as strict as both, key by key: a session is judged by its own workspace and by every other one it reaches into.
 * Where two values cannot be compared the first stands; two dialects that differ become none, so that the text is judged under all.
 */
export function strictestOf(first: Config, second: Config): Config {
  const config = keyPaths
    .filter((key) => keyRules[key].kind !== "quota")
    .reduce((at, key) => writeKey(at, key, stricter(key, first, second)), first);
  return strictestQuota(config, second);
}

function stricter(key: KeyPath, first: Config, second: Config): unknown {
  const [a, b] = [readKey(first, key), readKey(second, key)];
  switch (keyRules[key].kind) {
    case "more":
    case "added":
      return [...new Set([...asList(a), ...asList(b)])];
    case "fewer":
    case "fixed-list":
      return asList(a).filter((item) => asList(b).includes(item));
    case "rules":
      return joinRules(asRules(a), asRules(b));
    case "mapping":
      return Object.assign(Object.create(null), asMap(b), asMap(a));
    case "fixed":
      return key === "chain.options.destructive_sql.dialect" && !sameValue(a, b) ? undefined : a;
    default:
      return changeOf(key, first, second) === "tighter" ? b : a;
  }
}

function strictestQuota(first: Config, second: Config): Config {
  if (!second.chain.quota) return first;
  if (!first.chain.quota)
    return quotaKeys.reduce((at, key) => writeKey(at, key, readKey(second, key)), first);
  const [a, b] = [first.chain.options.quota, second.chain.options.quota];
  const periods = ["minute", "hour", "day"] as const;
  const per = periods.indexOf(a.per) > periods.indexOf(b.per) ? a.per : b.per;
  return writeKey(
    writeKey(first, "chain.options.quota.calls", Math.min(a.calls, b.calls)),
    "chain.options.quota.per",
    per,
  );
}
