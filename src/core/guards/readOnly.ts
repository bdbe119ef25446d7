/** Guard for a database that is opened read-only: what would write is refused at once, so that nobody is asked in vain. Knows no engine. */
import type { ReadFacets, ToolCall } from "../call";
import { Deny } from "../decision";
import type { Hook } from "../hook";
import { effectOf } from "../sql/readsOnly";

export interface ReadOnlyOptions {
  readonly facets: ReadFacets;
  /** The dialect a person has configured. */
  readonly configuredDialect?: string;
  /** The dialect of the database URL. */
  readonly urlDialect?: string;
}

/** The tools whose database `chain.read_only` speaks of. */
const QUERY = "db_query_sql";
const IMPORT = "db_import_csv";

export function readOnlyReason(what: string): string {
  return `read_only is on: ${what}. Nothing was changed. Only reading statements run; a person can switch chain.read_only off.`;
}

export function readOnly(options: ReadOnlyOptions): Hook {
  return {
    name: "read_only",
    guard: true,
    preToolUse(ctx, toolName, args) {
      if (toolName === IMPORT) return Deny(readOnlyReason("an import writes"));
      if (toolName !== QUERY) return undefined;
      const call = { ...ctx.call, toolName };
      const writing = options
        .facets(call, args)
        .sql.map(({ text, dialect }) => effectOf(text, dialectsOf(options, call, dialect)))
        .find((effect) => effect.kind === "writes");
      return writing === undefined ? undefined : Deny(readOnlyReason(`${writing.verb} writes`));
    },
  };
}

function dialectsOf(
  { configuredDialect, urlDialect }: ReadOnlyOptions,
  call: ToolCall,
  given: string | undefined,
): readonly string[] {
  const named = typeof call.extra.dialect === "string" ? call.extra.dialect : given;
  return [named ?? urlDialect, configuredDialect].filter((one) => one !== undefined);
}
