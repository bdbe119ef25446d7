/** What a statement may do, and whether one act of the engine is within it. Knows no engine and no agent. */

/** One thing an engine does: a verb on a table, directly or through a trigger, view or rule named in `via`. */
export interface Act {
  /** Upper case, one word: INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, PRAGMA, ... */
  readonly verb: string;
  /** null where the act has no table, or any table is meant. */
  readonly table: string | null;
  readonly via?: string;
}

export type Intent =
  /**
   * Runs where it cannot write. Row locks and sequences, which such a transaction refuses, are tried again in one that is
   * rolled back; not so where `session` says that nothing but a read-only one will do.
   */
  | { readonly kind: "read"; readonly session?: "read only" }
  /** Judged harmless: only these verbs, and nothing through triggers or rules. `tables` are the judge's, where it knows them. */
  | {
      readonly kind: "add";
      readonly verbs: readonly ("INSERT" | "CREATE")[];
      readonly tables: readonly string[];
    }
  /** What a person approved: these acts and no others. */
  | { readonly kind: "approved"; readonly acts: readonly Act[] };

/** What a verb does by its nature: approving a DROP approves the rows that go with it. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  DROP: ["DELETE"],
  TRUNCATE: ["DELETE"],
  ALTER: ["UPDATE", "INSERT", "DELETE"],
  REPLACE: ["INSERT", "DELETE"],
  MERGE: ["INSERT", "UPDATE", "DELETE"],
  UPSERT: ["INSERT", "UPDATE"],
};

/** Verbs that may be approved for whatever there is. */
const WHOLE = new Set(["ANALYZE", "REINDEX", "VACUUM", "PRAGMA", "ATTACH", "DETACH"]);

export function covers(intent: Intent, act: Act): boolean {
  if (intent.kind === "read") return false;
  if (intent.kind === "add") {
    return act.via === undefined && intent.verbs.some((verb) => verb === act.verb);
  }
  return intent.acts.some((approved) => coversAct(approved, act));
}

function coversAct(approved: Act, act: Act): boolean {
  if (approved.via !== act.via) return false;
  // "CREATE TRIGGER" is approved as CREATE; the judge's own allowance for CREATE, above, does not reach it.
  const [verb] = act.verb.split(" ");
  const [permitted] = approved.verb.split(" ");
  if (verb === undefined || permitted === undefined) return false;
  if (verb !== permitted && !(IMPLIED[permitted] ?? []).includes(verb)) return false;
  if (act.table === null || verb === "CREATE") return true;
  if (approved.table === null) return WHOLE.has(verb);
  return sameTable(approved.table, act.table);
}

/** `approved` may leave out the schema; it then means the table that the bare name reaches, which the engine adapter spells without schema. */
export function sameTable(approved: string, actual: string): boolean {
  return nameParts(approved).join("\u0000") === nameParts(actual).join("\u0000");
}

/** Splits `a."b.c".[d]` into its parts, quotes taken off, case folded. */
export function nameParts(name: string): readonly string[] {
  const bare = exactParts(name).map((part) => part.toLowerCase());
  return bare.length > 1 && bare[0] === "main" ? bare.slice(1) : bare;
}

/** The same with quoted parts as they are written; bare ones are folded. */
export function exactParts(name: string): readonly string[] {
  const parts = name.match(/"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[^.\s"`[\]]+/g) ?? [];
  return parts.map((part) => (/^["`[]/.test(part) ? unquote(part) : part.toLowerCase()));
}

function unquote(part: string): string {
  const first = part[0];
  if (first === '"' || first === "`") return part.slice(1, -1).replaceAll(first + first, first);
  return first === "[" ? part.slice(1, -1) : part;
}

/** The acts that are not within the intent, each once. */
export function excess(intent: Intent, acts: readonly Act[]): readonly Act[] {
  const seen = new Map<string, Act>();
  for (const act of acts) {
    if (!covers(intent, act)) seen.set(`${act.verb}\u0000${act.table}\u0000${act.via}`, act);
  }
  return [...seen.values()];
}
