/** What a page is told: the state of everything, one call in full, counts over time. Knows nothing of lists' making or of VS Code. */
import { rowChart } from "../core/audit/rowChart";
import type { Newest } from "../node/auditNewest";
import type { AuditRows } from "../node/auditRows";
import { type HostMessage, type HostState, type PanelChart, PROTOCOL_VERSION } from "../panel/messages";
import type { FullList } from "./panelList";
import type { PanelSessionOptions } from "./panelSession";

/** Characters of a stored line that are sent; no record of ours is longer. */
const RAW_CHARS = 256 << 10;
/** So many sessions, agents or tools can be chosen from; older ones are found by searching. */
const MOST_CHOICES = 300;

/** Everything stored about the call that has this line; a line below 0 is one of the newest. */
export async function detailsOf(
  line: number,
  { rows, newest }: { readonly rows: AuditRows; readonly newest: Newest | null },
): Promise<HostMessage> {
  const early = newest?.rows.find((one) => one.lines.includes(line));
  const at = rows.index.rowOf(line);
  const row = early ?? (at < 0 ? undefined : (await rows.rowsAt([at]))[0]);
  const stored =
    early === undefined
      ? await rows.linesAt(rows.index.linesOf(at))
      : (newest?.lines.filter((one) => early.lines.includes(one.line)) ?? []);
  return {
    type: "details",
    line,
    row: row === undefined ? null : { ...row, lines: [...row.lines] },
    records: stored.map(({ line: number, raw }) => ({
      line: number,
      raw: raw.slice(0, RAW_CHARS),
      cut: raw.length > RAW_CHARS,
    })),
  };
}

/** Counts over time of the rows of a list; null where none has a time. */
export function chartOf(list: FullList, rows: AuditRows, offsetMinutes: number): PanelChart | null {
  const { index } = rows;
  const chart = rowChart({
    offsetMinutes,
    each: (take) => list.each((row) => take(index.timeOf(row), index.decisionOf(row))),
  });
  return chart === null ? null : { ...chart, bars: chart.bars.map(([a, b, c]) => [a, b, c]) };
}

const KNOWN_DECISIONS = ["allow", "rewrite", "denied", "asks_user", "log_only", "error"];

export function stateMessage(
  facts: Pick<HostState, "epoch" | "file" | "log" | "reading" | "lastLine" | "problem">,
  { rows, newest, from }: { rows: AuditRows; newest: Newest | null; from: PanelSessionOptions },
): HostState {
  const { index } = rows;
  const seen = index.named("decision").filter((name) => !KNOWN_DECISIONS.includes(name));
  const early = newest?.lines.flatMap(({ record }) => record ?? []);
  const choices = (kind: "agent" | "tool" | "event" | "session") => {
    const key = kind === "session" ? "session_id" : kind;
    const names = early === undefined ? index.named(kind) : early.map((record) => record[key] ?? "");
    return [...new Set(names)].filter((name) => name !== "").slice(-MOST_CHOICES);
  };
  return {
    type: "state",
    version: PROTOCOL_VERSION,
    ...facts,
    lines: index.lines(),
    files: [...rows.files()],
    chain: from.chainState(),
    counts: { ...from.counts() },
    decisions: [...KNOWN_DECISIONS, ...seen],
    agents: choices("agent").sort(),
    tools: choices("tool").sort(),
    events: choices("event").sort(),
    sessions: choices("session").reverse(),
    pending: [...from.pending()],
    locale: from.locale,
    strings: { ...from.strings },
  };
}
