/** The public texts on this machine and the committed list that names some of them by hash. Judges nothing. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { classifySql, type SqlVerdict } from "../../src/core/sql/classify";

const root = join(import.meta.dirname, "../..");

const listed = z.object({
  source: z.string(),
  file: z.string(),
  sha256: z.string().length(64),
  dialect: z.string(),
  want: z.enum(["allow", "not-allow", "deny"]),
  labelledBy: z.string(),
  part: z.enum(["tuning", "held"]),
});
export type ListedRow = z.infer<typeof listed>;

const text = z.object({
  source: z.string(),
  file: z.string(),
  sha256: z.string(),
  dialect: z.string(),
  sql: z.string(),
  want: z.enum(["allow", "not-allow", "deny"]).optional(),
  kind: z.string(),
  labelledBy: z.string(),
  everyday: z.boolean(),
  held: z.boolean(),
});
export type PublicText = z.infer<typeof text>;

export const LISTED: readonly ListedRow[] = z
  .array(listed)
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "publicRows.json"), "utf8")));

/** Brings and labels the texts where they are missing or made by other code; takes a minute the first time. */
export function readCorpus(): readonly PublicText[] {
  const own = join(root, "node_modules/.bin/node");
  const node = existsSync(own) ? own : process.execPath;
  const made = spawnSync(node, [join(root, "scripts/publicSql.mjs")], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`scripts/publicSql.mjs: ${made.stderr}`);
  const lines = readFileSync(join(root, ".public-sql/corpus.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => text.parse(JSON.parse(line)));
}

export const keyOf = (row: { readonly dialect: string; readonly sha256: string }): string =>
  `${row.dialect} ${row.sha256}`;

export const known = ({ sql, dialect }: PublicText): SqlVerdict => classifySql(sql, { dialect });
export const unknown = ({ sql }: PublicText): SqlVerdict => classifySql(sql);

/** What a failure says of a text: of the held part nothing but its hash, or it would be no longer held. */
export const nameOf = (one: PublicText, verdict: SqlVerdict): string =>
  one.held
    ? `held ${one.dialect} ${one.sha256}`
    : `${one.dialect} ${verdict.verdict} (${verdict.rule}): ${one.sql.slice(0, 200)}`;
