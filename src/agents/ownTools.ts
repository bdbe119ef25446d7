/** The tools that we serve ourselves: their arguments, how a governed call of one runs, and what the agent is told. Knows no editor. */
import * as z from "zod";
import type { Args, ToolCall } from "../core/call";
import { CountersignError } from "../core/errors";
import type { Governor } from "../core/govern";
import { ENGINE_REFUSAL, ENGINE_REFUSED, type RefusedAct } from "../core/guards/engineRefusal";
import type { RunOutcome } from "../core/hook";
import type { ImportOptions, ImportResult } from "../node/csvImport";
import { type Database, EngineRefused } from "../node/databases/database";
import type { KnowledgeBase } from "../node/knowledgeBase";
import { contextsOf, engineRefused, failure, refusal, shownResult } from "./ownToolResults";
import { intentOf } from "./sqlIntent";

const schemas = {
  db_query_sql: z.object({ sql: z.string() }),
  db_import_csv: z.object({ path: z.string().min(1), table: z.string().min(1) }),
  kb_add_file: z.object({ path: z.string().min(1) }),
  kb_add_path: z.object({ path: z.string().min(1) }),
  kb_search: z.object({ query: z.string(), limit: z.int().min(1).max(50).optional() }),
} as const;

export type OwnToolName = keyof typeof schemas;
export const OWN_TOOL_NAMES = Object.keys(schemas) as readonly OwnToolName[];

/** What a tool reaches. Opened on first use; errors of opening are told to the agent. */
export interface OwnToolParts {
  database(): Promise<Database>;
  knowledgeBase(): Promise<KnowledgeBase>;
  importCsv(options: ImportOptions): Promise<ImportResult>;
}

export interface OwnCall {
  readonly name: OwnToolName;
  /** As the door made it; its `input` is what the agent sent. */
  readonly call: ToolCall;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: {
    readonly fraction?: number;
    readonly done: number;
    readonly what: string;
  }) => void;
}

export interface OwnTools {
  /** What the agent is told, as JSON. Never rejects. */
  run(own: OwnCall, parts: OwnToolParts): Promise<Args>;
}

const MAX_REMEMBERED = 200;

export function createOwnTools(deps: { readonly governor: Pick<Governor, "govern"> }): OwnTools {
  const refused = new Map<string, readonly RefusedAct[]>();
  return {
    async run(own, parts) {
      const key = refusalKey(own.call);
      const before = refused.get(key);
      const call = before === undefined ? own.call : withExtra(own.call, before);
      try {
        const governed = await deps.governor.govern(
          call,
          (args, outcome) => runTool(own, { args, parts, ...judgedOf(outcome, before) }),
          {
            signal: own.signal,
            declaredArgs: Object.keys(schemas[own.name].shape),
          },
        );
        const { outcome: ended } = governed;
        // A denial that brings what stands in for the result: the agent gets that, and no error.
        if (ended.kind === "denied" && ended.syntheticOutput !== undefined)
          return { kind: "ok", tool: own.name, ...shownResult(ended.syntheticOutput), ...contextsOf(ended) };
        if (!("result" in governed)) return refusal(own.name, governed.outcome);
        refused.delete(key);
        return {
          kind: "ok",
          tool: own.name,
          ...shownResult(governed.result),
          ...contextsOf(governed.outcome),
        };
      } catch (error) {
        if (!(error instanceof EngineRefused)) return failure(own.name, error);
        if (refused.size >= MAX_REMEMBERED) refused.delete(refused.keys().next().value ?? "");
        refused.set(key, [...(before ?? []), ...error.acts]);
        return engineRefused(own.name, error);
      }
    },
  };
}

interface Judged {
  /** Real path of the file or folder as it was judged. */
  readonly approvedReal?: string;
  readonly approvedActs?: readonly RefusedAct[];
}

/** What the guards bound this very call to. A path that is another one by the time it is opened is refused. */
function judgedOf(outcome: RunOutcome, before: readonly RefusedAct[] | undefined): Judged {
  const real = outcome.binding["path:path"];
  // Without the guard that asks for them, nobody has approved what the engine refused.
  const asked = outcome.trail.some((entry) => entry.by === ENGINE_REFUSAL && entry.decision === "ask");
  return {
    ...(real === undefined ? {} : { approvedReal: real }),
    ...(asked && before !== undefined ? { approvedActs: before } : {}),
  };
}

