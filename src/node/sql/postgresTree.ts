/** Looks through PostgreSQL's parse tree for any statement that does more than read, insert or create. Asks no parser. */
import { HARMLESS_SETTINGS } from "../../core/sql/verbs";

type Node = Readonly<Record<string, unknown>>;
type Test = (node: Node) => boolean;

const always: Test = () => true;

/** What may follow BEGIN and the like; the rest belongs to two-phase commit. */
const TRANSACTIONS = new Set(
  ["BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "ROLLBACK_TO"].map(
    (kind) => `TRANS_STMT_${kind}`,
  ),
);

const SETTINGS = new Set([...HARMLESS_SETTINGS, "CLIENT_ENCODING"]);

/** The statements that the rules may allow, and when. A statement that is not named here is more than a read, whatever it is. */
const HARMLESS: Readonly<Record<string, Test>> = {
  SelectStmt: always,
  InsertStmt: always,
  CreateStmt: always,
  CreateTableAsStmt: always,
  ViewStmt: (node) => node.replace !== true,
  IndexStmt: always,
  CreateSeqStmt: always,
  CreateEnumStmt: always,
  CreateRangeStmt: always,
  CompositeTypeStmt: always,
  CreateDomainStmt: always,
  // CREATE TYPE; the other kinds bind functions.
  DefineStmt: (node) => node.kind === "OBJECT_TYPE",
  CreateSchemaStmt: always,
  CreatedbStmt: always,
  ExplainStmt: always,
  TransactionStmt: (node) => TRANSACTIONS.has(String(node.kind)),
  VariableShowStmt: always,
  VariableSetStmt: (node) => SETTINGS.has(String(node.name).toUpperCase()),
  DeclareCursorStmt: always,
  FetchStmt: (node) => node.ismove !== true,
  ClosePortalStmt: always,
  // A file and a program are the server's own; without either the rows go to whoever asked.
  CopyStmt: (node) =>
    node.is_from !== true && node.is_program !== true && node.filename === undefined && isRead(node.query),
};

/** COPY takes INSERT and its kind too; a table's name is no query. */
function isRead(query: unknown): boolean {
  return query === undefined || (typeof query === "object" && query !== null && "SelectStmt" in query);
}

/** Parts that make a statement another one. The halves of a UNION are fields too: their statement has no name of its own. */
const FIELDS: Readonly<Record<string, Test>> = {
  // SELECT .. INTO makes a table.
  intoClause: () => false,
  onConflictClause: (node) => node.action !== "ONCONFLICT_UPDATE",
};

/** True when every statement in the tree, at any depth, is one that the rules may allow. */
export function onlyReads(tree: unknown): boolean {
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const one of next) open.push(one);
      continue;
    }
    if (typeof next !== "object" || next === null) continue;
    for (const [key, value] of Object.entries(next)) {
      if (!isHarmless(key, value)) return false;
      open.push(value);
    }
  }
  return true;
}

/** Names come from the parser alone: what a text holds is only ever a value. */
function isHarmless(key: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const node = value as Node;
  if (/^[A-Z]\w*Stmt$/.test(key)) return HARMLESS[key]?.(node) ?? false;
  return FIELDS[key]?.(node) ?? true;
}
