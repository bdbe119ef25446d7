/** Labels a PostgreSQL statement by PostgreSQL's own syntax tree and its own list of functions. Knows nothing of the guard. */
import { loadModule, parseSync } from "libpg-query";
import { filesOf } from "./readScripts.mjs";

/**
 * @typedef {object} Label
 * @property {"allow" | "not-allow" | "deny"} [want] Absent: read without error, but the source says not enough.
 * @property {string} kind Of the statement, for a draw that takes some of each.
 */

/** Statements that read, insert or create. Every other kind changes, removes or runs something. */
const ALLOWED = new Set([
  "SelectStmt",
  "InsertStmt",
  "CreateStmt",
  "ViewStmt",
  "IndexStmt",
  "CreateSeqStmt",
  "CompositeTypeStmt",
  "CreateEnumStmt",
  "CreateRangeStmt",
  "CreateDomainStmt",
  "CreateSchemaStmt",
  "CreatedbStmt",
  "CreateTableAsStmt",
  "ExplainStmt",
  "TransactionStmt",
  "VariableShowStmt",
  "DeclareCursorStmt",
  "FetchStmt",
  "ClosePortalStmt",
]);

/** Kinds of which the tree alone does not say whether they may pass, each with the reason. */
const UNDECIDED = new Map([
  ["VariableSetStmt", "some settings change how later text is read, others only a time-out"],
  ["DefineStmt", "the same node is a shell type, which is only a name, and an aggregate, which runs code"],
]);

/** Volatile to PostgreSQL because each call may answer differently; no row and no object changes. */
const VOLATILE_READS =
  /^(random|clock_timestamp|timeofday|gen_random_uuid|currval|lastval|pg_\w+_size|pg_size_\w+)$/;

/** Name to the volatilities of its overloads, from the catalogue of the same package. */
export function functionCatalogue(folder) {
  const catalogue = new Map();
  for (const { text } of filesOf(folder, /pg_proc\.dat$/))
    for (const entry of text.split(/\n\{/).slice(1)) {
      const name = /proname => '([^']+)'/.exec(entry)?.[1];
      const kind = /provolatile => '(\w)'/.exec(entry)?.[1] ?? "i";
      if (name !== undefined) catalogue.set(name, [...(catalogue.get(name) ?? []), kind]);
    }
  return catalogue;
}

/** Every node of a tree under its key, without recursion on our side of the stack. */
function nodesOf(root) {
  const found = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const [key, value] of Object.entries(node)) {
      if (value === null || typeof value !== "object") continue;
      found.push([key, value]);
      open.push(value);
    }
  return found;
}

function ownWant(kind, node) {
  if (kind === "DropStmt" && node.removeType === "OBJECT_SCHEMA") return "deny";
  if (kind === "DropdbStmt") return "deny";
  if (UNDECIDED.has(kind)) return undefined;
  // Without a file and a program the rows of a table or a query go to whoever asked.
  if (kind === "CopyStmt" && !node.is_from && !node.is_program && node.filename === undefined)
    return node.query === undefined || "SelectStmt" in node.query ? "allow" : "not-allow";
  if (!ALLOWED.has(kind)) return "not-allow";
  if (node.intoClause !== undefined || node.onConflictClause?.action === "ONCONFLICT_UPDATE" || node.replace)
    return "not-allow";
  if (kind === "FetchStmt" && node.ismove) return undefined;
  if (kind === "CreateSchemaStmt" && node.schemaElts !== undefined) return undefined;
  if (kind === "TransactionStmt" && /PREPARE/.test(node.kind)) return "not-allow";
  return "allow";
}

function functionWant(call, catalogue) {
  const names = call.funcname.map((part) => part.String?.sval ?? "");
  const kinds = catalogue.get(names.at(-1));
  if (kinds === undefined || (names.length > 1 && names[0] !== "pg_catalog")) return undefined;
  if (kinds.some((kind) => kind === "v")) return VOLATILE_READS.test(names.at(-1)) ? "allow" : undefined;
  return "allow";
}

/** @param {string} folder Of the unpacked package. @returns {Promise<(sql: string) => Label | null>} null: not SQL to PostgreSQL. */
export async function postgresLabeller(folder) {
  await loadModule();
  const catalogue = functionCatalogue(folder);
  return (sql) => {
    let tree;
    try {
      tree = parseSync(sql);
    } catch {
      return null;
    }
    const statements = tree.stmts ?? [];
    if (statements.length !== 1) return null;
    const nodes = nodesOf(statements[0].stmt);
    const top = Object.keys(statements[0].stmt)[0] ?? "";
    // TRUNCATE and its like count as one kind; DROP and ALTER are told apart by what they hit.
    const node = statements[0].stmt[top];
    const kind = [top, node.removeType ?? node.objtype ?? ""].join(" ").trim();
    const wants = [
      ...Object.entries(statements[0].stmt).map(([name, value]) => ownWant(name, value)),
      ...nodes.filter(([name]) => /^[A-Z]\w*Stmt$/.test(name)).map(([name, value]) => ownWant(name, value)),
      ...nodes.filter(([name]) => name === "FuncCall").map(([, value]) => functionWant(value, catalogue)),
    ];
    if (top === "ExplainStmt" && !wants.every((want) => want === "allow")) return { kind };
    const want = ["deny", "not-allow", undefined, "allow"].find((one) => wants.includes(one));
    return want === undefined ? { kind } : { want, kind };
  };
}
