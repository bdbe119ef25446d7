/** Arguments as values: copied, frozen, compared and fingerprinted. Knows nothing of tools. */
import { type Args, isPlainObject } from "./call";

const MAX_DEPTH = 200;

/** A deep copy of plain objects and arrays; other values are kept. `freeze` makes the copy read-only. Throws where `args` is no plain object. */
export function copyArgs(args: Args, options: { freeze: "yes" | "no" }): Args {
  if (!isPlainObject(args)) throw new TypeError("the arguments are no plain object");
  return copyObject(args, options.freeze, 0);
}

function copy(value: unknown, freeze: "yes" | "no", depth: number): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`arguments are nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    const out: unknown[] = value.map((item) => copy(item, freeze, depth + 1));
    return freeze === "yes" ? Object.freeze(out) : out;
  }
  return isPlainObject(value) ? copyObject(value, freeze, depth) : value;
}

function copyObject(value: Args, freeze: "yes" | "no", depth: number): Args {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    // `__proto__` as an own key must stay a key: assignment would set the prototype.
    Object.defineProperty(out, key, {
      value: copy(value[key], freeze, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return freeze === "yes" ? Object.freeze(out) : out;
}

/** One text per value, whatever the order of keys; distinct values of distinct types give distinct texts. */
export function stableText(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new RangeError(`arguments are nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => stableText(item, depth + 1)).join(",")}]`;
  if (isPlainObject(value)) {
    const fields = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${stableText(value[key], depth + 1)}`);
    return `{${fields.join(",")}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return `<${typeof value}:${String(value)}>`;
}

export function sameValue(a: unknown, b: unknown): boolean {
  // Texts may be megabytes long: they are not spelt out to be compared.
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") return false;
  return stableText(a) === stableText(b);
}

/** True when `args` carries every entry of `wanted`, deeply equal. An empty `wanted` is carried by nothing. */
export function carries(args: Args, wanted: Args): boolean {
  const keys = Object.keys(wanted);
  return (
    keys.length > 0 && keys.every((key) => Object.hasOwn(args, key) && sameValue(args[key], wanted[key]))
  );
}

export function withoutKeys(args: Args, keys: Iterable<string>): Args {
  const dropped = new Set(keys);
  const kept = Object.entries(args).filter(([key]) => !dropped.has(key));
  return kept.length === Object.keys(args).length ? args : Object.fromEntries(kept);
}
