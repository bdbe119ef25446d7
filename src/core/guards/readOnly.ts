/** Guard for a database that is opened read-only: what would write is refused at once, so that nobody is asked in vain. Knows no engine. */
import type { ReadFacets, ToolCall } from "../call";
import { Deny } from "../decision";
import type { Hook } from "../hook";
import { MAX_SQL_TEXT } from "../sql/classify";
import { type Effect, effectOf, effectOfVerdict } from "../sql/readsOnly";
import type { SecondOpinion } from "./destructiveSql";

export interface ReadOnlyOptions {
  readonly facets: ReadFacets;
  /** The dialect a person has configured. */
  readonly configuredDialect?: string;
  /** The dialect of the database URL. */
  readonly urlDialect?: string;
  /** Reads a long text outside of this thread. Absent = every text is read here. */
  readonly read?: SecondOpinion["read"];
}

/** UTF-16 units: more would keep everything else in this process waiting. */
const LONG_TEXT = 8192;
/** Milliseconds: the longest reading of a long text, and room beside. */
const DEADLINE_MS = 2500;

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
    deadlineMs: DEADLINE_MS,
    async preToolUse(ctx, toolName, args) {
      if (toolName === IMPORT) return Deny(readOnlyReason("an import writes"));
      if (toolName !== QUERY) return undefined;
      const call = { ...ctx.call, toolName };
      const texts = options.facets(call, args).sql;
      const effects = await Promise.all(
        texts.map(({ text, dialect }) => effect(text, dialectsOf(options, call, dialect), options)),
      );
      const writing = effects.find(({ kind }) => kind === "writes");
      return writing?.kind !== "writes" ? undefined : Deny(readOnlyReason(`${writing.verb} writes`));
    },
  };
}

/** What is not read in time is for the engine to find out: its session takes reads alone. */
async function effect(text: string, dialects: readonly string[], { read }: ReadOnlyOptions): Promise<Effect> {
  if (read === undefined || text.length <= LONG_TEXT || text.length > MAX_SQL_TEXT)
    return effectOf(text, dialects);
  const verdict = await read(text, dialects);
  return verdict === undefined ? { kind: "unclear" } : effectOfVerdict(verdict);
}

function dialectsOf(
  { configuredDialect, urlDialect }: ReadOnlyOptions,
  call: ToolCall,
  given: string | undefined,
): readonly string[] {
  const named = typeof call.extra.dialect === "string" ? call.extra.dialect : given;
  return [named ?? urlDialect, configuredDialect].filter((one) => one !== undefined);
}
