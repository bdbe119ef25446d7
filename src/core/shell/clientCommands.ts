/** Takes a client's own commands (`\d`, `.tables`, `GO`) out of a text. Knows which of them only show something. */
import { findDialect } from "../sql/dialects";
import { lex } from "../sql/lexer";
import type { SqlClient } from "./sqlClient";

export interface ClientText {
  /** What is left to be judged as SQL. */
  readonly sql: string;
  /** A command that runs a program, reads a file, or cannot be read. */
  readonly acting?: string;
}

const PSQL_SHOWS =
  /^\\(?:d[a-zA-Z]*\+?S?|l\+?|list\+?|z|x|a|t|H|q|timing|conninfo|encoding|pset|echo|qecho|warn|errverbose|sf\+?|sv\+?|\?|h|help|C|f|T|c|connect)(?:\s[^`\\]*)?$/;
const DOT_SHOWS =
  /^\.(?:tables?|schema|mode|headers?|databases?|index(?:es)?|indices|dump|help|show|width|nullvalue|separator|explain|timer|stats|echo|print|quit|exit|fullschema|eqp|changes|bail|dbinfo|version|timeout|maxrows|maxwidth|columns?|rows?|large_number_rendering|prompt)\b[^\n|]*$/i;
const MYSQL_ACTS = /(?:^|[;\n])\s*(?:source|system|tee|pager|edit|\\!|\\\.|\\T|\\P|\\e)(?=\s|$|[^\s\w])/i;
const SQLCMD_ACTS = /(?:^|\n)\s*(?::|!!)|\$\(/;
const SQLPLUS_ACTS =
  /(?:^|\n)\s*(?:@|!|\$|host\b|start\b|get\b|run\b|save\b|spool\b|edit\b|accept\b|copy\b)/i;
const MAX_OPEN_LINES = 50;

export function takeClientCommands(text: string, client: Pick<SqlClient, "meta" | "dialect">): ClientText {
  switch (client.meta) {
    case "psql":
      return takeLines(text, { mark: "\\", shows: PSQL_SHOWS, dialect: "postgres", wholeStatement: false });
    case "dot":
      // A line of `/` or `go` ends a statement in this shell.
      return takeLines(text.replace(/^[ \t]*(?:\/|go)[ \t]*\r?$/gim, ";"), {
        mark: ".",
        shows: DOT_SHOWS,
        dialect: client.dialect,
        wholeStatement: true,
      });
    case "mysql":
      return acting(text, MYSQL_ACTS);
    case "sqlcmd":
      return (
        endsWithin(text, { line: /\n[ \t]*GO[ \t]*\d*[ \t]*\r?(?:\n|$)/i, client }) ??
        acting(text, SQLCMD_ACTS)
      );
    case "sqlplus":
      return (
        endsWithin(text, { line: /\n[ \t]*[/.]?[ \t]*\r?\n/, client }) ??
        acting(text.replace(/^[ \t]*\/[ \t]*\r?$/gm, ";"), SQLPLUS_ACTS)
      );
    case "none":
      return { sql: text };
    default:
      return client.meta satisfies never;
  }
}

function acting(text: string, pattern: RegExp): ClientText {
  const found = pattern.exec(text);
  return found === null ? { sql: text } : { sql: text, acting: found[0].trim() };
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
  readonly mark: string;
  readonly shows: RegExp;
  readonly dialect: string;
  /** The command must stand between statements, not only outside quotes. */
  readonly wholeStatement: boolean;
}

/** A line that looks like a command inside an open quote is part of the SQL: it stays. */
function takeLines(text: string, rule: LineRule): ClientText {
  if (!text.includes(rule.mark)) return { sql: text };
  const done: string[] = [];
  let open: string[] = [];
  let openLines = 0;
  for (const line of text.split("\n")) {
    const command = line.trim();
    if (!command.startsWith(rule.mark)) {
      open.push(line);
      continue;
    }
    if (!isClosed(open.join("\n"), rule)) {
      openLines++;
      if (openLines > MAX_OPEN_LINES) return { sql: text, acting: command };
      open.push(line);
      continue;
    }
    if (!rule.shows.test(command)) return { sql: text, acting: command.slice(0, 200) };
    done.push(...open);
    open = [];
  }
  return { sql: [...done, ...open].join("\n") };
}

function isClosed(text: string, rule: LineRule): boolean {
  const profile = findDialect(rule.dialect)?.readings[0];
  if (profile === undefined) return false;
  const { tokens } = lex(text, { ...profile, openComment: false });
  const last = tokens.at(-1);
  if (tokens.some((token) => token.kind === "bad")) return false;
  return last === undefined || !rule.wholeStatement || last.kind === "end";
}
