/** SQLite's own parser: a statement is prepared against an empty database in memory and never stepped. */
import type * as sqlite from "node:sqlite";
import type { Parse } from "./parseMessages";

/** Undefined where the runtime has no SQLite. */
export function sqliteParser(): Parse | undefined {
  const module = loadSqlite();
  if (module === undefined) return undefined;
  const database = new module.DatabaseSync(":memory:");
  return ({ statements }) => {
    for (const statement of statements) {
      // Some pragmas already act while they are prepared.
      if (/^\s*pragma\b/i.test(statement)) continue;
      try {
        database.prepare(statement);
      } catch (error) {
        // A table or function that is missing here says nothing; only the grammar does.
        if (/syntax error|incomplete input|unrecognized token/.test(String(error))) return "refuses-exact";
      }
    }
    return "reads";
  };
}

function loadSqlite(): typeof sqlite | undefined {
  try {
    return process.getBuiltinModule("node:sqlite");
  } catch {
    return undefined;
  }
}
