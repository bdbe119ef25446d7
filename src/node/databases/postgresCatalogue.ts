/** Asks PostgreSQL which of its own catalogues a transaction has changed: what functions, roles, grants and types went through hands that no table's lock shows. */
import type { Client } from "pg";
import { type Act, covers, type Intent } from "./intent";
import { leadingWords } from "./split";
import { sqlNames } from "./sqlNames";

/** The counters are the transaction's own; they count shared catalogues too. */
const CHANGED = `SELECT s.relname AS name, s.n_tup_ins::pg_catalog.text AS inserted, s.n_tup_upd::pg_catalog.text AS updated, s.n_tup_del::pg_catalog.text AS deleted
  FROM pg_catalog.pg_stat_xact_sys_tables s WHERE s.schemaname = 'pg_catalog' AND (s.n_tup_ins > 0 OR s.n_tup_upd > 0 OR s.n_tup_del > 0)`;

/** Words that make, change or drop no object. */
const ROWS_ALONE = new Set(
  "SELECT VALUES TABLE WITH INSERT UPDATE DELETE MERGE UPSERT REPLACE COPY CALL DO EXECUTE EXPLAIN SHOW SET FETCH INTO".split(
    " ",
  ),
);

/** What making tables, views, indexes, sequences, types and schemas writes. */
const MAKING = {
  INSERT: new Set(
    (
      "pg_class pg_attribute pg_type pg_depend pg_shdepend pg_index pg_constraint pg_attrdef pg_sequence pg_inherits pg_partitioned_table pg_rewrite " +
      "pg_trigger pg_namespace pg_enum pg_range pg_cast pg_proc pg_statistic_ext pg_description pg_foreign_table"
    ).split(" "),
  ),
  UPDATE: new Set(
    "pg_class pg_attribute pg_index pg_type pg_depend pg_sequence pg_constraint pg_trigger pg_partitioned_table".split(
      " ",
    ),
  ),
  // A materialized view is filled in a table that is swapped in and dropped; a partition's row type goes.
  DELETE: new Set("pg_depend pg_class pg_attribute pg_type".split(" ")),
};
type Change = keyof typeof MAKING;

export interface CatalogueQuestion {
  readonly intent: Intent;
  readonly statements: readonly string[];
}

export async function catalogueActs(
  client: Client,
  { intent, statements }: CatalogueQuestion,
): Promise<readonly Act[]> {
  const words = statements.map((statement) => leadingWords(statement).split(" ")[0] ?? "");
  const verbs =
    intent.kind === "approved"
      ? [...words, ...intent.acts.map(({ verb }) => verb.split(" ")[0] ?? "")]
      : words;
  // An approved change of objects is a person's to have read; what else would run beside it was asked for before.
  if (
    intent.kind === "approved" &&
    verbs.some((verb) => !ROWS_ALONE.has(verb) && verb !== "CREATE" && verb !== "")
  )
    return [];
  const makes = verbs.some((verb) => verb === "CREATE" || verb === "EXPLAIN" || verb === "INTO");
  const functions = intent.kind === "approved" && verbs.includes("CREATE");
  const objects = intent.kind === "approved" && statements.some(callsLargeObjects);
  const rows = (await client.query(CHANGED)).rows;
  return rows.flatMap((row) => {
    const table = String(row.name);
    const changes: readonly Change[] = [
      ...(Number(row.inserted) > 0 ? (["INSERT"] as const) : []),
      ...(Number(row.updated) > 0 ? (["UPDATE"] as const) : []),
      ...(Number(row.deleted) > 0 ? (["DELETE"] as const) : []),
    ];
    return changes
      .filter((verb) => !(makes && MAKING[verb].has(table)) && !functions)
      .filter(() => !(objects && /^pg_(?:largeobject|shdepend|depend|init_privs)/.test(table)))
      .map((verb): Act => ({ verb, table }))
      .filter((act) => intent.kind !== "approved" || !covers(intent, act));
  });
}

/** `lo_create(..)` in words that a person has read. */
function callsLargeObjects(statement: string): boolean {
  return [...sqlNames(statement, "postgres").bracketed].some((name) => name.startsWith("lo_"));
}
