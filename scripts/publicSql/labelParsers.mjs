/** Labels by a public parser's tree, for engines whose own parser cannot be had, and by first words where there is not even that. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const BUILDS = {
  mysql: "mysql",
  mariadb: "mariadb",
  tsql: "transactsql",
  bigquery: "bigquery",
  snowflake: "snowflake",
  databricks: "hive",
};

/** This parser takes exponential time on deep brackets. */
const MAX_DEPTH = 7;
const MAX_TEXT = 3000;

function tooDeep(sql) {
  let depth = 0;
  for (const sign of sql) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return sql.length > MAX_TEXT;
}

const CHANGES = new Set([
  "update",
  "delete",
  "drop",
  "alter",
  "truncate",
  "replace",
  "call",
  "grant",
  "revoke",
  "rename",
  "lock",
  "unlock",
  "load_data",
  "execute",
  "exec",
  "merge",
]);
const MAKES = new Set(["table", "view", "index", "database", "schema", "sequence"]);
const PLAIN = new Set(["select", "insert", "create", "show", "desc", "explain", "use", "transaction"]);

/** @param {object} node A statement of the tree. */
function ownWant(node) {
  if (node.type === "drop" && /^(database|schema)$/i.test(node.keyword ?? "")) return "deny";
  if (CHANGES.has(node.type)) return "not-allow";
  if (!PLAIN.has(node.type)) return undefined;
  if (node.type === "create") {
    // IGNORE and REPLACE before a query decide about duplicate rows of the new table alone.
    if (node.replace || node.or_replace) return "not-allow";
    return MAKES.has(`${node.keyword}`.toLowerCase()) ? "allow" : "not-allow";
  }
  // The tree calls these insert and select, though they change rows or write files.
  if (node.on_duplicate_update || node.conflict || node.or) return "not-allow";
  if (node.type === "insert" && /overwrite/i.test(node.prefix ?? "")) return "not-allow";
  if (node.type === "select" && (node.into?.expr || node.into?.keyword)) return "not-allow";
  if (node.type === "explain" || node.type === "desc") return undefined;
  return "allow";
}

function partsOf(tree) {
  const statements = [];
  const functions = [];
  const open = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (
      typeof node.type === "string" &&
      (CHANGES.has(node.type) || PLAIN.has(node.type)) &&
      ("table" in node || "from" in node || "keyword" in node || node === tree)
    )
      statements.push(node);
    if (node.type === "function") functions.push((node.name?.name ?? []).map((part) => part.value).join("."));
    for (const value of Object.values(node))
      if (value !== null && typeof value === "object") open.push(value);
  }
  return { statements, functions };
}

/**
 * @param {string} dialect
 * @returns {(sql: string) => { want?: string, kind: string, functions: readonly string[] } | null} null: the parser refuses it or was not asked.
 */
export function parserLabeller(dialect) {
  const { Parser } = require(`node-sql-parser/build/${BUILDS[dialect]}`);
  const parser = new Parser();
  return (sql) => {
    if (tooDeep(sql)) return null;
    let tree;
    try {
      tree = parser.astify(sql);
    } catch {
      return null;
    }
    const list = Array.isArray(tree) ? tree : [tree];
    if (list.length !== 1 || typeof list[0]?.type !== "string") return null;
    const { statements, functions } = partsOf(list[0]);
    const wants = [ownWant(list[0]), ...statements.map(ownWant)];
    const want = ["deny", "not-allow", undefined, "allow"].find((one) => wants.includes(one));
    const kind = [list[0].type, list[0].keyword ?? ""].join(" ").trim();
    return want === undefined ? { kind, functions } : { want, kind, functions };
  };
}

const unquoted = (sql) =>
  sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\[[^\]]*\]/g, " ").trim();

/**
 * By the first words, for statements that are plain to a reader: a destructive verb in front, or a query with none in it.
 * @param {string} sql
 * @returns {import("./labelPostgres.mjs").Label | null} null: a quote or comment is left open, so it is no statement.
 */
export function labelByWords(sql) {
  const words = unquoted(sql).toUpperCase();
  if (/['"]|\/\*/.test(words)) return null;
  const first = /^\W*(\w+)/.exec(words)?.[1] ?? "";
  if (/^DROP\s+(DATABASE|SCHEMA)\b/.test(words)) return { want: "deny", kind: first };
  if (
    /^(DELETE|UPDATE|TRUNCATE|DROP|ALTER|MERGE|GRANT|REVOKE|CALL|EXEC|EXECUTE|BEGIN|DECLARE|IF)\b/.test(
      words,
    ) &&
    words.length > first.length + 2
  )
    return /^(BEGIN|DECLARE|IF)/.test(first) &&
      !/\b(DELETE|UPDATE|DROP|ALTER|INSERT|EXEC|EXECUTE|:=)\b|:=/.test(words)
      ? { kind: first }
      : { want: "not-allow", kind: first };
  if (
    /^CREATE\s+OR\s+(REPLACE|ALTER)\b|^CREATE\s+(FUNCTION|PROCEDURE|TRIGGER|USER|PACKAGE|TYPE\s+BODY|CONTEXT)\b/.test(
      words,
    )
  )
    return { want: "not-allow", kind: "CREATE OR" };
  const plain = !/\b(DELETE|UPDATE|TRUNCATE|DROP|ALTER|MERGE|EXEC|EXECUTE|CALL|GRANT|REPLACE|BEGIN)\b|;/.test(
    words,
  );
  if (
    plain &&
    /^CREATE\s+((GLOBAL TEMPORARY|UNIQUE|UNIQUE CLUSTERED|NONCLUSTERED)\s+)?(TABLE|INDEX|SEQUENCE|VIEW)\b/.test(
      words,
    )
  )
    return { want: "allow", kind: "CREATE" };
  if (plain && /^INSERT\s+INTO\b/.test(words) && !/\w\s*\.\s*\w+\s*\(/.test(words))
    return { want: "allow", kind: first };
  if (
    plain &&
    /^(SELECT|WITH)\b/.test(words) &&
    !/\bINTO\b|\.\s*\w+\s*\(|\b(F|PKG|FUNC|PROC|UDT)_\w+\s*\(/.test(words)
  )
    return { want: "allow", kind: first };
  return { kind: first };
}
