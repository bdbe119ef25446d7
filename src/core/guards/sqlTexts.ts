/** The SQL of a call, from its arguments and from the commands in it, each with the dialects that it is to be judged under. Judges nothing. */
import type { ReadFacets, ToolCall } from "../call";
import { sqlInCommand } from "../shell/sqlInCommand";
import { findDialect } from "../sql/dialects";
import { cousinInCommand, hasExactParser } from "./exactParsers";

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
  const inCommands = facets.commands.flatMap(({ text, shell }) =>
    sqlInCommand(text, shell).map((one) => ({ ...one, dialect: clientDialect(one.dialect, text) })),
  );
  const found = inCommands.map(
    (one): SqlText => ({
      text: one.text,
      client: one.client,
      dialects: both(one.dialect, options.configuredDialect),
      ...(one.dynamic ? { why: one.why ?? "The SQL cannot be seen." } : {}),
      ...(one.acts ? { acts: one.acts } : {}),
    }),
  );
  // What a mapping already took out of these commands is judged once, from the command.
  const commandArgs = new Set(facets.commands.map((command) => command.arg));
  const given = facets.sql
    .filter((facet) => facet.client === undefined || !commandArgs.has(facet.arg))
    .map(
      (facet): SqlText => ({
        text: facet.text,
        dialects: dialectsOf(options, {
          named: facet.client === undefined ? named : (named ?? facet.dialect),
          argument: facet.client === undefined ? facet.dialect : undefined,
          call,
        }),
        ...(facet.why === undefined ? {} : { why: facet.why }),
      }),
    );
  return [...given, ...found];
}

/** PostgreSQL's client also talks to databases that take more than PostgreSQL. */
function clientDialect(dialect: string, command: string): string {
  return dialect === "postgres" ? (cousinInCommand(command) ?? dialect) : dialect;
}

/** What no dialect is called: every one is meant. */
const EVERY = "unknown";

function dialectsOf(
  options: SqlTextOptions,
  { named, argument, call }: { named: string | undefined; argument: string | undefined; call: ToolCall },
): readonly string[] {
  const { configuredDialect, urlDialect } = options;
  // Another server's tool of that name talks to a database of its own.
  const own = call.toolName === "db_query_sql" ? urlDialect : undefined;
  const known = [named, configuredDialect, own].filter((name) => name !== undefined);
  // An argument is the agent's own word: it may add a reading and takes none away.
  if (argument !== undefined) known.push(argument, ...(known.length === 0 ? [EVERY] : []));
  return known.reduce<readonly string[]>((all, name) => withName(all, name), []);
}

function withName(all: readonly string[], name: string): readonly string[] {
  const at = all.findIndex((one) => findDialect(one)?.name === findDialect(name)?.name);
  const one = all[at];
  return one === undefined ? [...all, name] : all.with(at, both(one, name)[0] ?? name);
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
