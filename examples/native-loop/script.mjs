/** What the scripted model does in the demonstration, where there is no real one. Data. */
const LEAVERS = "DELETE FROM employees WHERE left_on IS NOT NULL";

export const script = [
  { name: "db_query_sql", input: { sql: "SELECT name FROM employees" } },
  { name: "db_query_sql", input: { sql: LEAVERS } },
  { name: "db_query_sql", input: { sql: LEAVERS, confirm_destructive: true } },
  { name: "db_query_sql", input: { sql: "DROP DATABASE staff" } },
  { name: "kb_search", input: { query: "table" } },
  { name: "read_file", input: { filePath: "notes.txt" } },
  { name: "read_file", input: { filePath: "/etc/shadow" } },
];
