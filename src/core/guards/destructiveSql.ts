/** Guard for SQL: reading, inserting and creating pass, what destroys is asked for, whole databases are never dropped. Knows no database. */
import type { Hasher } from "../../ports";
import type { ReadFacets, ToolCall } from "../call";
import { Allow, AskUser, type Decision, Deny, type Finding, type SessionScope } from "../decision";
import type { Hook } from "../hook";
import { sqlInCommand } from "../shell/sqlInCommand";
import { classifySql, type SqlVerdict } from "../sql/classify";
import { findDialect } from "../sql/dialects";
import { statementShape } from "../sql/shape";
import { askDetails, askPrompt, denyReason } from "./sqlPrompt";

/**
 * A real parser's view of a text that the rules allow. It may only make the verdict stricter:
 * "refuses-exact" = the engine's own parser says syntax error; "unverified" = an inexact parser refuses, gave up, or the text is too long.
 */
export type SecondOpinion = (
  text: string,
  dialect: string,
) => Promise<"agrees" | "stricter" | "refuses-exact" | "unverified">;

export interface DestructiveSqlOptions {
  readonly facets: ReadFacets;
  /** The dialect a person has configured. */
  readonly configuredDialect?: string;
  /** The dialect the caller names for this call. */
  readonly callDialect?: (call: ToolCall) => string | undefined;
  /** The dialect of the database URL; it speaks for `db_query_sql` alone. */
  readonly urlDialect?: string;
  readonly onUnparseable: "deny" | "ask";
  readonly onUnverified: "allow" | "ask" | "deny";
  /** Name of the argument that carries consent; govern lifts the ask. */
  readonly confirmArg: string;
  readonly secondOpinion?: SecondOpinion;
  /** Digest of the database URL, for grants. */
  readonly database?: string;
  readonly hasher?: Hasher;
}

interface SqlText {
  readonly text: string;
  readonly dialects: readonly string[];
  readonly client?: string;
  /** Set when the SQL cannot be seen. */
  readonly why?: string;
}

interface Judged {
  readonly sql: SqlText;
  readonly verdict: SqlVerdict;
}

const NAME = "destructive_sql";
/** More texts than these are not shown to the second parser: the guard has a second for all. */
const MAX_OPINIONS = 3;

/** Throws a RangeError when an option cannot be used. */
export function destructiveSql(options: DestructiveSqlOptions): Hook {
  if (options.confirmArg === "") throw new RangeError("confirmArg must name an argument");
  return {
    name: NAME,
    guard: true,
    async preToolUse(ctx, toolName, args) {
      const texts = sqlTexts(options, { ...ctx.call, toolName, input: args });
      if (texts.length === 0) return undefined;
      const judged = texts.map((sql) => ({ sql, verdict: verdictOf(sql) }));
      const decided = decide(judged, options);
      if (decided !== undefined) return decided;
      return withOpinion(judged, options);
    },
  };
}

function sqlTexts(options: DestructiveSqlOptions, call: ToolCall): readonly SqlText[] {
  const facets = options.facets(call, call.input);
  const named = options.callDialect?.(call);
  const inCommands = facets.commands.flatMap(({ text, shell }) => sqlInCommand(text, shell));
  const found = inCommands.map((one) => ({
    text: one.text,
    client: one.client,
    dialects: both(one.dialect, options.configuredDialect),
    ...(one.dynamic ? { why: one.why ?? "The SQL cannot be seen." } : {}),
  }));
  // What a mapping already took out of these commands is judged once, from the command.
  const commandArgs = new Set(facets.commands.map((command) => command.arg));
  const given = facets.sql
    .filter((facet) => facet.client === undefined || !commandArgs.has(facet.arg))
    .map((facet) => ({
      text: facet.text,
      dialects: dialectsOf(options, { named: named ?? facet.dialect, call }),
    }));
  return [...given, ...found];
}

function dialectsOf(
  options: DestructiveSqlOptions,
  { named, call }: { named: string | undefined; call: ToolCall },
): readonly string[] {
  const { configuredDialect, urlDialect } = options;
  if (named !== undefined) return both(named, configuredDialect);
  // Another server's tool of that name talks to a database of its own.
  const own = call.toolName === "db_query_sql" ? urlDialect : undefined;
  if (configuredDialect !== undefined) return both(configuredDialect, own);
  return own === undefined ? [] : [own];
}

/** Two names that contradict each other are both judged; a name nobody knows means every dialect. */
function both(first: string, second: string | undefined): readonly string[] {
  if (second === undefined || findDialect(first)?.name === findDialect(second)?.name) return [first];
  return [first, second];
}

function verdictOf(sql: SqlText): SqlVerdict {
  if (sql.why === undefined) return classifySql(sql.text, { dialect: sql.dialects });
  return {
    verdict: "ask",
    statements: [],
    rule: "unreadable",
    reason: `${sql.why} ${sql.text.slice(0, 200)}`,
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
    const dialect = findDialect(sql.dialects[0])?.name;
    if (secondOpinion === undefined || dialect === undefined || sql.text.trim() === "") continue;
    // One text that takes the parser's time is enough.
    const opinion =
      index < MAX_OPINIONS && findings.length === 0 ? await secondOpinion(sql.text, dialect) : "unverified";
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
