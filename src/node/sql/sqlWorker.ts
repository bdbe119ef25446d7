/** A thread that asks real parsers about SQL, so that a parser that hangs can be ended. Runs no SQL and decides nothing. */
import type * as sqlite from "node:sqlite";
import { parentPort } from "node:worker_threads";

/** Sent to the thread. */
export interface ParseRequest {
  readonly id: number;
  readonly text: string;
  /** The same text cut into statements, for parsers that read one at a time. */
  readonly statements: readonly string[];
  readonly dialect: string;
}

/** Sent back: first that the parser is loaded, then what it says. */
export type ParseReply =
  | { readonly id: number; readonly kind: "loaded" }
  | {
      readonly id: number;
      readonly kind: "said";
      readonly says: "reads" | "acts" | "refuses" | "refuses-exact";
    };

type Parse = (request: ParseRequest) => "reads" | "acts" | "refuses" | "refuses-exact";

/** One file for each dialect, read on first use. */
const BUILDS: Readonly<Record<string, () => Promise<unknown>>> = {
  postgres: () => import("node-sql-parser/build/postgresql.js"),
  redshift: () => import("node-sql-parser/build/redshift.js"),
  mysql: () => import("node-sql-parser/build/mysql.js"),
  mariadb: () => import("node-sql-parser/build/mariadb.js"),
  sqlite: () => import("node-sql-parser/build/sqlite.js"),
  tsql: () => import("node-sql-parser/build/transactsql.js"),
  bigquery: () => import("node-sql-parser/build/bigquery.js"),
  snowflake: () => import("node-sql-parser/build/snowflake.js"),
};

const loaded = new Map<string, Parse>();

async function load(dialect: string): Promise<Parse> {
  const known = loaded.get(dialect);
  if (known !== undefined) return known;
  const exact = dialect === "sqlite" ? exactSqlite() : undefined;
  const parse = exact ?? inexact(await BUILDS[dialect]?.());
  loaded.set(dialect, parse);
  return parse;
}

/** SQLite's own parser: a statement is prepared against an empty database in memory and never stepped. */
function exactSqlite(): Parse | undefined {
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

const ACTING = new Set([
  "delete",
  "update",
  "drop",
  "truncate",
  "alter",
  "replace",
  "rename",
  "merge",
  "call",
  "exec",
  "execute",
  "grant",
  "revoke",
  "attach",
  "copy",
]);

interface ParserClass {
  new (): { astify(text: string): unknown };
}

function inexact(module: unknown): Parse {
  const Parser = parserOf(module);
  return ({ text }) => {
    try {
      const ast = new Parser().astify(text);
      const list: readonly unknown[] = Array.isArray(ast) ? ast : [ast];
      return list.some((node) => ACTING.has(typeOf(node))) ? "acts" : "reads";
    } catch {
      return "refuses";
    }
  };
}

/** The builds are CommonJS: the class is a property of the module or of its default. */
function parserOf(module: unknown): ParserClass {
  for (const candidate of [module, property(module, "default")]) {
    const found = property(candidate, "Parser");
    if (typeof found === "function") return found as unknown as ParserClass;
  }
  throw new TypeError("this build of node-sql-parser has no Parser");
}

function property(value: unknown, name: string): unknown {
  return (typeof value === "object" || typeof value === "function") && value !== null
    ? Reflect.get(value, name)
    : undefined;
}

function typeOf(node: unknown): string {
  const type = property(node, "type");
  return typeof type === "string" ? type.toLowerCase() : "";
}

parentPort?.on("message", (request: ParseRequest) => {
  void answer(request);
});

/** A parser that cannot be loaded ends the thread, which its owner takes for "unverified". */
async function answer(request: ParseRequest): Promise<void> {
  const parse = await load(request.dialect);
  const reply = (message: ParseReply) => parentPort?.postMessage(message);
  reply({ id: request.id, kind: "loaded" });
  reply({ id: request.id, kind: "said", says: parse(request) });
}
