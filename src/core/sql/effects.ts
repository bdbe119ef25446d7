/** What a verb does, for a person who must decide: where the judge only says that something may happen. Judges nothing. */

const EFFECTS: Readonly<Record<string, string>> = {
  COPY: "COPY moves rows between tables and files or programs of the server",
  VACUUM: "VACUUM rewrites what is stored and may lock it meanwhile",
  ATTACH: "ATTACH opens another database, and makes it if it is not there",
  DETACH: "DETACH closes a database of this session",
  LOCK: "LOCK keeps everybody else waiting",
  COMMENT: "COMMENT replaces what is noted on an object",
  REINDEX: "REINDEX builds indexes again and locks the table meanwhile",
  CLUSTER: "CLUSTER rewrites the table and locks it meanwhile",
  LOAD: "LOAD takes in a file or code of the server",
  KILL: "KILL ends somebody's connection or query",
  INSTALL: "INSTALL brings code into the server",
  UNINSTALL: "UNINSTALL removes code from the server",
  RENAME: "RENAME gives an object another name; whatever uses the old one fails",
  DO: "DO runs code, which is not judged",
  RESTORE: "RESTORE replaces what is there with an earlier state",
  BACKUP: "BACKUP writes a copy to files of the server, over what is there",
  FLASHBACK: "FLASHBACK brings an earlier state back over the present one",
  UNDROP: "UNDROP brings a dropped object back",
  CLONE: "CLONE replaces a whole server's data with another's",
  DBCC: "DBCC runs a maintenance command; some only check, some repair, shrink or empty",
  SHUTDOWN: "SHUTDOWN stops the server",
  RESTART: "RESTART stops the server and starts it again",
  DISCARD: "DISCARD forgets this session's settings and temporary tables",
  CHECKPOINT: "CHECKPOINT forces everything to disk at once",
  REASSIGN: "REASSIGN gives all objects of a role to another one",
  SECURITY: "SECURITY LABEL changes what others may see",
  REFRESH: "REFRESH replaces what a materialized view holds",
  ANALYZE: "ANALYZE replaces the statistics that plans are made from",
  ANALYSE: "ANALYSE replaces the statistics that plans are made from",
  OPTIMIZE: "OPTIMIZE rewrites the table and may lock it meanwhile",
  REPAIR: "REPAIR rewrites the table and may lose rows of it",
  CHECK: "CHECK reads the whole table and may mark it as damaged",
  FLUSH: "FLUSH empties caches or closes tables and logs",
  PURGE: "PURGE removes logs or dropped objects for good",
  CHANGE: "CHANGE alters what the server replicates from",
  STOP: "STOP halts replication or another process of the server",
  IMPORT: "IMPORT brings in tables from files or another server",
  EXPORT: "EXPORT writes tables to files",
  UNLOAD: "UNLOAD writes rows to files outside the database",
  PUT: "PUT uploads files of this machine",
  GET: "GET writes files to this machine",
  REMOVE: "REMOVE deletes stored files",
  RM: "RM deletes stored files",
  MSCK: "MSCK changes which partitions a table has",
  PREPARE: "PREPARE keeps a statement to be run later, by name",
  DEALLOCATE: "DEALLOCATE forgets a prepared statement",
  HANDLER: "HANDLER reads a table past its locks",
  NOTIFY: "NOTIFY sends a message to whoever listens",
  RESET: "RESET takes back settings, or a server's logs",
  RECONFIGURE: "RECONFIGURE puts changed server settings into force",
  BULK: "BULK INSERT takes rows in from a file of the server",
  ENABLE: "ENABLE switches a trigger or a right on",
  DISABLE: "DISABLE switches a trigger or a right off",
  REVERT: "REVERT gives back another account's rights",
  XA: "XA begins or ends a transaction that outlives this session",
  BINLOG: "BINLOG runs recorded changes again",
  OUTFILE: "INTO OUTFILE writes a file on the server",
  DUMPFILE: "INTO DUMPFILE writes a file on the server",
};

/** By verb and what follows it, where the verb alone says something else. */
const CASES: readonly (readonly [RegExp, string])[] = [
  [
    /^DETACH\s+(?:TABLE|VIEW|DICTIONARY)\b/i,
    "DETACH takes the object out of the server's sight until it is attached again",
  ],
  [/^VACUUM\b.*\bINTO\b/i, "VACUUM INTO writes a copy of the whole database to a file"],
  [
    /^LOAD\s+(?:DATA|XML)\b.*\bREPLACE\b/i,
    "LOAD writes the rows of a file into a table, over those with the same key",
  ],
  [/^LOAD\s+(?:DATA|XML)\b/i, "LOAD writes the rows of a file into a table"],
  [/^COPY\s+INTO\b/i, "COPY INTO moves rows between a table and stored files"],
  [/^RESET\s+(?:MASTER|BINARY|REPLICA|SLAVE)\b/i, "RESET removes a server's replication logs"],
];

/** The reason itself where it says what happens. */
export function sqlEffect({
  op,
  reason,
  words,
}: {
  readonly op: string;
  readonly reason: string;
  readonly words: string;
}): string {
  if (!/changes (?:something|data)|INTO writes/.test(reason)) return reason;
  const found = CASES.find(([begins]) => begins.test(words))?.[1];
  return found ?? (Object.hasOwn(EFFECTS, op) ? (EFFECTS[op] ?? reason) : reason);
}
