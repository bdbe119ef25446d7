/**
 * Which lines of a log make which row, in a few bytes per line, so that a log of millions can be listed and filtered
 * without holding its records. Knows nothing of files: it is fed line after line and asked for line numbers.
 */
import { joinKey, type LogLine, type RowFilter } from "./query";

/** Numbers in a typed array that grows by doubling. */
function growing<T extends Uint8Array | Uint32Array | Int32Array>(make: (size: number) => T) {
  let data = make(1024);
  let length = 0;
  return {
    push(value: number): void {
      if (length === data.length) {
        const bigger = make(length * 2);
        bigger.set(data);
        data = bigger;
      }
      data[length] = value;
      length += 1;
    },
    set: (at: number, value: number): void => {
      data[at] = value;
    },
    at: (index: number): number => data[index] ?? -1,
  };
}

/** Names numbered in the order they come. */
function names() {
  const numbers = new Map<string, number>();
  return {
    number(name: string): number {
      const known = numbers.get(name) ?? numbers.size;
      numbers.set(name, known);
      return known;
    },
    find: (name: string): number | undefined => numbers.get(name),
    all: (): string[] => [...numbers.keys()].filter((name) => name !== ""),
  };
}

/** At least this many calls that have not ended are remembered, and at most twice as many. */
const OPEN_CALLS = 50_000;

interface OpenCall {
  readonly row: number;
  /** A decision other than a question was recorded. */
  readonly settled: boolean;
}

/** Remembers by key and forgets the oldest, a generation at a time: finding the oldest key of one big map takes ever longer. */
function openCalls() {
  let young = new Map<string, OpenCall>();
  let old = new Map<string, OpenCall>();
  return {
    find: (key: string): OpenCall | undefined => young.get(key) ?? old.get(key),
    remember(key: string, call: OpenCall): void {
      if (young.size >= OPEN_CALLS) {
        old = young;
        young = new Map();
      }
      young.set(key, call);
    },
    forget(key: string): void {
      young.delete(key);
      old.delete(key);
    },
  };
}
const NONE = -1;

export interface RowIndex {
  /** Takes the next line and returns its row, counted from 0, the oldest first. */
  add(line: LogLine): number;
  rows(): number;
  lines(): number;
  /** Line numbers of a row, in log order. */
  linesOf(row: number): number[];
  /** Row of a line; -1 when there is no such line. */
  rowOf(line: number): number;
  /** Everything but `text`, which only the lines themselves can tell. */
  matches(row: number, filter: RowFilter): boolean;
  decisions(): string[];
  agents(): string[];
  tools(): string[];
}

export function rowIndex(): RowIndex {
  const firstLine = growing((size) => new Uint32Array(size));
  const decision = growing((size) => new Uint8Array(size));
  const agent = growing((size) => new Uint32Array(size));
  const tool = growing((size) => new Uint32Array(size));
  /** Per line: its row, and the next line of that row. */
  const row = growing((size) => new Int32Array(size));
  const next = growing((size) => new Int32Array(size));
  const lastLine = growing((size) => new Uint32Array(size));
  const decisionNames = names();
  const agentNames = names();
  const toolNames = names();
  const open = openCalls();
  let rows = 0;
  let lines = 0;

  function newRow(line: number): number {
    firstLine.push(line);
    lastLine.push(line);
    decision.push(0);
    agent.push(agentNames.number(""));
    tool.push(toolNames.number(""));
    rows += 1;
    return rows - 1;
  }

  /** The row this line continues, or a new one. A second decision on a settled call is another call with the same id. */
  function rowFor({ record, line }: LogLine): number {
    const key = record === null ? "" : joinKey(record);
    if (record === null || key === "") return newRow(line);
    const known = open.find(key);
    const continues = known !== undefined && !(record.event === "call" && known.settled);
    const at = continues ? known.row : newRow(line);
    if (record.event === "result") open.forget(key);
    else {
      const settled = record.event === "call" && record.decision !== "asks_user";
      open.remember(key, { row: at, settled: settled || (continues && known.settled) });
    }
    return at;
  }

  return {
    add(entry) {
      lines += 1;
      const { record, line } = entry;
      const before = rows;
      const at = rowFor(entry);
      row.push(at);
      next.push(NONE);
      if (at < before) next.set(lastLine.at(at) - 1, line);
      lastLine.set(at, line);
      if (record === null) decision.set(at, decisionNames.number("damaged"));
      else if (record.decision !== undefined) decision.set(at, decisionNames.number(record.decision));
      else if (at >= before) decision.set(at, decisionNames.number(""));
      if (record?.agent !== undefined) agent.set(at, agentNames.number(record.agent));
      if (record?.tool !== undefined) tool.set(at, toolNames.number(record.tool));
      return at;
    },
    rows: () => rows,
    lines: () => lines,
    linesOf(of) {
      const found: number[] = [];
      if (of < 0 || of >= rows) return found;
      for (let line = firstLine.at(of); line !== NONE; line = next.at(line - 1)) found.push(line);
      return found;
    },
    rowOf: (line) => (line < 1 || line > lines ? NONE : row.at(line - 1)),
    matches(of, filter) {
      return (
        (filter.decision === undefined || decision.at(of) === decisionNames.find(filter.decision)) &&
        (filter.agent === undefined || agent.at(of) === agentNames.find(filter.agent)) &&
        (filter.tool === undefined || tool.at(of) === toolNames.find(filter.tool))
      );
    },
    decisions: () => decisionNames.all(),
    agents: () => agentNames.all().sort(),
    tools: () => toolNames.all().sort(),
  };
}
