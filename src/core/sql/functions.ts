/** Which function names are known to act, and which are known only to compute, per engine. Knows no place in a statement. */
import type { Family } from "./dialects";
import { isDenied, KEYWORDS } from "./functionNames";
import { CURATED } from "./functionsCurated";
import { COMPUTING, VOLATILE } from "./functionsData";

export type FunctionVerdict = "acts" | "computes" | "keyword" | "unknown";

/** Volatile to their engine since each call may answer differently; looked at one by one: none changes a row or an object. */
export const REVIEWED: ReadonlySet<string> = new Set(
  `clock_timestamp current_connection_id current_query current_query_id current_transaction_id currval error
  gen_random_uuid lastval nextval pg_blocking_pids pg_current_wal_lsn pg_database_size pg_indexes_size pg_is_in_recovery
  pg_partition_ancestors pg_partition_tree pg_relation_size pg_table_size pg_tablespace_size pg_total_relation_size
  random setseed stats timeofday uuid uuidv4 uuidv7`.split(/\s+/),
);

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Name to the engines that have it, one string for each group. */
function byName(groups: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(groups).flatMap(([engines, names]) =>
      words(names).map((name): [string, string] => [name, engines]),
    ),
  );
}

const computing = byName(COMPUTING);
const volatile = byName(VOLATILE);
const curated: ReadonlySet<string> = new Set(words(CURATED));

/**
 * `name` unquoted, in any case. What an engine calls volatile never computes there, whoever else has such a name.
 * An engine's own names, the curated ones, and names of several words of other engines compute: people also name their
 * own functions `add` or `combine`, but not `array_grade_up`.
 */
export function judgeFunction(name: string, family: Family): FunctionVerdict {
  const key = name.toLowerCase();
  if (isDenied(key)) return "acts";
  if (REVIEWED.has(key)) return "computes";
  if (has(volatile.get(key), family)) return "acts";
  const owners = computing.get(key);
  if (curated.has(key) || has(owners, family) || (owners !== undefined && /[_\d]/.test(key)))
    return "computes";
  return KEYWORDS.has(key) ? "keyword" : "unknown";
}

function has(engines: string | undefined, family: Family): boolean {
  return engines?.split(" ").includes(family) ?? false;
}

export const SAFE_QUALIFIERS: ReadonlySet<string> = new Set(
  words(
    "pg_catalog information_schema sys safe net keys hll_count st ml json array new old excluded inserted deleted",
  ),
);
