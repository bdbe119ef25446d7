/** The SQL of a call, from its arguments and from the commands in it, each with the dialects that it is to be judged under. Judges nothing. */
import type { ReadFacets, ToolCall } from "../call";
import { sqlInCommand } from "../shell/sqlInCommand";
import { findDialect } from "../sql/dialects";
import { hasExactParser } from "./exactParsers";

export interface SqlTextOptions {
  readonly facets: ReadFacets;
  /** The dialect a person has configured. */
  readonly configuredDialect?: string;
  /** The dialect the caller names for this call. */
  readonly callDialect?: (call: ToolCall) => string | undefined;
  /** The dialect of the database URL; it speaks for `db_query_sql` alone. */
  readonly urlDialect?: string;
}

export interface SqlText {
  readonly text: string;
  readonly dialects: readonly string[];
  readonly client?: string;
  /** Set when the SQL cannot be seen. */
  readonly why?: string;
  /** Set when a program's own words do it. */
  readonly acts?: true;
}

export function sqlTexts(options: SqlTextOptions, call: ToolCall): readonly SqlText[] {
  const facets = options.facets(call, call.input);
  const named = options.callDialect?.(call);
  const inCommands = facets.commands.flatMap(({ text, shell }) => sqlInCommand(text, shell));
  const found = inCommands.map((one) => ({
    text: one.text,
    client: one.client,
    dialects: both(one.dialect, options.configuredDialect),
    ...(one.dynamic ? { why: one.why ?? "The SQL cannot be seen." } : {}),
    ...(one.acts ? { acts: one.acts } : {}),
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
  options: SqlTextOptions,
  { named, call }: { named: string | undefined; call: ToolCall },
): readonly string[] {
  const { configuredDialect, urlDialect } = options;
  if (named !== undefined) return both(named, configuredDialect);
  // Another server's tool of that name talks to a database of its own.
  const own = call.toolName === "db_query_sql" ? urlDialect : undefined;
  if (configuredDialect !== undefined) return both(configuredDialect, own);
  return own === undefined ? [] : [own];
}

/**
 * Two names that contradict each other are both judged; a name nobody knows means every dialect. Of two names for one
 * dialect the one counts whose database may take more than the parser knows.
 */
function both(first: string, second: string | undefined): readonly string[] {
  if (second === undefined) return [first];
  if (findDialect(first)?.name !== findDialect(second)?.name) return [first, second];
  return [hasExactParser(first) ? second : first];
}
