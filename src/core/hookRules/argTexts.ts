/** The texts that a rule's `arg` is searched in, read out of an event once however many rules ask. Knows no pattern. */
import { isPlainObject } from "../call";
import { valuesAt } from "./argValues";
import { type Searched, searched } from "./patternSearch";
import type { HookEvent } from "./types";

const MAX_DEPTH = 200;

/** A rewrite makes a new event. */
const known = new WeakMap<HookEvent, Map<string, readonly Searched[] | undefined>>();

/** Undefined = the argument is not there. */
export function textsAt(event: HookEvent, path: string): readonly Searched[] | undefined {
  let byPath = known.get(event);
  if (byPath === undefined) {
    byPath = new Map();
    known.set(event, byPath);
  }
  if (byPath.has(path)) return byPath.get(path);
  const values = valuesAt(event, path);
  const texts = values.length === 0 ? undefined : values.flatMap(textsOf).map(searched);
  byPath.set(path, texts);
  return texts;
}

/** Each text within the value by itself, and all of them in one: a pattern finds what was split over a list too. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  const texts: string[] = [];
  collect(value, texts, 0);
  return texts.length > 1 ? [...texts, texts.join(" ")] : texts;
}

function collect(value: unknown, texts: string[], depth: number): void {
  // Deeper arguments are refused before any rule sees them.
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) collect(item, texts, depth + 1);
  else if (isPlainObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      texts.push(key);
      collect(inner, texts, depth + 1);
    }
  } else texts.push(String(value));
}
