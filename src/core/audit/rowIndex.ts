/**
 * Which lines of a log make which row, in a few bytes per line, so that a log of millions can be listed and filtered
 * without holding its records. Knows nothing of files: it is fed line after line and asked for line numbers.
 */
import { growing, hashOf, type Numbers, names } from "./columns";
import { type KeptCalls, openCalls } from "./openCalls";
import { joinKey, type LogLine, type RowFilter } from "./query";
import { isUpkeep } from "./upkeep";

const NONE = -1;

const u16 = (size: number) => new Uint16Array(size);
const u32 = (size: number) => new Uint32Array(size);
const i32 = (size: number) => new Int32Array(size);
const f64 = (size: number) => new Float64Array(size);

/** Columns by name; the widths are part of what is kept on disk. */
const MAKERS = {
  firstLine: u32,
  lastLine: u32,
  /** Milliseconds since 1970; NaN where the row has no time. */
  time: f64,
  decision: u16,
  event: u16,
  agent: u16,
  tool: u16,
  session: u16,
  call: u32,
  /** Per line: its row, and the next line of that row. */
  row: i32,
  next: i32,
  /** Rows, ascending, that are nothing but the log's own upkeep. */
  upkeep: u32,
} as const;
type ColumnName = keyof typeof MAKERS;
const NAMED = ["decision", "event", "agent", "tool", "session"] as const;
type Named = (typeof NAMED)[number];

/** An index as it is kept: names, open calls, and the columns. */
export interface KeptIndex {
  readonly names: Readonly<Record<Named, readonly string[]>>;
  readonly open: KeptCalls;
  readonly columns: Readonly<Record<ColumnName, Numbers>>;
}

/** An empty array of each column's kind, in the order in which they are kept. */
export const KEPT_COLUMNS = Object.entries(MAKERS) as [ColumnName, (size: number) => Numbers][];

export interface RowIndex {
  /** Takes the next line and returns its row, counted from 0, the oldest first. */
  add(line: LogLine): number;
  rows(): number;
  lines(): number;
  /** Line numbers of a row, in log order. */
  linesOf(row: number): number[];
  /** Row of a line; -1 when there is no such line. */
  rowOf(line: number): number;
  /** Time of the row's first record, ms since 1970; NaN where it has none. */
  timeOf(row: number): number;
  decisionOf(row: number): string;
  /** Rows, ascending, that are nothing but the log's own upkeep; valid until the next line is added. */
  upkeep(): Numbers;
  /** Rows that may be of this call, oldest first; a few more than are. */
  maybeOfCall(callId: string): number[];
  /** Everything but `text`, which only the lines themselves can tell. */
  matcher(filter: RowFilter): (row: number) => boolean;
  named(kind: Named): string[];
  kept(): KeptIndex;
}

