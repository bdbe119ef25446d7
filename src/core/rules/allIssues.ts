/** Every complaint of the schema, also those that it keeps back while a value beside them has the wrong shape. Knows nothing of text or places. */
import type * as z from "zod";
import { hookEventNames } from "../hookRules/types";
import { type Path, pathKey } from "./jsonText";
import { configSchema } from "./schema";

type Issue = z.core.$ZodIssue;

/** Each look leaves out what the ones before complained of. */
const MAX_LOOKS = 5;
/** Nobody reads more; a file made of mistakes must not hold the editor. */
const MAX_ISSUES = 200;

/** Lists whose elements stand for themselves: one that is wrong says nothing of its neighbours. */
const LISTS: readonly string[] = [...hookEventNames, "handlers"];

export interface Looked {
  readonly issues: readonly Issue[];
  /** What was not complained of; places in lists are as they were. */
  readonly rest: unknown;
  /** What is not in it for that. */
  readonly gone: readonly Path[];
}

/** `value` holds what JSON holds; of no issue it is a configuration. Takes time in proportion to its size. */
export function allIssues(value: unknown): Looked {
  const issues: Issue[] = [];
  const told = new Set<string>();
  const left = createLeftOut();
  let rest = value;
  for (let look = 0; look < MAX_LOOKS && issues.length < MAX_ISSUES; look += 1) {
    const checked = configSchema.safeParse(rest);
    if (checked.success) break;
    const fresh = checked.error.issues.slice(0, MAX_ISSUES).filter((issue) => {
      const key = JSON.stringify([issue.path, issue.code, issue.message]);
      // What is left out is missing, and missed by the table that it was in: that is our doing.
      if (told.has(key) || left.touches(pathOf(issue))) return false;
      told.add(key);
      return true;
    });
    if (fresh.length === 0) break;
    issues.push(...fresh);
    for (const path of fresh.flatMap(wrongIn)) left.add(path);
    rest = left.without(rest, []);
  }
  return { issues, rest, gone: left.paths };
}

const pathOf = (issue: Issue): Path =>
  issue.path.map((part) => (typeof part === "number" ? part : String(part)));

/** The keys whose values are to be left out for it. */
function wrongIn(issue: Issue): readonly Path[] {
  const path = pathOf(issue);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => [...path, key]);
  let end = path.length;
  while (end > 0 && typeof path[end - 1] === "number") end -= 1;
  // The elements of these lists keep their places, so that what is said of them stands at the right one.
  if (end < path.length && LISTS.includes(String(path[end - 1]))) return [];
  return end === 0 ? [] : [path.slice(0, end)];
}

interface LeftOut {
  readonly paths: readonly Path[];
  add(path: Path): void;
  /** True for what is left out, for what was in it, and for what it was in. */
  touches(path: Path): boolean;
  without(value: unknown, path: Path): unknown;
}

function createLeftOut(): LeftOut {
  const paths: Path[] = [];
  const gone = new Set<string>();
  const above = new Set<string>();
  const left: LeftOut = {
    paths,
    add(path) {
      paths.push(path);
      gone.add(pathKey(path));
      for (let end = 0; end < path.length; end += 1) above.add(pathKey(path.slice(0, end)));
    },
    touches: (path) =>
      above.has(pathKey(path)) || path.some((_, index) => gone.has(pathKey(path.slice(0, index + 1)))),
    without(value, path) {
      if (!above.has(pathKey(path))) return value;
      if (Array.isArray(value)) return value.map((item, index) => left.without(item, [...path, index]));
      if (typeof value !== "object" || value === null) return value;
      const kept = Object.entries(value).filter(([key]) => !gone.has(pathKey([...path, key])));
      return Object.fromEntries(kept.map(([key, item]) => [key, left.without(item, [...path, key])]));
    },
  };
  return left;
}
