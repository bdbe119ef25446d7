/** The hook `row_limit`: a query without a limit of its own gets one. Knows no engine; the guards judge the new text again. */
import type { Args, ReadFacets, SqlFacet, ToolCall } from "../call";
import { Allow, type Finding, Rewrite } from "../decision";
import type { Hook } from "../hook";
import { findDialect } from "../sql/dialects";
import { limitRows, MAX_LIMITED_TEXT } from "../sql/limit";

export interface RowLimitHookOptions {
  readonly facets: ReadFacets;
  /** Rows; a whole number of at least 1. */
  readonly max: number;
  /** Tool to the argument that holds its SQL. Only these are rewritten: elsewhere a text that reads like SQL may be none. */
  readonly tools: Readonly<Record<string, string>>;
  /** The dialect a person has configured. */
  readonly configuredDialect?: string;
  /** The dialect of the database URL; it speaks for `db_query_sql` alone. */
  readonly urlDialect?: string;
}

const NAME = "row_limit";

/** Throws a RangeError when an option cannot be used. */
export function rowLimit(options: RowLimitHookOptions): Hook {
  const { max } = options;
  if (!Number.isSafeInteger(max) || max < 1)
    throw new RangeError(`row_limit.max must be a whole number of at least 1, not ${max}`);
  return {
    name: NAME,
    preToolUse(ctx, toolName, args) {
      const call = { ...ctx.call, toolName };
      const query = queryOf(options, call, args);
      if (query === undefined) return undefined;
      if (query.facet.text.length > MAX_LIMITED_TEXT) return Allow({ findings: [TOO_LONG] });
      const text = limitedText(options, call, query.facet);
      if (text === null) return undefined;
      const said = `At most ${max} rows are returned: the query had no limit of its own and was given one. There may be more rows.`;
      return Rewrite(
        { ...args, [query.arg]: text },
        {
          additionalContext: said,
          findings: [{ code: "row_limit", message: `limited to ${max} rows`, by: NAME, severity: "info" }],
        },
      );
    },
  };
}

const TOO_LONG: Finding = {
  code: "row_limit_too_long",
  message: `the text is longer than ${MAX_LIMITED_TEXT} characters and was given no limit of rows`,
  by: NAME,
  severity: "info",
};

interface Query {
  readonly arg: string;
  readonly facet: SqlFacet;
}

function queryOf(options: RowLimitHookOptions, call: ToolCall, args: Args): Query | undefined {
  const arg = [call.toolName, call.canonicalName]
    .map((name) => (Object.hasOwn(options.tools, name) ? options.tools[name] : undefined))
    .find((name) => name !== undefined);
  if (arg === undefined || !Object.hasOwn(args, arg)) return undefined;
  const facet = options.facets(call, args).sql.find((one) => one.arg === arg && one.client === undefined);
  // What the argument holds must be the very text that was judged.
  return facet === undefined || args[arg] !== facet.text ? undefined : { arg, facet };
}

/** Where two dialects are named, both must put the limit in the same place. */
function limitedText(options: RowLimitHookOptions, call: ToolCall, facet: SqlFacet): string | null {
  const named = typeof call.extra.dialect === "string" ? call.extra.dialect : facet.dialect;
  const own = call.toolName === "db_query_sql" ? options.urlDialect : undefined;
  const dialects = [named ?? own, options.configuredDialect].filter((one) => one !== undefined);
  const [first, ...others] = dialects.map((dialect) =>
    findDialect(dialect) === undefined ? null : limitRows(facet.text, { dialect, max: options.max }),
  );
  return first !== undefined && others.every((other) => other === first) ? first : null;
}
