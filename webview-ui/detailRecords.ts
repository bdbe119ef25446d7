/** Reads stored lines into what the details pane shows. A line that is no record still shows as stored; nothing here throws. */

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

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fields = (value: unknown): Fields => (isObject(value) ? value : {});
const word = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise);
/** A list of objects; [] where one of its members is something else. */
const objects = (value: unknown): readonly Fields[] =>
  Array.isArray(value) && value.every(isObject) ? value : [];

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

const named = (values: Fields): Named[] =>
  Object.entries(values).map(([name, value]) => ({ name, value: shown(value) }));

function parsed(raw: string): Fields | null {
  try {
    const value: unknown = JSON.parse(raw);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function identityOf(record: Fields): Named[] {
  const known = IDENTITY.flatMap((name) => {
    const value = word(record[name]);
    return value === "" ? [] : [{ name, value }];
  });
  const { pid, version, role } = fields(record.writer);
  const isWriter = typeof pid === "number" && typeof version === "string" && typeof role === "string";
  return isWriter ? [...known, { name: "writer", value: `${role} ${version}, pid ${pid}` }] : known;
}

function resultOf(value: unknown): DetailRecord["result"] {
  const { hash, size } = fields(value);
  return typeof hash === "string" && typeof size === "number" ? { hash, size } : null;
}

function detailRecord(line: number, record: Fields): DetailRecord {
  return {
    line,
    seq: typeof record.seq === "number" ? record.seq : 0,
    ts: word(record.ts),
    event: word(record.event),
    decision: word(record.decision),
    args: named(fields(record.args)),
    data: named(fields(record.data)),
    redactions: objects(record.redactions).map((one) => word(one.path)),
    trail: objects(record.trail).map(({ stage, by, decision, ms, note }) => ({
      stage: word(stage),
      by: word(by),
      decision: word(decision),
      ms: typeof ms === "number" ? ms : null,
      note: word(note),
    })),
    findings: objects(record.findings).map(({ code, message, by, severity }) => ({
      code: word(code),
      message: word(message),
      by: word(by),
      severity: word(severity, "warning"),
    })),
    result: resultOf(record.result),
    identity: identityOf(record),
    prevHash: word(record.prev_hash),
    recordHash: word(record.record_hash),
  };
}

export function detailRecords(lines: readonly { line: number; raw: string }[]): DetailRecord[] {
  return lines.flatMap(({ line, raw }) => {
    const record = parsed(raw);
    return record === null ? [] : [detailRecord(line, record)];
  });
}
