/** Full-text search over text files that were added to it, in one SQLite file. Knows no agent and judges no path. */
import { isUtf8 } from "node:buffer";
import { readdir, realpath } from "node:fs/promises";
import { join, matchesGlob, relative, sep } from "node:path";
import { CountersignError, messageOf } from "../core/errors";
import { createSqliteClient } from "./databases/sqliteClient";
import type { OwnRow, OwnStatement } from "./databases/sqliteMessages";
import { createTurns } from "./databases/turns";
import { type Passage, passagesOf, type SearchPlan, searchPlans, snippetOf } from "./kbText";
import { openApproved } from "./openApproved";

export interface KnowledgeBaseOptions {
  /** Absolute path of the SQLite file, `kb.db` in the data folder. */
  readonly file: string;
}

export interface AddOptions {
  /** Real path that was judged. */
  readonly approvedReal?: string;
  readonly signal?: AbortSignal;
}

export interface AddPathOptions extends AddOptions {
  /** Relative to the folder, such as `**\/*.md`; default: every text file. */
  readonly globs?: readonly string[];
  readonly onProgress?: (progress: { readonly added: number; readonly path: string }) => void;
}

export interface AddResult {
  readonly added: readonly string[];
  /** Left out, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

export interface SearchHit {
  readonly path: string;
  /** First line of the passage; counts from 1. */
  readonly line: number;
  /** What was found stands between « and ». */
  readonly snippet: string;
  /** Greater is better; comparable within one search. */
  readonly rank: number;
}

export interface KnowledgeBase {
  /** Adding a file again replaces it. */
  addFile(path: string, options?: AddOptions): Promise<AddResult>;
  addPath(folder: string, options?: AddPathOptions): Promise<AddResult>;
  search(
    query: string,
    options?: { readonly limit?: number; readonly signal?: AbortSignal },
  ): Promise<readonly SearchHit[]>;
  close(): Promise<void>;
}

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_FILES = 20_000;
const CALL_MS = 120_000;
const SKIPPED_FOLDERS = new Set(["node_modules", ".git", ".hg", ".svn", ".countersign"]);

/** unicode61 finds words and their accents; trigram finds inside scripts that put no blanks between words. */
const SCHEMA = [
  "CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY, path TEXT NOT NULL, line INTEGER NOT NULL, body TEXT NOT NULL)",
  "CREATE INDEX IF NOT EXISTS passages_path ON passages (path)",
  "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(body, content='passages', content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
  "CREATE VIRTUAL TABLE IF NOT EXISTS grams USING fts5(body, content='passages', content_rowid='id', tokenize='trigram')",
  `CREATE TRIGGER IF NOT EXISTS passages_in AFTER INSERT ON passages BEGIN
     INSERT INTO words (rowid, body) VALUES (new.id, new.body);
     INSERT INTO grams (rowid, body) VALUES (new.id, new.body); END`,
  `CREATE TRIGGER IF NOT EXISTS passages_out AFTER DELETE ON passages BEGIN
     INSERT INTO words (words, rowid, body) VALUES ('delete', old.id, old.body);
     INSERT INTO grams (grams, rowid, body) VALUES ('delete', old.id, old.body); END`,
].map((sql): OwnStatement => ({ sql }));

export function openKnowledgeBase({ file }: KnowledgeBaseOptions): KnowledgeBase {
  const client = createSqliteClient({ file, maxRows: 1000 });
  // A call that is aborted ends the process, and with it whatever else were under way there.
  const turns = createTurns();
  const run = async (statements: readonly OwnStatement[], signal?: AbortSignal) => {
    const options = signal === undefined ? { timeoutMs: CALL_MS } : { timeoutMs: CALL_MS, signal };
    try {
      const results = await turns.take(() =>
        client.call({ op: "own", statements: [...SCHEMA, ...statements] }, options),
      );
      return (results as readonly (readonly OwnRow[])[]).slice(SCHEMA.length);
    } catch (error) {
      throw new CountersignError("kb.failed", `The knowledge base failed: ${messageOf(error)}`, {
        hint: `Check ${file}.`,
        cause: error,
      });
    }
  };
  return {
    async addFile(path, options = {}) {
      const text = await readText(
        path,
        options.approvedReal === undefined ? {} : { approvedReal: options.approvedReal },
      );
      if ("reason" in text)
        throw new CountersignError("kb.failed", `${path} was not added: ${text.reason}.`, {
          hint: "Add text files in UTF-8.",
        });
      await run(replace(text.real, passagesOf(text.body)), options.signal);
      return { added: [text.real], skipped: [] };
    },
    addPath: (folder, options = {}) => addFolder({ folder, options, run }),
    async search(query, { limit = 10, signal } = {}) {
      const count = Math.max(1, Math.min(50, Math.trunc(limit) || 10));
      for (const plan of searchPlans(query)) {
        const [rows = []] = await run([searchStatement(plan, count)], signal);
        if (rows.length > 0) return rows.map((row) => hitOf(row, plan));
      }
      return [];
    },
    close: () => client.close(),
  };
}

