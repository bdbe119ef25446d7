/** A parser that is not the engine's own: what it refuses may still be valid. One file for each dialect, read on first use. */
import type { Parse } from "./parseMessages";

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

/** Rejects when there is none for the dialect. */
export async function inexactParser(dialect: string): Promise<Parse> {
  const Parser = parserOf(await BUILDS[dialect]?.());
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
