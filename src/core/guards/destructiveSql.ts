/** Guard for SQL: reading, inserting and creating pass, what destroys is asked for, whole databases are never dropped. Knows no database. */
import type { Hasher } from "../../ports";
import { Allow, AskUser, type Decision, Deny, type Finding, type SessionScope } from "../decision";
import type { Hook } from "../hook";
import { MAX_SQL_TEXT, type SqlVerdict } from "../sql/classify";
import { findDialect } from "../sql/dialects";
import { mayDropWhole } from "../sql/mayDropWhole";
import { statementShape } from "../sql/shape";
import { readSql } from "./readSql";
import { askDetails, askPrompt, denyReason, excerpt } from "./sqlPrompt";
import { type SqlText, type SqlTextOptions, sqlTexts } from "./sqlTexts";

/** What is asked about SQL outside of this thread. Nothing here may reject. */
export interface SecondOpinion {
  /**
   * A real parser's view of a text that the rules allow. It may only make the verdict stricter:
   * "refuses-exact" = the engine's own parser says syntax error; "unverified" = an inexact parser refuses, gave up, or the text is too long.
   */
  judge(text: string, dialect: string): Promise<"agrees" | "stricter" | "refuses-exact" | "unverified">;
  /** `readSql` for a text that takes long to read; undefined = it was not read in time. */
  read(text: string, dialects: readonly string[]): Promise<SqlVerdict | undefined>;
  /** Makes the dialect's parser ready; resolves when it is, or cannot be. */
  warmUp(dialect: string): Promise<void>;
}

export interface DestructiveSqlOptions extends SqlTextOptions {
  readonly onUnparseable: "deny" | "ask";
  readonly onUnverified: "allow" | "ask" | "deny";
  /** Name of the argument that carries consent; govern lifts the ask. */
  readonly confirmArg: string;
  readonly secondOpinion?: SecondOpinion;
  /** Digest of the database URL, for grants. */
  readonly database?: string;
  readonly hasher?: Hasher;
}

interface Judged {
  readonly sql: SqlText;
  readonly verdict: SqlVerdict;
}

const NAME = "destructive_sql";
/** More texts than these are not shown to the second parser: the guard has one deadline for all. */
const MAX_OPINIONS = 3;
/** UTF-16 units, all texts of a call together: more would keep everything else in this process waiting. */
const LONG_TEXT = 8192;
/** Milliseconds: the longest reading of a long text and the longest wait for a parser, one after the other, and room beside. */
const DEADLINE_MS = 4000;

/** Throws a RangeError when an option cannot be used. */
export function destructiveSql(options: DestructiveSqlOptions): Hook {
  if (options.confirmArg === "") throw new RangeError("confirmArg must name an argument");
  let isWarm = false;
  return {
    name: NAME,
    guard: true,
    deadlineMs: DEADLINE_MS,
    async preToolUse(ctx, toolName, args) {
      // Not while the chain is built: a window that never makes a call needs no parser.
      if (!isWarm) warmUp(options);
      isWarm = true;
      const texts = sqlTexts(options, { ...ctx.call, toolName, input: args });
      if (texts.length === 0) return undefined;
      const judged = await judgeAll(texts, options.secondOpinion);
      const decided = decide(judged, options);
      if (decided !== undefined) return decided;
      return withOpinion(judged, options);
    },
  };
}

/** SQLite's own parser needs no loading. */
function warmUp({ secondOpinion, configuredDialect, urlDialect }: DestructiveSqlOptions): void {
  const dialect = configuredDialect ?? urlDialect;
  if (dialect !== undefined && findDialect(dialect)?.name !== "sqlite") void secondOpinion?.warmUp(dialect);
}

function judgeAll(
  texts: readonly SqlText[],
  elsewhere: SecondOpinion | undefined,
): Promise<readonly Judged[]> {
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);
  const reader = length > LONG_TEXT ? elsewhere : undefined;
  return Promise.all(texts.map(async (sql) => ({ sql, verdict: await verdictOf(sql, reader) })));
}

async function verdictOf(sql: SqlText, reader: SecondOpinion | undefined): Promise<SqlVerdict> {
  const { text, dialects, why, acts } = sql;
  if (why !== undefined)
    return unread(sql, {
      rule: acts ? "database_tool" : "unreadable",
      reason: `${why.replace(/\.$/, "")}: ${excerpt(text, 200)}`,
    });
  // What is over the cap is not read at all.
  if (reader === undefined || text.length > MAX_SQL_TEXT) return readSql(text, dialects);
  const verdict = await reader.read(text, dialects);
  if (verdict !== undefined) return verdict;
  if (!mayDropWhole(text))
    return unread(sql, { rule: "too_long", reason: "this long text could not be read in time" });
  const reason = "This long text could not be read in time, and it may drop a whole database or schema";
  return { ...unread(sql, { rule: "drop_database", reason }), verdict: "deny" };
}

