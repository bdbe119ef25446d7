/** Labels SQLite statements by what SQLite's own authorizer is asked for while it prepares them. Knows nothing of the guard. */
import { constants, DatabaseSync } from "node:sqlite";

/** Codes of the authorizer interface, in the order of its documentation. */
const WRITES = new Map([
  [5, "CREATE_TRIGGER"],
  [7, "CREATE_TRIGGER"],
  [9, "DELETE"],
  [10, "DROP_INDEX"],
  [11, "DROP_TABLE"],
  [12, "DROP_INDEX"],
  [13, "DROP_TABLE"],
  [14, "DROP_TRIGGER"],
  [15, "DROP_VIEW"],
  [16, "DROP_TRIGGER"],
  [17, "DROP_VIEW"],
  [23, "UPDATE"],
  [24, "ATTACH"],
  [25, "DETACH"],
  [26, "ALTER_TABLE"],
  [27, "REINDEX"],
  [28, "ANALYZE"],
  [30, "DROP_TABLE"],
]);
const READS = new Map([
  [1, "CREATE_INDEX"],
  [2, "CREATE_TABLE"],
  [3, "CREATE_INDEX"],
  [4, "CREATE_TABLE"],
  [6, "CREATE_VIEW"],
  [8, "CREATE_VIEW"],
  [18, "INSERT"],
  [21, "SELECT"],
  [22, "TRANSACTION"],
  [29, "CREATE_VTABLE"],
  [32, "SAVEPOINT"],
]);
const PRAGMA = 19;
const FUNCTION = 31;
const ACTING_FUNCTIONS = new Set(["load_extension", "fts3_tokenizer", "writefile", "edit"]);
const READING_PRAGMAS =
  /^(table_x?info|table_list|index_(list|info|xinfo)|foreign_key_(list|check)|integrity_check|quick_check|database_list)$/i;

/** What SQLite parsed and only then could not find. */
const PARSED =
  /^(no such (table|column|index|view|function|module|trigger|savepoint|collation)|(table|index|view) .* already exists|there is already)/i;

/** @returns {{ actions: [number, string | null, string | null, string | null][], note: (on: boolean) => void, database: DatabaseSync }} */
function watched() {
  const database = new DatabaseSync(":memory:", { allowExtension: false });
  if (database.setAuthorizer === undefined)
    throw new Error(`Node ${process.versions.node} has no SQLite authorizer; use node_modules/.bin/node`);
  const actions = [];
  let noting = false;
  database.setAuthorizer((code, first, second, _database, trigger) => {
    if (noting) actions.push([code, first, second, trigger]);
    return code === 24 ? constants.SQLITE_DENY : constants.SQLITE_OK;
  });
  const note = (on) => {
    noting = on;
    if (on) actions.length = 0;
  };
  return { actions, note, database };
}

/** Changes of the schema table belong to CREATE; what a trigger does no text shows. */
function wantOf(actions, sql) {
  const own = actions.filter(
    ([, first, , trigger]) =>
      trigger === null && !/^sqlite_(temp_)?(master|schema|sequence|stat)/.test(first ?? ""),
  );
  // Building a new index is reported as REINDEX behind CREATE_INDEX.
  const makesIndex = own.some(([code]) => code === 1 || code === 3);
  const write = own.find(
    ([code, first, second]) =>
      (WRITES.has(code) && !(code === 27 && makesIndex)) ||
      (code === FUNCTION && ACTING_FUNCTIONS.has(second)) ||
      (code === PRAGMA && second !== null && !READING_PRAGMAS.test(first)),
  );
  const kind =
    own.map(([code]) => (code === 27 && makesIndex ? undefined : WRITES.get(code))).find((name) => name) ??
    own.map(([code]) => READS.get(code)).find((name) => name) ??
    "OTHER";
  if (/^\s*explain\b/i.test(sql))
    return write === undefined && kind === "SELECT"
      ? { want: "allow", kind: "EXPLAIN" }
      : { kind: "EXPLAIN" };
  // The authorizer calls INSERT OR REPLACE an insert, though it removes the rows in its way.
  if (/^\s*(?:with\b[\s\S]*)?(?:insert\s+or\s+replace|replace)\s/i.test(sql))
    return { want: "not-allow", kind: "REPLACE" };
  // A row in the column named like its full-text table is a command, which the authorizer does not know.
  if (/^\s*insert\s+into\s+(\w+)\s*\((?:[^)]*,)?\s*\1\s*[,)]/i.test(sql)) return { kind };
  if (write !== undefined) return { want: "not-allow", kind: write[0] === PRAGMA ? "PRAGMA" : kind };
  if (/^\s*(select|with|values|insert|create|begin|commit|end|rollback|savepoint|release)\b/i.test(sql))
    return { want: "allow", kind };
  return { kind: /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? kind };
}

/**
 * Statements of one file in order, in one database of their own; what makes or fills a table is run so that later ones find it.
 * @param {readonly string[]} statements
 * @returns {readonly (import("./labelPostgres.mjs").Label | null)[]} null: SQLite refuses it as SQL.
 */
export function labelSqliteFile(statements) {
  const { database, actions, note } = watched();
  try {
    return statements.map((sql) => {
      note(true);
      try {
        const prepared = database.prepare(sql);
        const label = wantOf(actions, sql);
        note(false);
        if (mayRun(sql)) prepared.run();
        return label;
      } catch (error) {
        note(false);
        return PARSED.test(error.message)
          ? { kind: "unresolved" }
          : error.code === "ERR_SQLITE_ERROR" &&
              actions.length > 0 &&
              !/syntax|unrecognized|incomplete/.test(error.message)
            ? wantOf(actions, sql)
            : null;
      }
    });
  } finally {
    database.close();
  }
}

/** Only what makes or removes a name that later statements need: running a test's queries would take minutes. */
function mayRun(sql) {
  return /^\s*(?:create\s+(?:temp\w*\s+|unique\s+|virtual\s+)?(?:view|trigger|index|table)\b(?![\s\S]*\bas\s+(?:select|with|values)\b[\s\S]*\b(?:recursive|from)\b)|create\s+(?:temp\w*\s+)?(?:view|trigger)|drop|alter)\b/i.test(
    sql,
  );
}
