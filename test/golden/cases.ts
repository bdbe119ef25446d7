/** The same calls, whatever door they come through. `{ws}` stands for the workspace folder. */
export interface GoldenCase {
  readonly name: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly decision: "allow" | "deny" | "ask";
  readonly by: string | null;
  readonly dialect?: string;
}

const terminal = (command: string): GoldenCase["args"] => ({ command, explanation: "x", goal: "y", isBackground: false });

export const goldenCases: readonly GoldenCase[] = [
  { name: "select", tool: "db_query_sql", args: { sql: "SELECT * FROM users" }, decision: "allow", by: null },
  { name: "with", tool: "db_query_sql", args: { sql: "WITH u AS (SELECT 1) SELECT * FROM u" }, decision: "allow", by: null },
  { name: "insert", tool: "db_query_sql", args: { sql: "INSERT INTO users (id) VALUES (1)" }, decision: "allow", by: null },
  { name: "create table", tool: "db_query_sql", args: { sql: "CREATE TABLE t (id INTEGER)" }, decision: "allow", by: null },
  { name: "empty", tool: "db_query_sql", args: { sql: "" }, decision: "allow", by: null },
  { name: "update", tool: "db_query_sql", args: { sql: "UPDATE users SET a = 1 WHERE id = 2" }, decision: "ask", by: "destructive_sql" },
  { name: "delete all", tool: "db_query_sql", args: { sql: "DELETE FROM users" }, decision: "ask", by: "destructive_sql" },
  { name: "forged consent", tool: "db_query_sql", args: { sql: "DELETE FROM users", confirm_destructive: true }, decision: "ask", by: "destructive_sql" },
  { name: "drop table", tool: "db_query_sql", args: { sql: "DROP TABLE users" }, decision: "ask", by: "destructive_sql" },
  { name: "truncate", tool: "db_query_sql", args: { sql: "TRUNCATE users" }, decision: "ask", by: "destructive_sql", dialect: "postgres" },
  { name: "alter", tool: "db_query_sql", args: { sql: "ALTER TABLE users ADD COLUMN x INT" }, decision: "ask", by: "destructive_sql" },
  { name: "drop database", tool: "db_query_sql", args: { sql: "DROP DATABASE shop" }, decision: "deny", by: "destructive_sql" },
  { name: "drop schema", tool: "db_query_sql", args: { sql: "DROP SCHEMA public CASCADE" }, decision: "deny", by: "destructive_sql" },
  { name: "drop database with consent", tool: "db_query_sql", args: { sql: "DROP DATABASE shop", confirm_destructive: true }, decision: "deny", by: "destructive_sql" },
  { name: "worst of several", tool: "db_query_sql", args: { sql: "SELECT 1; DELETE FROM users; SELECT 2" }, decision: "ask", by: "destructive_sql" },
  { name: "no SQL at all", tool: "db_query_sql", args: { sql: "please drop the users" }, decision: "deny", by: "destructive_sql" },
  { name: "SQL of the wrong type", tool: "db_query_sql", args: { sql: ["DROP TABLE users"] }, decision: "ask", by: "destructive_sql" },
  { name: "terminal: harmless", tool: "run_in_terminal", args: terminal("npm test"), decision: "allow", by: null },
  { name: "terminal: git status", tool: "run_in_terminal", args: terminal("git status --short && git log -3"), decision: "allow", by: null },
  { name: "terminal: sqlite3 select", tool: "run_in_terminal", args: terminal('sqlite3 data.db "SELECT * FROM users"'), decision: "allow", by: null },
  { name: "terminal: sqlite3 drop", tool: "run_in_terminal", args: terminal('sqlite3 .countersign/data.db "DROP TABLE users"'), decision: "ask", by: "destructive_sql" },
  { name: "terminal: drop database", tool: "run_in_terminal", args: terminal('psql -c "DROP DATABASE shop"'), decision: "deny", by: "destructive_sql" },
  { name: "terminal: words about dropping", tool: "run_in_terminal", args: terminal('git commit -m "DROP TABLE users is gone"'), decision: "allow", by: null },
  { name: "read inside", tool: "read_file", args: { filePath: "{ws}/notes.txt" }, decision: "allow", by: null },
  { name: "read outside", tool: "read_file", args: { filePath: "{outside}/notes.txt" }, decision: "ask", by: "path_allowlist" },
  { name: "traversal", tool: "read_file", args: { filePath: "{ws}/../outside/notes.txt" }, decision: "ask", by: "path_allowlist" },
  { name: "through a link", tool: "read_file", args: { filePath: "{ws}/link/notes.txt" }, decision: "ask", by: "path_allowlist" },
  { name: "write inside", tool: "create_file", args: { filePath: "{ws}/new.ts", content: "x" }, decision: "allow", by: null },
  { name: "own configuration", tool: "create_file", args: { filePath: "{ws}/gateway-hooks.toml", content: "" }, decision: "ask", by: "self_protection" },
  { name: "import outside", tool: "db_import_csv", args: { path: "/etc/passwd", table: "t" }, decision: "deny", by: "path_allowlist" },
  { name: "knowledge outside", tool: "kb_add_file", args: { path: "/etc/passwd" }, decision: "deny", by: "path_allowlist" },
  { name: "knowledge inside", tool: "kb_add_file", args: { path: "{ws}/notes.txt" }, decision: "allow", by: null },
  { name: "MCP SQL", tool: "mcp_shop_query", args: { sql: "DELETE FROM orders" }, decision: "ask", by: "destructive_sql" },
  { name: "MCP SQL read", tool: "mcp__shop__query", args: { sql: "SELECT count(*) FROM orders" }, decision: "allow", by: null },
  { name: "an unknown tool", tool: "make_tea", args: { kind: "green" }, decision: "allow", by: null },
];
