/** Which function names are known to act, and which are known only to compute, per engine. Knows no place in a statement. */
import type { Family } from "./dialects";
import { isDenied, KEYWORDS } from "./functionNames";
import { CURATED } from "./functionsCurated";
import { COMPUTING, VOLATILE } from "./functionsData";
import { setOf, wordsOf } from "./wordList";

export type FunctionVerdict = "acts" | "computes" | "keyword" | "unknown";

/** Volatile to their engine since each call may answer differently; looked at one by one: none changes a row or an object. */
export const REVIEWED =
  setOf(`clock_timestamp current_connection_id current_query current_query_id current_transaction_id currval error
  gen_random_uuid lastval nextval pg_blocking_pids pg_current_wal_lsn pg_database_size pg_indexes_size pg_is_in_recovery
  pg_partition_ancestors pg_partition_tree pg_relation_size pg_table_size pg_tablespace_size pg_total_relation_size
  random setseed stats timeofday uuid uuidv4 uuidv7`);

/** Name to the engines that have it, one list for each group. */
function byName(groups: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const out = new Map<string, readonly string[]>();
  for (const [group, names] of Object.entries(groups)) {
    const engines = group.split(" ");
    for (const name of wordsOf(names)) out.set(name, engines);
  }
  return out;
}

const computing = byName(COMPUTING);
const volatile = byName(VOLATILE);
const curated = byName(CURATED);

/** Only their users' functions can write, so only here it matters whose a hand-made name is. */
const JUDGED: ReadonlySet<Family> = new Set(["postgres", "mysql", "sqlite", "oracle"]);

/**
 * `name` unquoted, in any case. What an engine calls volatile never computes there, whoever else has such a name.
 * An engine's own names, the curated ones, and names of several words of other engines compute: people also name their
 * own functions `add` or `combine`, but not `array_grade_up`. `dialect` is the name of the family's member that a call
 * names; null = none is named, and the text may be meant for any engine whose functions are known here.
 */
export function judgeFunction(
  name: string,
  family: Family,
  dialect: string | null = family,
): FunctionVerdict {
  const key = name.toLowerCase();
  if (isDenied(key)) return "acts";
  if (REVIEWED.has(key)) return "computes";
  if (volatile.get(key)?.includes(family)) return "acts";
  const owners = computing.get(key);
  const known = owners !== undefined && (owners.includes(family) || /[_\d]/.test(key));
  if (known || isCurated(key, family, dialect)) return "computes";
  return KEYWORDS.has(key) ? "keyword" : "unknown";
}

function isCurated(key: string, family: Family, dialect: string | null): boolean {
  const engines = curated.get(key);
  if (engines === undefined) return false;
  if (dialect === null || !JUDGED.has(family)) return true;
  return engines.includes(family) || engines.includes(dialect);
}

const PACKAGES = setOf(`
dbms_metadata.get_ddl dbms_metadata.get_dependent_ddl dbms_metadata.get_granted_ddl dbms_metadata.get_xml dbms_metadata.get_sxml
dbms_metadata.get_dependent_xml dbms_metadata.get_granted_xml dbms_xplan.display_cursor dbms_xplan.display_awr
dbms_lob.substr dbms_lob.instr dbms_lob.getlength dbms_lob.compare dbms_random.value dbms_random.string
dbms_random.normal dbms_crypto.hash utl_raw.cast_to_raw utl_raw.cast_to_varchar2 utl_raw.cast_to_number utl_raw.length utl_raw.substr
utl_raw.concat utl_encode.base64_encode utl_encode.base64_decode
`);

/** Oracle's own packages: `path` is `package.function` in lower case. */
export function isReadingPackage(path: string): boolean {
  return PACKAGES.has(path);
}

export const SAFE_QUALIFIERS = setOf(
  "pg_catalog information_schema sys safe net keys hll_count st ml json array new old excluded inserted deleted",
);
