/** The golden calls through the examples' own loops: one chain, a scripted model per backend, and what came of it. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { AuditRecord } from "../../../src/core/audit/record";
import type { Args } from "../../../src/core/call";
import { verifyAuditLog } from "../../../src/node/auditVerify";
import { startModel } from "../../agentPrograms/scriptedModel";
import { type GoldenCase, goldenCases } from "../../golden/cases";
import type { GoldenPlaces } from "../../golden/places";

export type Backend = "native" | "sdk";
export interface Ran {
  /** What the handlers were given, in order. */
  readonly handled: readonly { readonly tool: string; readonly args: Args }[];
  /** The hook of each question that a person was asked. */
  readonly asked: readonly string[];
  /** What the model was told of each call. */
  readonly told: readonly Args[];
  readonly records: readonly AuditRecord[];
  /** The tools that the model was offered. */
  readonly offered: readonly string[];
}

/** A rewritten call, and an answer to an ask that no person gave. */
const more: readonly GoldenCase[] = [
  { name: "rewritten", tool: "make_tea", args: { kind: "any" }, decision: "allow", by: "black_tea" },
  {
    name: "an argument that nobody declared",
    tool: "make_tea",
    args: { kind: "green", sugar: 2 },
    decision: "allow",
    by: null,
  },
  {
    name: "a token that nobody gave",
    tool: "read_file",
    args: { filePath: "{outside}/notes.txt", _consent: "0123456789abcdef0123456789abcdef" },
    decision: "ask",
    by: "path_allowlist",
  },
];
const undeclared = new Set(["sugar", "_consent"]);
export const calls: readonly GoldenCase[] = [...goldenCases, ...more];

export interface Job {
  readonly folder: string;
  readonly places: GoldenPlaces;
  readonly auditPath: string;
  readonly consent: "args" | "human";
  /** Each with its module below the folder. */
  readonly backends: readonly (readonly [Backend, string])[];
}

const PREFIX: Readonly<Record<Backend, string>> = { native: "", sdk: "mcp__governed__" };

export async function runGolden(job: Job): Promise<Partial<Record<Backend, Ran>>> {
  const models = await Promise.all(
    job.backends.map(([backend]) =>
      startModel(
        calls.map(({ tool, args }) => ({ name: PREFIX[backend] + tool, input: job.places.placed(args) })),
      ),
    ),
  );
  try {
    const backends = job.backends.map(([backend, module], at) => ({
      backend,
      module: pathToFileURL(join(job.folder, module)).href,
      ...addressOf(backend, { port: models[at]?.port ?? 0, home: job.places.home }),
    }));
    const { auditPath, consent } = job;
    const ran = await drive(job.folder, {
      auditPath,
      consent,
      root: job.places.ws,
      tools: toolsOf(calls),
      backends,
    });
    const records = await recordsOf(auditPath);
    const told = models.map((model) => model.heard().results.map(({ content }) => JSON.parse(content)));
    return Object.fromEntries(
      job.backends.map(([backend], at) => [
        backend,
        {
          ...ran[backend],
          told: told[at] ?? [],
          offered: models[at]?.heard().tools ?? [],
          records: records.filter((record) => record.session_id === backend),
        } satisfies Ran,
      ]),
    );
  } finally {
    for (const model of models) model.close();
  }
}

const addressOf = (backend: Backend, { port, home }: { port: number; home: string }) =>
  backend === "native"
    ? { url: `http://127.0.0.1:${port}/v1` }
    : {
        env: {
          HOME: home,
          ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
          ANTHROPIC_API_KEY: "none",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        },
      };

/**
 * Each tool once, with every argument that a case gives it but those nobody declared. Typed by the first case: where no
 * type says string, the SDK's program takes a JSON text apart before the wrapper sees it.
 */
function toolsOf(all: readonly GoldenCase[]): readonly { name: string; parameters: Args }[] {
  const parameters = new Map<string, Record<string, unknown>>();
  for (const { tool, args } of all) {
    const known = parameters.get(tool) ?? {};
    for (const [name, value] of Object.entries(args))
      if (!undeclared.has(name)) known[name] ??= { type: typeof value, description: name };
    parameters.set(tool, known);
  }
  return [...parameters].map(([name, names]) => ({ name, parameters: names }));
}

type Driven = Record<Backend, Pick<Ran, "handled" | "asked">>;

/** What the backends of a job gave their handlers. */
export async function drive(folder: string, job: object): Promise<Driven> {
  const child = spawn(process.execPath, ["drive.mjs"], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  const late = setTimeout(() => child.kill("SIGKILL"), 240_000);
  child.stdin.end(JSON.stringify(job));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  clearTimeout(late);
  if (out === "") throw new Error(`the driver ended without an answer:\n${errors}`);
  return JSON.parse(out) as Driven;
}

async function recordsOf(path: string): Promise<readonly AuditRecord[]> {
  const verified = await verifyAuditLog(path);
  if (!verified.ok) throw new Error(`the log is broken at record ${verified.firstBad}`);
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as AuditRecord);
}

/** A record, or what a model was told, without ids, times and what hangs on them. */
export function bare(value: unknown): unknown {
  const names =
    "seq ts log_id writer prev_hash record_hash call_id trace_id session_id ask_id duration_ms ms";
  const dropped = new Set(names.split(" "));
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (dropped.has(key) ? undefined : inner)),
  ) as unknown;
}