/** `kept` must have come from `kept()` of the same log. */
export function rowIndex(kept?: KeptIndex): RowIndex {
  const column = (name: ColumnName) => growing<Numbers>(MAKERS[name], kept?.columns[name]);
  const columns = {
    firstLine: column("firstLine"),
    lastLine: column("lastLine"),
    time: column("time"),
    decision: column("decision"),
    event: column("event"),
    agent: column("agent"),
    tool: column("tool"),
    session: column("session"),
    call: column("call"),
    row: column("row"),
    next: column("next"),
    upkeep: column("upkeep"),
  };
  const known = {
    decision: names(kept?.names.decision),
    event: names(kept?.names.event),
    agent: names(kept?.names.agent),
    tool: names(kept?.names.tool),
    session: names(kept?.names.session),
  };
  const open = openCalls(kept?.open);
  const { firstLine, lastLine, row, next, time } = columns;

  function newRow({ line, record }: LogLine): number {
    firstLine.push(line);
    lastLine.push(line);
    for (const name of NAMED) columns[name].push(0);
    time.push(record === null ? Number.NaN : Date.parse(record.ts));
    columns.event.set(firstLine.length() - 1, known.event.number(record === null ? "damaged" : record.event));
    columns.call.push(record?.call_id === undefined ? 0 : hashOf(record.call_id));
    if (record !== null && isUpkeep(record)) columns.upkeep.push(firstLine.length() - 1);
    return firstLine.length() - 1;
  }

  /** The row this line continues, or a new one. A second decision on a settled call is another call with the same id. */
  function rowFor(entry: LogLine): number {
    const { record } = entry;
    const key = record === null ? "" : joinKey(record);
    if (record === null || key === "") return newRow(entry);
    const call = open.find(key);
    const continues = call !== undefined && !(record.event === "call" && call.settled);
    const at = continues ? call.row : newRow(entry);
    if (record.event === "result") open.forget(key);
    else {
      const settled = record.event === "call" && record.decision !== "asks_user";
      open.remember(key, { row: at, settled: settled || (continues && call.settled) });
    }
    return at;
  }

  function note(kind: Named, at: number, value: string | undefined): void {
    if (value !== undefined) columns[kind].set(at, known[kind].number(value));
  }

  return {
    add(entry) {
      const { record, line } = entry;
      const before = firstLine.length();
      const at = rowFor(entry);
      row.push(at);
      next.push(NONE);
      if (at < before) next.set(lastLine.at(at) - 1, line);
      lastLine.set(at, line);
      note("decision", at, record === null ? "damaged" : record.decision);
      note("agent", at, record?.agent);
      note("tool", at, record?.tool);
      note("session", at, record?.session_id);
      return at;
    },
    rows: () => firstLine.length(),
    lines: () => row.length(),
    linesOf(of) {
      const found: number[] = [];
      if (of < 0 || of >= firstLine.length()) return found;
      for (let line = firstLine.at(of); line !== NONE; line = next.at(line - 1)) found.push(line);
      return found;
    },
    rowOf: (line) => (line < 1 || line > row.length() ? NONE : row.at(line - 1)),
    timeOf: (of) => (of < 0 || of >= time.length() ? Number.NaN : time.at(of)),
    decisionOf: (of) => known.decision.at(columns.decision.at(of)),
    upkeep: columns.upkeep.values,
    maybeOfCall(callId) {
      const hash = hashOf(callId);
      const found: number[] = [];
      columns.call.values().forEach((value, at) => {
        if (value === hash) found.push(at);
      });
      return found;
    },
    matcher(filter) {
      const tests: ((of: number) => boolean)[] = [];
      for (const kind of NAMED) {
        const wanted = filter[kind];
        if (wanted === undefined) continue;
        let number: number | undefined;
        tests.push((of) => {
          // A name may come into the log after the question.
          number ??= known[kind].find(wanted);
          return number !== undefined && columns[kind].at(of) === number;
        });
      }
      const since = filter.since === undefined ? undefined : Date.parse(filter.since);
      const until = filter.until === undefined ? undefined : Date.parse(filter.until);
      if (since !== undefined) tests.push((of) => time.at(of) >= since);
      if (until !== undefined) tests.push((of) => time.at(of) < until);
      return (of) => tests.every((passes) => passes(of));
    },
    named: (kind) => known[kind].all().filter((name) => name !== ""),
    kept: () => ({
      names: {
        decision: known.decision.all(),
        event: known.event.all(),
        agent: known.agent.all(),
        tool: known.tool.all(),
        session: known.session.all(),
      },
      open: open.all(),
      columns: {
        firstLine: firstLine.values(),
        lastLine: lastLine.values(),
        time: time.values(),
        decision: columns.decision.values(),
        event: columns.event.values(),
        agent: columns.agent.values(),
        tool: columns.tool.values(),
        session: columns.session.values(),
        call: columns.call.values(),
        row: row.values(),
        next: next.values(),
        upkeep: columns.upkeep.values(),
      },
    }),
  };
}
