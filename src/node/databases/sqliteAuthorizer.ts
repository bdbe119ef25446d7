/** Turns what SQLite's authorizer reports into acts, and refuses what the intent does not cover. Runs in the SQLite process; opens no file. */
import { constants as C } from "node:sqlite";
import { type Act, covers, excess, type Intent } from "./intent";

/** Pragmas that only tell, with or without an argument. */
const TELLING = new Set(
  "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check integrity_check quick_check".split(
    " ",
  ),
);
/** Pragmas that tell without an argument and set with one. */
const TELLING_BARE = new Set(
  (
    "database_list collation_list function_list module_list pragma_list compile_options user_version schema_version application_id " +
    "page_count page_size freelist_count data_version encoding journal_mode foreign_keys query_only auto_vacuum busy_timeout cache_size synchronous " +
    "secure_delete locking_mode max_page_count mmap_size temp_store threads recursive_triggers wal_autocheckpoint trusted_schema journal_size_limit stats " +
    "analysis_limit automatic_index cache_spill cell_size_check checkpoint_fullfsync count_changes default_cache_size defer_foreign_keys " +
    "empty_result_callbacks full_column_names fullfsync hard_heap_limit ignore_check_constraints legacy_alter_table read_uncommitted " +
    "reverse_unordered_selects short_column_names soft_heap_limit writable_schema"
  ).split(" "),
);

const SCHEMA_TABLES = /^sqlite_(temp_)?(master|schema)$/i;

const VERBS: ReadonlyMap<number, string> = new Map([
  [C.SQLITE_INSERT, "INSERT"],
  [C.SQLITE_UPDATE, "UPDATE"],
  [C.SQLITE_DELETE, "DELETE"],
  [C.SQLITE_CREATE_TABLE, "CREATE"],
  [C.SQLITE_CREATE_TEMP_TABLE, "CREATE"],
  [C.SQLITE_CREATE_VIEW, "CREATE"],
  [C.SQLITE_CREATE_TEMP_VIEW, "CREATE"],
  [C.SQLITE_CREATE_INDEX, "CREATE"],
  [C.SQLITE_CREATE_TEMP_INDEX, "CREATE"],
  [C.SQLITE_CREATE_TRIGGER, "CREATE TRIGGER"],
  [C.SQLITE_CREATE_TEMP_TRIGGER, "CREATE TRIGGER"],
  [C.SQLITE_CREATE_VTABLE, "CREATE VIRTUAL TABLE"],
  [C.SQLITE_DROP_TABLE, "DROP"],
  [C.SQLITE_DROP_TEMP_TABLE, "DROP"],
  [C.SQLITE_DROP_VIEW, "DROP"],
  [C.SQLITE_DROP_TEMP_VIEW, "DROP"],
  [C.SQLITE_DROP_VTABLE, "DROP"],
  [C.SQLITE_DROP_INDEX, "DROP"],
  [C.SQLITE_DROP_TEMP_INDEX, "DROP"],
  [C.SQLITE_DROP_TRIGGER, "DROP"],
  [C.SQLITE_DROP_TEMP_TRIGGER, "DROP"],
  [C.SQLITE_REINDEX, "REINDEX"],
  [C.SQLITE_ANALYZE, "ANALYZE"],
]);

/** Modules of SQLite's own that keep their rows in new tables beside them, and reach no file. */
const OWN_MODULES = new Set(["fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"]);

/** Dropped with their table, which is reported before them. */
const PARTS = new Set([
  C.SQLITE_DROP_TRIGGER,
  C.SQLITE_DROP_TEMP_TRIGGER,
  C.SQLITE_DROP_INDEX,
  C.SQLITE_DROP_TEMP_INDEX,
]);

export interface Seen {
  readonly acts: readonly Act[];
  /** Those of `acts` that make a table of one of SQLite's own modules. */
  readonly ownTables: ReadonlySet<Act>;
  /** BEGIN, COMMIT or ROLLBACK when the statement is one. */
  readonly transaction?: string;
}

export interface Authorizer {
  readonly callback: (
    code: number,
    a: string | null,
    b: string | null,
    db: string | null,
    via: string | null,
  ) => number;
  /** Collects everything SQLite would do, so that a refusal can name it all. Nothing has run yet. */
  compile<T>(compile: () => T): { readonly value: T; readonly seen: Seen };
  /** Denies what is beyond the intent. Virtual tables in `seen` may write their own shadow tables. */
  run<T>(scope: { readonly seen: Seen; readonly shadows: ReadonlySet<string> }, run: () => T): T;
}

type Scope = Parameters<Authorizer["run"]>[0];

