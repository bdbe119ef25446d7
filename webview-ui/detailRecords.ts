/** Reads stored lines into what the details pane shows. A line that is no record still shows as stored; nothing here throws. */
import * as z from "zod";

export interface Named {
  readonly name: string;
  readonly value: string;
}

export interface DetailRecord {
  readonly line: number;
  readonly seq: number;
  readonly ts: string;
  readonly event: string;
  readonly decision: string;
  readonly args: readonly Named[];
  readonly data: readonly Named[];
  readonly redactions: readonly string[];
  readonly trail: readonly {
    readonly stage: string;
    readonly by: string;
    readonly decision: string;
    readonly ms: number | null;
    readonly note: string;
  }[];
  readonly findings: readonly {
    readonly code: string;
    readonly message: string;
    readonly by: string;
    readonly severity: string;
  }[];
  readonly result: { readonly hash: string; readonly size: number } | null;
  readonly identity: readonly Named[];
  readonly prevHash: string;
  readonly recordHash: string;
}

const word = z.string().catch("");
const object = z.record(z.string(), z.unknown()).catch({});
const stored = z.looseObject({
  seq: z.number().catch(0),
  ts: word,
  event: word,
  decision: word,
  args: object,
  data: object,
  redactions: z.array(z.looseObject({ path: word })).catch([]),
  trail: z
    .array(
      z.object({ stage: word, by: word, decision: word, ms: z.number().nullable().catch(null), note: word }),
    )
    .catch([]),
  findings: z
    .array(z.object({ code: word, message: word, by: word, severity: z.string().catch("warning") }))
    .catch([]),
  result: z.object({ hash: z.string(), size: z.number() }).nullable().catch(null),
  writer: z.object({ pid: z.number(), version: z.string(), role: z.string() }).nullable().catch(null),
  prev_hash: word,
  record_hash: word,
});

const IDENTITY = [
  "call_id",
  "session_id",
  "trace_id",
  "profile",
  "subagent",
  "ask_id",
  "approver",
  "policy_digest",
  "log_id",
] as const;

/** Strings as they are, everything else as indented JSON. */
function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

const named = (values: Readonly<Record<string, unknown>>): Named[] =>
  Object.entries(values).map(([name, value]) => ({ name, value: shown(value) }));

function parsed(raw: string): z.infer<typeof stored> | null {
  try {
    const result = stored.safeParse(JSON.parse(raw));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

export function detailRecords(lines: readonly { line: number; raw: string }[]): DetailRecord[] {
  return lines.flatMap(({ line, raw }) => {
    const record = parsed(raw);
    if (record === null) return [];
    const { writer, prev_hash, record_hash, redactions, ...rest } = record;
    const identity = IDENTITY.flatMap((name) =>
      typeof rest[name] === "string" ? [{ name, value: rest[name] }] : [],
    );
    const wrote =
      writer === null
        ? []
        : [{ name: "writer", value: `${writer.role} ${writer.version}, pid ${writer.pid}` }];
    return [
      {
        line,
        ...rest,
        args: named(rest.args),
        data: named(rest.data),
        redactions: redactions.map((one) => one.path),
        identity: [...identity, ...wrote],
        prevHash: prev_hash,
        recordHash: record_hash,
      },
    ];
  });
}
