/**
 * What makes each key stricter, and how two layers' values of it are joined.
 * Tightening is an allow-list: a change that no rule calls tighter loosens.
 * The table's type names every key of the schema, so a new key without a rule does not compile.
 */
import { asRules, joinRules } from "./ruleLists";
import type { Config } from "./schema";

type Leaf = string | number | boolean | readonly unknown[];

/** `chain.options.quota.calls` and so on: every key that holds a value. */
export type KeyPath = LeafPath<Config>;
type LeafPath<T, Prefix extends string = ""> = {
  [K in keyof T & string]-?: Exclude<T[K], undefined> extends Leaf
    ? `${Prefix}${K}`
    : string extends keyof Exclude<T[K], undefined>
      ? `${Prefix}${K}`
      : LeafPath<Exclude<T[K], undefined>, `${Prefix}${K}.`>;
}[keyof T & string];

export type KeyRule =
  /** On is stricter. */
  | { readonly kind: "switch" }
  /** Words from the loosest to the strictest. */
  | { readonly kind: "ladder"; readonly steps: readonly string[] }
  /** Lower is stricter. */
  | { readonly kind: "limit" }
  /** Any change loosens; the upper layer's value stands. */
  | { readonly kind: "fixed" }
  /** A list that layers join; any change loosens. */
  | { readonly kind: "fixed-list" }
  /** Names to hide, which layers join; more are stricter, but for those by which calls are judged. */
  | { readonly kind: "more" }
  /** A list that layers join; more entries are stricter. */
  | { readonly kind: "added" }
  /** A list that layers join; fewer entries are stricter. */
  | { readonly kind: "fewer" }
  /** Tool to argument; a mapping added is stricter, one changed or removed loosens. */
  | { readonly kind: "mapping" }
  /** A list of rules that layers join; rules added that only deny are stricter. */
  | { readonly kind: "rules" }
  /** One of the three keys of the quota, which only make sense together. */
  | { readonly kind: "quota" };

const on: KeyRule = { kind: "switch" };
const fixed: KeyRule = { kind: "fixed" };
const ladder = (...steps: readonly string[]): KeyRule => ({ kind: "ladder", steps });

export const keyRules: Readonly<Record<KeyPath, KeyRule>> = {
  version: fixed,
  "chain.enabled": on,
  "chain.path_allowlist": on,
  "chain.destructive_sql": on,
  "chain.shell": on,
  "chain.self_protection": on,
  "chain.egress": on,
  "chain.audit_log": on,
  "chain.quota": { kind: "quota" },
  "chain.row_limit": on,
  "chain.read_only": on,
  "chain.path_allowlist_extra": { kind: "fewer" },
  "chain.order": fixed,
  "chain.options.path_allowlist.tools": { kind: "mapping" },
  "chain.options.path_allowlist.outside": ladder("ask", "deny"),
  "chain.options.destructive_sql.tools": { kind: "mapping" },
  "chain.options.destructive_sql.dialect": fixed,
  "chain.options.destructive_sql.on_unparseable": ladder("ask", "deny"),
  "chain.options.destructive_sql.on_unverified": ladder("allow", "ask", "deny"),
  "chain.options.destructive_sql.confirm_arg": fixed,
  "chain.options.destructive_sql.consent": ladder("args", "human"),
  "chain.options.egress.known": { kind: "fewer" },
  "chain.options.quota.calls": { kind: "quota" },
  "chain.options.quota.per": { kind: "quota" },
  "chain.options.row_limit.max": { kind: "limit" },
  "audit.path": fixed,
  "audit.redact": { kind: "more" },
  "audit.redact_exempt": { kind: "fixed-list" },
  "audit.durability": ladder("group", "always"),
  "audit.required": on,
  "database.url": fixed,
  "database.max_rows": { kind: "limit" },
  "policies.cards": { kind: "added" },
  "policies.exclude": { kind: "fixed-list" },
  "policies.default_timeout_ms": fixed,
  "policies.strict": on,
  "hooks.pre_tool_call": { kind: "rules" },
  "hooks.post_tool_call": { kind: "rules" },
  "hooks.pre_request": { kind: "rules" },
  "hooks.post_response": { kind: "rules" },
  "hooks.run_end": { kind: "rules" },
};

// The record above is complete by its type.
export const keyPaths = Object.keys(keyRules) as readonly KeyPath[];

export const quotaKeys: readonly KeyPath[] = keyPaths.filter((key) => keyRules[key].kind === "quota");

export function asList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function asMap(value: unknown): Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, string>)
    : {};
}

/** The value of the key, or undefined where a layer does not set it. */
export function readKey(tree: object, key: KeyPath): unknown {
  let at: unknown = tree;
  for (const part of key.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** A copy of the tree with the key set; `undefined` removes it. */
export function writeKey<T extends object>(tree: T, key: KeyPath, value: unknown): T {
  return put(tree, key.split("."), value) as T;
}

function put(tree: object, [part = "", ...rest]: readonly string[], value: unknown): object {
  const copy: Record<string, unknown> = { ...tree };
  const inner = copy[part];
  const next =
    rest.length === 0 ? value : put(typeof inner === "object" && inner !== null ? inner : {}, rest, value);
  if (next === undefined) delete copy[part];
  else copy[part] = next;
  return copy;
}

/** What an upper layer's value makes of a lower one's. Maps come without a prototype: no tool is called `constructor`. */
export function joinValues(key: KeyPath, below: unknown, above: unknown): unknown {
  switch (keyRules[key].kind) {
    case "more":
    case "added":
    case "fewer":
    case "fixed-list":
      return [...new Set([...asList(below), ...asList(above)])];
    case "rules":
      return joinRules(asRules(below), asRules(above));
    case "mapping":
      return Object.assign(Object.create(null), asMap(below), asMap(above));
    default:
      return above;
  }
}
