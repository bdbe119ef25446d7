/** The user layer out of the editor's settings. Knows the names of settings, nothing of the editor. */
import type { Problem } from "../errors";
import { type KeyPath, keyPaths, keyRules, writeKey } from "./keyRules";
import { type ConfigFile, configSchema } from "./schema";
import { keysOf } from "./schemaWalk";

/** Every key but the file's version, and the rules and cards, which are written in files, is a setting, `countersign.` before it. */
export const settingKeys: readonly KeyPath[] = keyPaths.filter(
  (key) => key !== "version" && keyRules[key].kind !== "rules" && !key.startsWith("policies."),
);

/**
 * `read` gives what the user has set for a key, or undefined.
 * A value that the schema refuses is reported; where there is a strictest value, that stands in for it.
 */
export function userLayerFrom(read: (key: KeyPath) => unknown): {
  readonly user: ConfigFile;
  readonly problems: readonly Problem[];
} {
  let user: ConfigFile = {};
  const problems: Problem[] = [];
  const schemas = new Map(keysOf(configSchema).map(({ path, check }) => [path, check]));
  for (const key of settingKeys) {
    const value = read(key);
    if (value === undefined || value === null) continue;
    const why = schemas.get(key)?.(value);
    if (why === undefined) {
      user = writeKey(user, key, value);
      continue;
    }
    const message = `countersign.${key}: ${why}`;
    problems.push({ code: "config.type", file: "settings", line: 1, column: 1, message });
    const strict = strictest(key);
    if (strict !== undefined) user = writeKey(user, key, strict);
  }
  return { user, problems };
}

function strictest(key: KeyPath): unknown {
  const rule = keyRules[key];
  if (rule.kind === "switch") return true;
  return rule.kind === "ladder" ? rule.steps.at(-1) : undefined;
}
