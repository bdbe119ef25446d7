/** Copies for handlers to play with: what they change in one reaches nobody. Knows nothing of rules. */
import { isPlainObject } from "../core/call";

/** A deep copy of plain objects and lists, with circles kept; other values are shared. */
export function detached<T>(value: T): T {
  // The copy has the shape of what was copied.
  return copyOf(value, new Map()) as T;
}

function copyOf(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    seen.set(value, list);
    for (const item of value) list.push(copyOf(item, seen));
    return list;
  }
  if (!isPlainObject(value)) return value;
  const out: Record<string, unknown> = {};
  seen.set(value, out);
  for (const key of Object.keys(value)) {
    // An own `__proto__` must stay a key: assignment would set the prototype.
    Object.defineProperty(out, key, {
      value: copyOf(value[key], seen),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return out;
}