function replace(path: string, passages: readonly Passage[]): readonly OwnStatement[] {
  return [
    { sql: "DELETE FROM passages WHERE path = ?", params: [path] },
    ...passages.map(
      ({ line, body }): OwnStatement => ({
        sql: "INSERT INTO passages (path, line, body) VALUES (?, ?, ?)",
        params: [path, line, body],
      }),
    ),
  ];
}

type TextFile = { readonly real: string; readonly body: string } | { readonly reason: string };

async function readText(
  path: string,
  options: { readonly approvedReal?: string; readonly within?: string },
): Promise<TextFile> {
  const { handle, real, size } = await openApproved(path, options);
  try {
    if (size > MAX_FILE_BYTES) return { reason: `it is larger than ${MAX_FILE_BYTES} bytes` };
    const bytes = await handle.readFile();
    if (bytes.includes(0)) return { reason: "it is a binary file" };
    if (!isUtf8(bytes)) return { reason: "it is not UTF-8 text" };
    return { real, body: bytes.toString("utf8").replace(/^\ufeff/, "") };
  } finally {
    await handle.close();
  }
}

interface FolderJob {
  readonly folder: string;
  readonly options: AddPathOptions;
  readonly run: (statements: readonly OwnStatement[], signal?: AbortSignal) => Promise<unknown>;
}

async function addFolder({ folder, options, run }: FolderJob): Promise<AddResult> {
  const root = await realpath(folder).catch((error: unknown) => {
    throw new CountersignError("kb.failed", `${folder} cannot be read: ${messageOf(error)}`, {
      hint: "Check the path.",
    });
  });
  if (options.approvedReal !== undefined && root !== options.approvedReal) {
    throw new CountersignError("kb.failed", `${folder} is no longer the folder that was approved.`, {
      hint: "Call the tool again.",
    });
  }
  const added: string[] = [];
  const skipped: { path: string; reason: string }[] = [];
  for await (const path of filesUnder(root)) {
    options.signal?.throwIfAborted();
    if (!wanted(relative(root, path), options.globs)) continue;
    if (added.length >= MAX_FILES) {
      skipped.push({ path, reason: `more than ${MAX_FILES} files` });
      break;
    }
    const text = await readText(path, { within: root }).catch((error: unknown) => ({
      reason: messageOf(error),
    }));
    if ("reason" in text) {
      skipped.push({ path, reason: text.reason });
      continue;
    }
    await run(replace(text.real, passagesOf(text.body)), options.signal);
    added.push(text.real);
    options.onProgress?.({ added: added.length, path });
  }
  return { added, skipped };
}

/** Regular files in the order of their names; links are not followed. */
async function* filesUnder(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) yield* filesUnder(path);
    else if (entry.isFile()) yield path;
  }
}

function wanted(path: string, globs: readonly string[] | undefined): boolean {
  if (globs === undefined || globs.length === 0) return true;
  const name = path.split(sep).join("/");
  return globs.some(
    (glob) => matchesGlob(name, glob) || (!glob.includes("/") && matchesGlob(name, `**/${glob}`)),
  );
}

function searchStatement(plan: SearchPlan, limit: number): OwnStatement {
  const conditions = [
    ...(plan.words === null ? [] : ["p.id IN (SELECT rowid FROM words WHERE words MATCH ?)"]),
    ...(plan.grams === null ? [] : ["p.id IN (SELECT rowid FROM grams WHERE grams MATCH ?)"]),
    ...plan.like.map(() => "p.body LIKE ? ESCAPE '\\'"),
  ];
  const params = [
    ...(plan.words === null ? [] : [plan.words]),
    ...(plan.grams === null ? [] : [plan.grams]),
    ...plan.like,
  ];
  const where = conditions.join(plan.join === "all" ? " AND " : " OR ");
  const [table, match] = plan.words !== null ? ["words", plan.words] : ["grams", plan.grams];
  const scores =
    match === null
      ? "SELECT NULL AS rowid, 0 AS score WHERE 0"
      : `SELECT rowid, -bm25(${table}) AS score FROM ${table} WHERE ${table} MATCH ?`;
  return {
    sql: `SELECT p.path, p.line, p.body, COALESCE(s.score, 0.0) AS rank FROM passages p LEFT JOIN (${scores}) s ON s.rowid = p.id
           WHERE ${where} ORDER BY rank DESC, p.path, p.line LIMIT ${limit}`,
    params: [...(match === null ? [] : [match]), ...params],
  };
}

function hitOf(row: OwnRow, plan: SearchPlan): SearchHit {
  return {
    path: String(row.path),
    line: Number(row.line),
    snippet: snippetOf(String(row.body), plan.terms),
    rank: Math.round(Number(row.rank) * 1000) / 1000,
  };
}
