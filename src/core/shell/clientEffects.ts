/** What the commands of database clients themselves do, for a person who must decide. Judges nothing and reads no SQL. */
import type { SqlClient } from "./sqlClient";

type Effects = readonly (readonly [command: RegExp, effect: string])[];

const PROGRAM = "runs a program of this machine";
const HIDDEN_FILE = "runs the SQL of a file, which cannot be seen";
const WRITES = "writes to a file, over what is there";
const VARIABLE = "sets a variable that later SQL may be made of";

const PSQL: Effects = [
  [/^\\(?:!|g\s*\||g[x\s]*\s\||o\s*\||w\s*\|)|\b(?:from|to)\s+program\b|`/i, PROGRAM],
  [/^\\(?:ir?|include(?:_relative)?)\b/, HIDDEN_FILE],
  [/^\\gexec\b/, "runs every value that the query returns as SQL of its own"],
  [/^\\gset\b/, VARIABLE],
  [/^\\watch\b/, "sends the statement again and again"],
  [/^\\(?:gx?|o|out|w|write|s)\b/, WRITES],
  [/^\\(?:if|elif|else|endif)\b/, "runs some of the statements only, by a condition that is not judged"],
  [/^\\lo_unlink\b/, "removes a large object of the database for good"],
  [/^\\lo_import\b/, "puts a file of this machine into the database"],
  [/^\\lo_export\b/, "writes a large object to a file, over what is there"],
  [/^\\copy\b.*\bfrom\b/is, "writes the rows of a file or of standard input into a table"],
  [/^\\copy\b/, WRITES],
  [/^\\(?:set|unset|prompt|getenv)\b/, VARIABLE],
  [/^\\setenv\b/, "changes the environment of programs that the client starts"],
  [/^\\(?:e|edit|ef|ev)\b/, "opens an editor, whose text is then run"],
  [/^\\password\b/, "changes a password"],
  [/^\\cd\b/, "changes the folder that later file names start from"],
];

const DOT: Effects = [
  [/^\.(?:shell|system)\b|\|/i, PROGRAM],
  [/^\.read\b/i, HIDDEN_FILE],
  [/^\.restore\b/i, "replaces the whole database with that of another file"],
  [/^\.(?:backup|save|clone)\b/i, "writes a copy of the database to a file, over what is there"],
  [/^\.(?:once|output|out|excel|log|www)\b/i, WRITES],
  [/^\.(?:import|recover)\b/i, "writes the rows of a file into a table"],
  [/^\.open\b/i, "opens another database; with --new it empties the file"],
  [/^\.load\b/i, "loads code from a file into the client"],
  [/^\.(?:archive|ar)\b/i, "reads or writes files of this machine"],
  [/^\.cd\b/i, "changes the folder that later file names start from"],
  [/^\.parameter\b/i, VARIABLE],
  [
    /^\.(?:dbconfig|limit|filectrl|unsafe-testing)\b/i,
    "changes a setting of the database or of its protection",
  ],
];

const MYSQL: Effects = [
  [/^[;\s]*(?:system|\\!|pager|\\P)/i, PROGRAM],
  [/^[;\s]*(?:source|\\\.)/i, HIDDEN_FILE],
  [/^[;\s]*(?:tee|\\T)/, WRITES],
  [/^[;\s]*(?:edit|\\e)/i, "opens an editor, whose text is then run"],
];

const SQLPLUS: Effects = [
  [/^(?:!|\$|host)/i, PROGRAM],
  [/^(?:@|start|get|run)/i, HIDDEN_FILE],
  [/^(?:save|spool)/i, WRITES],
  [/^edit/i, "opens an editor, whose text is then run"],
  [/^accept/i, VARIABLE],
  [/^copy/i, "copies rows from one database to another"],
];

const SQLCMD: Effects = [
  [/^:r\b/i, HIDDEN_FILE],
  [/^:(?:out|error|perftrace)\b/i, WRITES],
  [/^:setvar\b/i, VARIABLE],
  [/^:connect\b/i, "connects to another server"],
  [/^:?!!/, PROGRAM],
  [/^\$\(/, "puts a variable of the client into the SQL"],
];

const BY_CLIENT: Readonly<Partial<Record<SqlClient["meta"], Effects>>> = {
  psql: PSQL,
  dot: DOT,
  mysql: MYSQL,
  sqlplus: SQLPLUS,
  sqlcmd: SQLCMD,
};

/** One sentence, as "A command of the client removes .."; undefined = it is not known. */
export function clientEffect(command: string, meta: SqlClient["meta"]): string | undefined {
  if (meta === "clickhouse")
    return /^system\b/i.test(command)
      ? "SYSTEM is an order to the server itself."
      : "This is a statement of ClickHouse alone, which is not read.";
  const found = BY_CLIENT[meta]?.find(([begins]) => begins.test(command))?.[1];
  return found === undefined ? undefined : `A command of the client ${found}.`;
}
