/** The hook `row_limit`: a query without a limit of its own gets one. Knows no engine; the guards judge the new text again. */
import type { Args, ReadFacets, SqlFacet, ToolCall } from "../call";
import { Rewrite } from "../decision";
import type { Hook } from "../hook";
import { findDialect } from "../sql/dialects";
import { limitRows } from "../sql/limit";

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
      const changed = limitedArgs(options, call, args);
      if (changed === undefined) return undefined;
      const said = `At most ${max} rows are returned: the query had no limit of its own and was given one. There may be more rows.`;
      return Rewrite(changed, {
        additionalContext: said,
        findings: [{ code: "row_limit", message: `limited to ${max} rows`, by: NAME, severity: "info" }],
      });
    },
  };
}

function limitedArgs(options: RowLimitHookOptions, call: ToolCall, args: Args): Args | undefined {
  const arg = [call.toolName, call.canonicalName]
    .map((name) => (Object.hasOwn(options.tools, name) ? options.tools[name] : undefined))
    .find((name) => name !== undefined);
  if (arg === undefined || !Object.hasOwn(args, arg)) return undefined;
  const facet = options.facets(call, args).sql.find((one) => one.arg === arg && one.client === undefined);
  // What the argument holds must be the very text that was judged.
  if (facet === undefined || args[arg] !== facet.text) return undefined;
  const text = limitedText(options, call, facet);
  return text === null ? undefined : { ...args, [arg]: text };
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
