/** Takes a client's own commands (`\d`, `.tables`, `GO`) out of a text. Knows which of them only show something. */
import { classifySql } from "../sql/classify";
import { findDialect } from "../sql/dialects";
import { lex } from "../sql/lexer";
import { clientEffect } from "./clientEffects";
import { copiedRows } from "./clientStatements";
import type { SqlClient } from "./sqlClient";

export interface ClientText {
  /** What is left to be judged as SQL; beside an acting command it may hold text that is none. */
  readonly sql: string;
  /** A command that does more than show something, or cannot be read. */
  readonly acting?: string;
  /** What it does, one sentence; absent = nobody knows. */
  readonly why?: string;
}

const PSQL_SHOWS =
  /^\\(?:d[a-zA-Z]*\+?S?|l\+?|list\+?|z|x|a|t|H|q|timing|conninfo|encoding|pset|echo|qecho|warn|errverbose|sf\+?|sv\+?|\?|h|help|C|f|T|c|connect)(?:\s[^`\\]*)?$/;
/** Values that mean nothing in SQL where such a variable is put into it. */
const PSQL_SETS =
  /^\\set\s+(?:ON_ERROR_STOP|ON_ERROR_ROLLBACK|QUIET|VERBOSITY|SHOW_CONTEXT|ECHO|FETCH_COUNT)(?:\s+(?:on|off|true|false|interactive|terse|default|verbose|sqlstate|errors|queries|\d+))?$/i;
/** At the end of a line: sends the statement, as a semicolon does, and says how its rows are shown. */
const PSQL_SENDS = /^(.*\S)?\s*\\(?:gx?|gdesc|crosstabview(?:\s+\w+){0,4})\s*$/;
/** The same with more: a file, a program, variables, SQL that is made of the rows, once again and again. */
const PSQL_SENDS_MORE = /^(.*\S)\s*(\\(?:gx?\s|gset|gexec|watch)(?:.*))$/;
const DOT_SHOWS =
  /^\.(?:tables?|schema|mode|headers?|databases?|index(?:es)?|indices|dump|help|show|width|nullvalue|separator|explain|timer|stats|echo|print|quit|exit|fullschema|eqp|changes|bail|dbinfo|version|timeout|maxrows|maxwidth|columns?|rows?|large_number_rendering|prompt)\b[^\n|]*$/i;
const MYSQL_ACTS = /(?:^|[;\n])\s*(?:source|system|tee|pager|edit|\\!|\\\.|\\T|\\P|\\e)(?=\s|$|[^\s\w])/i;
const MYSQL_SHOWS = /^(?:status|\\s|warnings|\\W|nowarning|\\w|help|\\h|\?|clear|\\c)\s*;?$/i;
const CLICKHOUSE_SHOWS =
  /^\s*(?:exists\s+(?:temporary\s+)?(?:(?:table|view|dictionary|database)\s+)?[\w.`"]+|system\s+flush\s+logs)\s*;?\s*$/i;
const SQLCMD_ACTS = /(?:^|\n)\s*(?::|!!)|\$\(/;
const SQLPLUS_ACTS =
  /(?:^|\n)\s*(?:@|!|\$|host\b|start\b|get\b|run\b|save\b|spool\b|edit\b|accept\b|copy\b)/i;
/** Substitution and terminators are not among what may be set: they change what a text means. */
const SQLPLUS_SHOWS =
  /^(?:exit|quit|set\s+(?:pagesize|pages|linesize|lines|lin|heading|head|hea|feedback|feed|echo|verify|ver|termout|term|trimspool|trims|trimout|tab|timing|timi|serveroutput|serverout|colsep|markup|mark|long|longchunksize|newpage|newp|underline|und|wrap|wra|numwidth|num|null|time|arraysize|numformat)\s[^;]*|(?:column|col|prompt|rem|remark|whenever|ttitle|btitle|show|sho)\s[^;]*|desc(?:r|ri|rib|ribe)?\s+(?:[\w$#"]+\.)?[\w$#"]+)\s*;?$/i;
const MAX_OPEN_LINES = 50;

export function takeClientCommands(text: string, client: Pick<SqlClient, "meta" | "dialect">): ClientText {
  const taken = takenOut(text, client);
  const why = taken.acting === undefined ? undefined : clientEffect(taken.acting, client.meta);
  return why === undefined ? taken : { ...taken, why };
}

function takenOut(text: string, client: Pick<SqlClient, "meta" | "dialect">): ClientText {
  switch (client.meta) {
    case "psql":
      return takeLines(text, {
        mark: /^\\/,
        shows: [PSQL_SHOWS, PSQL_SETS],
        dialect: "postgres",
        wholeStatement: false,
        becomes: copiedRows,
        sends: { alone: PSQL_SENDS, more: PSQL_SENDS_MORE },
      });
    case "dot":
      // A line of `/` or `go` ends a statement in this shell.
      return takeLines(text.replace(/^[ \t]*(?:\/|go)[ \t]*\r?$/gim, ";"), {
        mark: /^\./,
        shows: [DOT_SHOWS],
        dialect: client.dialect,
        wholeStatement: true,
      });
    case "mysql":
      return withoutShown(acting(text, MYSQL_ACTS), { shows: MYSQL_SHOWS, dialect: client.dialect });
    case "sqlcmd":
      return (
        endsWithin(text, { line: /\n[ \t]*GO[ \t]*\d*[ \t]*\r?(?:\n|$)/i, client }) ??
        acting(text, SQLCMD_ACTS)
      );
    case "sqlplus":
      return (
        endsWithin(text, { line: /\n[ \t]*[/.]?[ \t]*\r?\n/, client }) ??
        withoutShown(acting(text.replace(/^[ \t]*\/[ \t]*\r?$/gm, ";"), SQLPLUS_ACTS), {
          shows: SQLPLUS_SHOWS,
          dialect: "oracle",
        })
      );
    case "clickhouse":
      return clickhouse(text);
    case "none":
      return { sql: text };
    default:
      return client.meta satisfies never;
  }
}

/** Its own words are in no other dialect; what of a text cannot be read is not refused for that. */
function clickhouse(text: string): ClientText {
  if (CLICKHOUSE_SHOWS.test(text)) return { sql: "" };
  return classifySql(text).unparseable ? { sql: text, acting: text.trim().slice(0, 200) } : { sql: text };
}

function acting(text: string, pattern: RegExp): ClientText {
  const found = pattern.exec(text);
  if (found === null) return { sql: text };
  const [line = ""] = text
    .slice(found.index)
    .replace(/^[;\s]+/, "")
    .split("\n", 1);
  return { sql: text, acting: line.slice(0, 200) };
}

function withoutShown(
  text: ClientText,
  { shows, dialect }: { readonly shows: RegExp; readonly dialect: string },
): ClientText {
  if (text.acting !== undefined) return text;
  return takeLines(text.sql, { mark: shows, shows: [shows], dialect, wholeStatement: true });
}

interface BatchLine {
  /** A line at which the client ends the statement, whatever quote or comment is open. */
  readonly line: RegExp;
  readonly client: Pick<SqlClient, "dialect">;
}

/** The server's reading of such a text is not the client's. */
function endsWithin(text: string, { line, client }: BatchLine): ClientText | null {
  const profile = findDialect(client.dialect)?.readings[0];
  if (profile === undefined || !line.test(text)) return null;
  let gap = 0;
  for (const token of lex(text, profile).tokens) {
    const comment = text.slice(gap, token.start);
    const open = token.kind === "string" || token.kind === "name" ? text.slice(token.start, token.end) : "";
    for (const piece of [comment.includes("/*") ? comment.slice(comment.indexOf("/*")) : "", open]) {
      const found = line.exec(piece);
      if (found !== null) return { sql: text, acting: piece.slice(0, 200) };
    }
    gap = token.end;
  }
  return null;
}

interface LineRule {
  /** How such a line begins. */
  readonly mark: RegExp;
  readonly shows: readonly RegExp[];
  readonly dialect: string;
  /** The command must stand between statements, not only outside quotes. */
  readonly wholeStatement: boolean;
  /** What the server is given for a command. */
  readonly becomes?: (command: string) => string | undefined;
  /** A command at the end of a line of SQL, whose first group is that SQL. */
  readonly sends?: { readonly alone: RegExp; readonly more: RegExp };
}

/** A line that looks like a command inside an open quote is part of the SQL: it stays. */
function takeLines(text: string, rule: LineRule): ClientText {
  const done: string[] = [];
  let open: string[] = [];
  let openLines = 0;
  let acting: string | undefined;
  for (const line of text.split("\n")) {
    const command = line.trim();
    const sent = rule.sends?.alone.exec(line) ?? rule.sends?.more.exec(line) ?? null;
    if (sent === null && !rule.mark.test(command)) {
      open.push(line);
      continue;
    }
    const before = sent === null ? open : [...open, sent[1] ?? ""];
    const whole = before.join("\n");
    if (!isClosed(whole, rule) || (sent !== null && !endsInCode(whole, rule))) {
      openLines++;
      if (openLines > MAX_OPEN_LINES) return { sql: text, acting: command };
      open.push(line);
      continue;
    }
    const given = sent === null ? rule.becomes?.(command) : "";
    acting ??= actingPart(command, { sent, given, shows: rule.shows });
    done.push(...before, ...(given === undefined ? [] : [`;${given}`]));
    open = [];
  }
  const sql = [...done, ...open].join("\n");
  return acting === undefined ? { sql } : { sql, acting: acting.slice(0, 200) };
}

interface Taken {
  readonly sent: RegExpExecArray | null;
  readonly given: string | undefined;
  readonly shows: readonly RegExp[];
}

/** What of a command does more than show something. */
function actingPart(command: string, { sent, given, shows }: Taken): string | undefined {
  if (sent !== null) return sent[2];
  return given === undefined && !shows.some((shown) => shown.test(command)) ? command : undefined;
}

/** False where a comment goes on to the end of the line, in which no command is read. */
function endsInCode(text: string, rule: LineRule): boolean {
  const profile = findDialect(rule.dialect)?.readings[0];
  if (profile === undefined) return false;
  const last = lex(`${text} 0`, profile).tokens.at(-1);
  return last?.kind === "number" && last.end === text.length + 2;
}

function isClosed(text: string, rule: LineRule): boolean {
  const profile = findDialect(rule.dialect)?.readings[0];
  if (profile === undefined) return false;
  const { tokens } = lex(text, { ...profile, openComment: false });
  const last = tokens.at(-1);
  if (tokens.some((token) => token.kind === "bad")) return false;
  return last === undefined || !rule.wholeStatement || last.kind === "end";
}
