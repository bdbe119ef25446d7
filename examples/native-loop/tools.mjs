/** Three tools as an agent of yours might have them: a database, a search, a file. They know nothing of the chain. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

const text = (description) => ({ type: "string", description });

/** `parameters` are the properties of a JSON Schema; `run` gets the arguments as the chain let them through. */
export function createTools(folder) {
  const database = new DatabaseSync(":memory:");
  database.exec(`CREATE TABLE employees (name TEXT, left_on TEXT);
    INSERT INTO employees VALUES ('Ada', NULL), ('Bo', '2024-01-31'), ('Cem', NULL)`);
  const notes = [
    { path: "leave.md", text: "Whoever leaves is kept in the table for two years." },
    { path: "pay.md", text: "Pay day is the last working day of the month." },
  ];
  const tools = [
    {
      name: "db_query_sql",
      description: "Runs one SQL statement on the staff database (SQLite) and returns its rows.",
      parameters: {
        sql: text("The statement."),
        confirm_destructive: {
          type: "boolean",
          description: "Only after the user agreed to what a result asked.",
        },
      },
      required: ["sql"],
      run: ({ sql }) => database.prepare(sql).all(),
    },
    {
      name: "kb_search",
      description: "Finds the notes that contain a word.",
      parameters: { query: text("One word.") },
      required: ["query"],
      run: ({ query }) => notes.filter((note) => note.text.toLowerCase().includes(query.toLowerCase())),
    },
    {
      name: "read_file",
      description: "Reads a text file.",
      parameters: { filePath: text("Absolute, or below the agent's folder.") },
      required: ["filePath"],
      run: ({ filePath }) => readFile(resolve(folder, filePath), "utf8"),
    },
  ];
  return { tools, close: () => database.close() };
}