/** Between `compile` and `run` the connection is ours and everything is permitted. */
export function createAuthorizer(intent: Intent): Authorizer {
  let phase: "ours" | "compile" | "run" = "ours";
  let acts: Act[] = [];
  let refused: Act[] = [];
  let ownTables = new Set<Act>();
  let transaction: string | undefined;
  let scope: Scope | undefined;

  function permitted(code: number, act: Act): boolean {
    // Pragmas and ATTACH can take effect while they are compiled; a statement compiled anew as it runs is judged at once.
    const atOnce = phase === "run" || !VERBS.has(code);
    acts.push(act);
    return !atOnce || covers(intent, act) || (scope !== undefined && isOwnWork(scope, act));
  }

  function enter<T>(next: "compile" | "run", work: () => T): T {
    phase = next;
    refused = [];
    acts = [];
    ownTables = new Set();
    transaction = undefined;
    try {
      return work();
    } catch (error) {
      throw refused.length > 0 ? new RefusedByAuthorizer(refused) : error;
    } finally {
      phase = "ours";
    }
  }

  return {
    callback(code, a, b, db, via) {
      if (phase === "ours" || isReading(code, a, b)) return C.SQLITE_OK;
      if (code === C.SQLITE_TRANSACTION || code === C.SQLITE_SAVEPOINT) {
        if (code === C.SQLITE_TRANSACTION) transaction = a ?? "";
        return C.SQLITE_OK;
      }
      if (phase === "run" && approvesVacuum(intent)) return C.SQLITE_OK;
      const act = actOf({ code, a, b, db, via });
      if (PARTS.has(code) && acts.some((one) => one.verb === "DROP" && one.table === qualified(db, b)))
        return C.SQLITE_OK;
      if (act === null) return phase === "run" && intent.kind === "read" ? C.SQLITE_DENY : C.SQLITE_OK;
      if (code === C.SQLITE_CREATE_VTABLE && OWN_MODULES.has(b?.toLowerCase() ?? "")) ownTables.add(act);
      if (permitted(code, act)) return C.SQLITE_OK;
      refused.push(act);
      return C.SQLITE_DENY;
    },
    compile(compile) {
      return enter("compile", () => {
        const value = compile();
        return { value, seen: { acts, ownTables, ...(transaction === undefined ? {} : { transaction }) } };
      });
    },
    run(next, run) {
      scope = next;
      try {
        return enter("run", run);
      } finally {
        scope = undefined;
      }
    },
  };
}

export class RefusedByAuthorizer extends Error {
  readonly acts: readonly Act[];

  constructor(acts: readonly Act[]) {
    super("not authorized");
    this.acts = acts;
  }
}

/** What of the compiled statement is beyond the intent. */
export function beyondIntent(intent: Intent, seen: Seen): readonly Act[] {
  return excess(intent, seen.acts).filter((act) => {
    if (intent.kind === "read") return true;
    return !isBookkeeping(seen, act) && !(intent.kind === "add" && seen.ownTables.has(act));
  });
}

/** CREATE INDEX fills its index by REINDEX; DROP, ALTER and ANALYZE keep SQLite's own tables in step. */
function isBookkeeping(seen: Seen, act: Act): boolean {
  const verbs = new Set(seen.acts.map((one) => one.verb));
  if (act.verb === "REINDEX") return verbs.has("CREATE");
  if (act.table === null || !/^sqlite_(stat\d|sequence)$/i.test(act.table)) return false;
  return verbs.has("DROP") || verbs.has("ALTER") || verbs.has("ANALYZE");
}

function isOwnWork({ seen, shadows }: Scope, act: Act): boolean {
  if (isBookkeeping(seen, act)) return true;
  const table = act.table;
  if (table === null) return false;
  return seen.acts.some((one) => {
    if (one.table === null || !table.startsWith(`${one.table}_`)) return false;
    // The shadow tables of a table that is being made are new; had one existed, its creation would have failed.
    return shadows.has(table) || one.verb === "CREATE VIRTUAL TABLE";
  });
}

function approvesVacuum(intent: Intent): boolean {
  return intent.kind === "approved" && intent.acts.some((act) => act.verb === "VACUUM");
}

function isReading(code: number, a: string | null, b: string | null): boolean {
  switch (code) {
    case C.SQLITE_READ:
    case C.SQLITE_SELECT:
    case C.SQLITE_RECURSIVE:
      return true;
    case C.SQLITE_FUNCTION:
      return b?.toLowerCase() !== "load_extension";
    case C.SQLITE_PRAGMA: {
      const name = a?.toLowerCase() ?? "";
      // Switched on, it only protects.
      if (name === "foreign_keys" && /^(?:on|true|yes|1)$/i.test(b ?? "")) return true;
      return TELLING.has(name) || (b === null && TELLING_BARE.has(name));
    }
    default:
      return false;
  }
}

interface Reported {
  readonly code: number;
  readonly a: string | null;
  readonly b: string | null;
  readonly db: string | null;
  readonly via: string | null;
}

/** null = SQLite's own bookkeeping, which comes with an act that is reported beside it. */
function actOf({ code, a, b, db, via }: Reported): Act | null {
  if (code === C.SQLITE_PRAGMA) return { verb: "PRAGMA", table: a };
  if (code === C.SQLITE_ATTACH) return { verb: "ATTACH", table: null };
  if (code === C.SQLITE_DETACH) return { verb: "DETACH", table: null };
  if (code === C.SQLITE_FUNCTION) return { verb: "FUNCTION", table: b };
  if (code === C.SQLITE_ALTER_TABLE) return { verb: "ALTER", table: qualified(a, b) };
  const verb = VERBS.get(code);
  if (verb === undefined) return { verb: `ACTION ${code}`, table: a };
  if (a !== null && SCHEMA_TABLES.test(a)) return null;
  return { verb, table: qualified(db, a), ...(via === null ? {} : { via }) };
}

function qualified(db: string | null, table: string | null): string | null {
  if (table === null || db === null || db === "main" || db === "temp")
    return table === null ? null : quote(table);
  return `${quote(db)}.${quote(table)}`;
}

/** Names that are plain words stay as they are, so that a person reads them easily. */
function quote(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_$]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