interface ToolRun extends Judged {
  readonly args: Args;
  readonly parts: OwnToolParts;
}

async function runTool(own: OwnCall, run: ToolRun): Promise<Args> {
  const { signal } = own;
  switch (own.name) {
    case "db_query_sql": {
      const { sql } = parse("db_query_sql", run.args);
      const database = await run.parts.database();
      const intent = intentOf({ sql, dialect: database.dialect, approvedActs: run.approvedActs });
      return { ...(await database.query(sql, { intent, signal })) };
    }
    case "db_import_csv":
      return importFile(own, run);
    case "kb_add_file": {
      const { path, options } = placeOf(own, run, parse("kb_add_file", run.args).path);
      return { ...(await (await run.parts.knowledgeBase()).addFile(path, { ...options, signal })) };
    }
    case "kb_add_path": {
      const { path, options } = placeOf(own, run, parse("kb_add_path", run.args).path);
      const onProgress = ({ added, path: what }: { added: number; path: string }) =>
        own.onProgress?.({ done: added, what });
      const { added, skipped } = await (await run.parts.knowledgeBase()).addPath(path, {
        ...options,
        signal,
        onProgress,
      });
      return { added: added.length, skipped: skipped.slice(0, 50), skippedCount: skipped.length };
    }
    case "kb_search": {
      const { query, limit } = parse("kb_search", run.args);
      const hits = await (await run.parts.knowledgeBase()).search(query, {
        signal,
        ...(limit === undefined ? {} : { limit }),
      });
      return { hits };
    }
  }
}

async function importFile(own: OwnCall, run: ToolRun): Promise<Args> {
  const args = parse("db_import_csv", run.args);
  const { path, options } = placeOf(own, run, args.path);
  const { approvedActs } = run;
  const table = `"${args.table.replaceAll('"', '""')}"`;
  return {
    ...(await run.parts.importCsv({
      path,
      table: args.table,
      database: await run.parts.database(),
      signal: own.signal,
      onProgress: ({ fraction, rows }) => own.onProgress?.({ fraction, done: rows, what: args.table }),
      ...options,
      ...(approvedActs === undefined
        ? {}
        : {
            intent: {
              kind: "approved",
              acts: [{ verb: "INSERT", table }, { verb: "CREATE", table: null }, ...approvedActs],
            },
          }),
    })),
  };
}

/** Where a guard has judged a real path, that one is opened and no other; without the guard, the path as given. */
function placeOf(
  own: OwnCall,
  run: ToolRun,
  given: string,
): { path: string; options: { approvedReal?: string } } {
  if (run.approvedReal !== undefined)
    return { path: run.approvedReal, options: { approvedReal: run.approvedReal } };
  return { path: absolute(given, own.call.cwd), options: {} };
}

function absolute(path: string, cwd: string | undefined): string {
  if (/^(?:[\\/]|[A-Za-z]:[\\/])/.test(path) || cwd === undefined) return path;
  return `${cwd.replace(/[\\/]$/, "")}/${path}`;
}

function parse<N extends OwnToolName>(name: N, args: Args): z.infer<(typeof schemas)[N]> {
  const parsed = schemas[name].safeParse(args);
  if (parsed.success) return parsed.data as z.infer<(typeof schemas)[N]>;
  throw new CountersignError(
    "payload.malformed",
    `The arguments of ${name} are wrong: ${z.prettifyError(parsed.error)}`,
    {
      hint: "Send the arguments that the tool's schema names.",
    },
  );
}

function refusalKey(call: ToolCall): string {
  const { confirm_destructive: _confirm, ...rest } = call.input;
  return JSON.stringify([
    call.sessionId,
    call.agent,
    call.subagent ?? null,
    call.cwd ?? null,
    call.toolName,
    Object.entries(rest).sort(),
  ]);
}

function withExtra(call: ToolCall, acts: readonly RefusedAct[]): ToolCall {
  return { ...call, extra: { ...call.extra, [ENGINE_REFUSED]: acts } };
}
