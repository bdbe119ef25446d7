/** The user's list of key paths that a workspace file may not loosen. Knows only paths. */
import type { Problem } from "../errors";
import { keyPaths } from "./keyRules";
import { nearest } from "./suggest";

/** True when the key, or a table above it, is in the list; `*` is every key. */
export function isUnder(key: string, list: readonly string[]): boolean {
  return list.some((entry) => entry === "*" || key === entry || key.startsWith(`${entry}.`));
}

/** An entry that names no key locks nothing: it is reported, never passed over. */
export function checkLocks(list: readonly string[], file: string): readonly Problem[] {
  return list
    .filter((entry) => entry !== "*" && !keyPaths.some((key) => isUnder(key, [entry])))
    .map((entry) => {
      const near = nearest(entry, keyPaths);
      return {
        code: "config.unknown_key",
        file,
        line: 1,
        column: 1,
        message: `countersign.locked: \`${entry}\` is not a key`,
        ...(near === undefined ? {} : { suggestion: `did you mean \`${near}\`?` }),
      };
    });
}
