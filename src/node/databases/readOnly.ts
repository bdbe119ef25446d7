/** A database of which nothing but reading is taken, whatever was approved. The engine's own read-only session enforces it; knows no engine. */
import { CountersignError } from "../../core/errors";
import { readOnlyReason } from "../../core/guards/readOnly";
import { classifySql } from "../../core/sql/classify";
import { effectOf } from "../../core/sql/readsOnly";
import { type Database, describeAct, EngineRefused } from "./database";

/**
 * Every text runs as one that was judged a read: SQLite opens the file read-only with `query_only` and an authorizer,
 * PostgreSQL, MariaDB and MySQL make the session and its transaction READ ONLY.
 */
export function readOnlyDatabase(database: Database): Database {
  return {
    ...database,
    async query(sql, { signal }) {
      const why = beyondReading(sql, database.dialect);
      if (why !== null) throw refused(why);
      try {
        return await database.query(sql, {
          intent: { kind: "read" },
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (error) {
        if (!(error instanceof EngineRefused)) throw error;
        throw refused(`the statement would ${error.acts.map(describeAct).join(", and ")}`);
      }
    },
    beginLoad: () => Promise.reject(refused("an import writes")),
  };
}

/** Functions are the engine's to judge. Other doubts are not: MySQL's READ ONLY lets a SELECT write a file, or a LOCK end the transaction. */
function beyondReading(sql: string, dialect: string): string | null {
  const effect = effectOf(sql, [dialect]);
  if (effect.kind === "writes") return `${effect.verb} writes`;
  if (effect.kind === "reads") return null;
  const { statements, floors } = classifySql(sql, { dialect });
  const known =
    statements.length > 0 && statements.every(({ rule }) => rule === "none" || rule === "function");
  return known && floors.length === 0 ? null : "the statement cannot be told to be a read";
}

function refused(what: string): CountersignError {
  return new CountersignError("database.failed", readOnlyReason(what), {
    hint: "Send a reading statement.",
  });
}
