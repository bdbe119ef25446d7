/** The list of the newest rows of a log that is still being read. Knows nothing of messages or VS Code. */
import type { AuditRow, RowFilter } from "../core/audit/query";
import { isUpkeep, isUpkeepEvent } from "../core/audit/upkeep";
import type { Newest, ReadLine } from "../node/auditNewest";
import type { JumpTarget } from "../panel/messages";
import type { Listing, Located, PanelList } from "./panelList";

/** Whether a row passes everything that was chosen, upkeep apart. */
function passing(filter: RowFilter, lines: ReadonlyMap<number, ReadLine>) {
  const text = filter.text?.toLowerCase();
  const holds = (line: number) => text !== undefined && lines.get(line)?.raw.toLowerCase().includes(text);
  return (row: AuditRow): boolean =>
    (filter.decision === undefined || row.decision === filter.decision) &&
    (filter.agent === undefined || row.agent === filter.agent) &&
    (filter.tool === undefined || row.tool === filter.tool) &&
    (filter.event === undefined || row.event === filter.event) &&
    (filter.since === undefined || Date.parse(row.ts) >= Date.parse(filter.since)) &&
    (filter.until === undefined || Date.parse(row.ts) < Date.parse(filter.until)) &&
    (filter.session === undefined || lines.get(row.line)?.record?.session_id === filter.session) &&
    (text === undefined || row.lines.some((line) => holds(line) === true));
}

export function newestList(newest: Pick<Newest, "rows" | "lines">, { filter, upkeep }: Listing): PanelList {
  const lines = new Map(newest.lines.map((one) => [one.line, one]));
  const isAsked = filter.event !== undefined && isUpkeepEvent(filter.event);
  const isQuiet = (row: AuditRow): boolean => {
    const record = lines.get(row.line)?.record ?? null;
    return !isAsked && record !== null && isUpkeep(record);
  };
  const matching = newest.rows.filter(passing(filter, lines));
  const quiet = matching.filter(isQuiet).length;
  const shown = upkeep === "shown" ? matching : matching.filter((row) => !isQuiet(row));

  function find(rows: readonly AuditRow[], target: JumpTarget): number {
    if ("line" in target) return rows.findIndex((row) => row.lines.includes(target.line));
    if ("time" in target) {
      const time = Date.parse(target.time);
      return rows.findIndex((row) => Date.parse(row.ts) >= time);
    }
    return rows.findLastIndex((row) => lines.get(row.line)?.record?.call_id === target.callId);
  }

  return {
    total: () => shown.length,
    upkeep: () => quiet,
    rows: async (offset, limit) => shown.slice(offset, offset + limit),
    async locate(target): Promise<Located> {
      const position = find(shown, target);
      const line = "line" in target ? target.line : shown[position]?.line;
      if (position >= 0 && line !== undefined) return { position, line };
      if (find(matching, target) >= 0) return "upkeep";
      return find(newest.rows, target) >= 0 ? "filter" : null;
    },
  };
}