function unread(sql: SqlText, { rule, reason }: Pick<SqlVerdict, "rule" | "reason">): SqlVerdict {
  return {
    verdict: "ask",
    statements: [],
    rule,
    reason,
    worst: -1,
    unparseable: false,
    dialect: sql.dialects[0] ?? "unknown",
    floors: [],
  };
}

/** A hard deny first, then what cannot be read, then what must be asked. */
function decide(judged: readonly Judged[], options: DestructiveSqlOptions): Decision | undefined {
  const hard = judged.find(({ verdict }) => verdict.verdict === "deny" && !verdict.unparseable);
  if (hard !== undefined) return Deny(denyReason(hard.verdict, hard.sql.dialects), bound(options));
  const unread = judged.find(({ verdict }) => verdict.unparseable);
  if (unread !== undefined && options.onUnparseable === "deny")
    return Deny(denyReason(unread.verdict, unread.sql.dialects), bound(options));
  const asking = judged.filter(({ verdict }) => verdict.verdict !== "allow");
  const first =
    asking.find(({ verdict }) => verdict.statements.some((one) => one.verdict === "ask" && !one.hasWhere)) ??
    asking[0];
  return first === undefined
    ? undefined
    : ask(first, options, {
        texts: judged.length,
        others: asking.filter((one) => one !== first).map(({ verdict }) => verdict),
      });
}

function bound(options: DestructiveSqlOptions): { binding?: Record<string, string> } {
  return options.database === undefined ? {} : { binding: { database: options.database } };
}

function ask(
  { sql, verdict }: Judged,
  options: DestructiveSqlOptions,
  beside: { readonly texts: number; readonly others: readonly SqlVerdict[] },
): Decision {
  const scope = beside.texts === 1 ? sessionScope(sql, verdict, options) : undefined;
  return AskUser({
    prompt: askPrompt(verdict, {
      text: sql.text,
      others: beside.others,
      ...(sql.client === undefined ? {} : { client: sql.client }),
    }),
    details: {
      ...askDetails(verdict, { sql: sql.text, others: beside.others }),
      ...(sql.client === undefined ? {} : { client: sql.client }),
    },
    confirmArgs: { [options.confirmArg]: true },
    ...(scope === undefined ? {} : { sessionScope: scope }),
    ...bound(options),
  });
}

/** Only one UPDATE or DELETE with a WHERE; never what removes objects, whole tables, or cannot be read one way. */
function sessionScope(
  sql: SqlText,
  verdict: SqlVerdict,
  options: DestructiveSqlOptions,
): SessionScope | undefined {
  const one = verdict.statements[0];
  if (
    one === undefined ||
    verdict.statements.length !== 1 ||
    verdict.floors.length > 0 ||
    verdict.rule !== "verb"
  )
    return undefined;
  if ((one.op !== "UPDATE" && one.op !== "DELETE") || !one.hasWhere || one.tables.length !== 1)
    return undefined;
  if (!one.text.toUpperCase().startsWith(one.op)) return undefined;
  const shape = statementShape(one.text, verdict.dialect);
  if (shape === null) return undefined;
  const key = [NAME, sql.client ?? "", verdict.dialect, options.database ?? "", one.tables[0], shape].join(
    "\n",
  );
  return {
    key: options.hasher?.(key) ?? key,
    label: `up to ten such ${one.op}s on ${one.tables[0]} in this session: same columns in WHERE, other values`,
  };
}

async function withOpinion(judged: readonly Judged[], options: DestructiveSqlOptions): Promise<Decision> {
  const { secondOpinion } = options;
  const findings: Finding[] = [];
  for (const [index, { sql, verdict }] of judged.entries()) {
    const named = sql.dialects[0] ?? "";
    const dialect = findDialect(named)?.name;
    if (secondOpinion === undefined || dialect === undefined || sql.text.trim() === "") continue;
    // One text that takes the parser's time is enough.
    const opinion =
      index < MAX_OPINIONS && findings.length === 0
        ? await secondOpinion.judge(sql.text, named)
        : "unverified";
    if (opinion === "agrees") continue;
    if (opinion === "refuses-exact") {
      const unread = {
        ...verdict,
        verdict: "deny" as const,
        unparseable: true,
        dialect,
        reason: "its own parser finds a syntax error",
      };
      const decided = decide([{ sql, verdict: unread }], options);
      if (decided !== undefined) return decided;
    }
    findings.push({
      code: "unverified",
      message: `A second parser could not confirm the SQL as ${dialect}.`,
      by: NAME,
      severity: "info",
    });
    if (opinion === "stricter" || options.onUnverified === "ask") {
      const reason = "A second parser does not confirm that this SQL only reads, inserts or creates";
      return ask({ sql, verdict: { ...verdict, rule: "floor", reason } }, options, { texts: 2, others: [] });
    }
    if (options.onUnverified === "deny") {
      return Deny(
        `A second parser cannot read this SQL as ${dialect}. Write it in a plainer form, or ask a person to run it.`,
        { findings, ...bound(options) },
      );
    }
  }
  return Allow({ ...bound(options), ...(findings.length === 0 ? {} : { findings }) });
}
