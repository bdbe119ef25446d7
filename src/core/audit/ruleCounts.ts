/** How often each rule spoke on the records of a day, and which tools were called. Knows no file and no clock. */
import type { AuditRecord } from "./record";

export interface RuleCount {
  /** Calls that the rule's filters let through to its handlers. */
  readonly matched: number;
  /** Calls that the rule refused. */
  readonly denied: number;
}

/** By the rule's name, over the records of `day` as `dayOf` writes it; a call counts once per rule. */
export function countRules(
  records: readonly AuditRecord[],
  { day, dayOf }: { readonly day: string; readonly dayOf: (ts: string) => string },
): ReadonlyMap<string, RuleCount> {
  const matched = new Map<string, Set<string>>();
  const denied = new Map<string, Set<string>>();
  for (const record of records) {
    const spoke = rulesOf(record);
    if (spoke.size === 0 || dayOf(record.ts) !== day) continue;
    const call = record.call_id ?? record.record_hash;
    for (const name of spoke) add(matched, name, call);
    if (record.decision === "denied" && record.by !== undefined && spoke.has(record.by))
      add(denied, record.by, call);
  }
  return new Map(
    [...matched].map(([name, calls]) => [name, { matched: calls.size, denied: denied.get(name)?.size ?? 0 }]),
  );
}

/** Rules whose code did not run speak in findings alone. */
function rulesOf({ trail = [], findings = [] }: AuditRecord): ReadonlySet<string> {
  const spoke = trail.filter(({ stage }) => stage === "rules").map(({ by }) => by);
  const inert = findings.filter(({ code }) => code === "rule_inert").map(({ by }) => by);
  return new Set([...spoke, ...inert].filter((name) => name !== undefined));
}

function add(to: Map<string, Set<string>>, name: string, call: string): void {
  const calls = to.get(name);
  if (calls === undefined) to.set(name, new Set([call]));
  else calls.add(call);
}

/** Names of the tools that were called, the latest first. */
export function toolsSeen(records: readonly AuditRecord[]): readonly string[] {
  return [...new Set([...records].reverse().flatMap(({ tool }) => (tool === undefined ? [] : [tool])))];
}

/** Calls as they were asked for, the latest first, each tool with the same arguments once. */
export function callsSeen(records: readonly AuditRecord[], most: number): readonly AuditRecord[] {
  const found = new Map<string, AuditRecord>();
  for (const record of [...records].reverse()) {
    if (record.event !== "call" || record.tool === undefined) continue;
    const key = JSON.stringify([record.tool, record.args]);
    if (!found.has(key)) found.set(key, record);
    if (found.size >= most) break;
  }
  return [...found.values()];
}
