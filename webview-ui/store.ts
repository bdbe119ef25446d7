/** What the page knows and what a person can do with it. Knows the protocol; knows nothing of elements. */
import {
  type ExportFormat,
  type HostMessage,
  type HostState,
  type JumpTarget,
  PAGE_ROWS,
  type PanelChart,
  type PanelRow,
  PROTOCOL_VERSION,
  type RowFilterMessage,
} from "../src/panel/protocol";
import type { HostSeam } from "./host";
import { rowCache } from "./rowCache";

export type Details = Extract<HostMessage, { type: "details" }>;
export type VerifyResult = Extract<HostMessage, { type: "verifyResult" }>;

export type Progress = { readonly done: number; readonly total: number };
export type Exported = Extract<HostMessage, { type: "exported" }>;

export interface PanelState {
  readonly host: HostState | null;
  readonly filter: RowFilterMessage;
  /** Rows in the filtered list; null until the first answer. */
  readonly total: number | null;
  readonly epoch: number;
  /** Line of the selected row; null = none. */
  readonly selected: number | null;
  readonly details: Details | null;
  /** Its progress while it runs. */
  readonly verify: Extract<HostMessage, { type: "verifying" }> | VerifyResult | null;
  readonly export: Extract<HostMessage, { type: "exporting" }> | Exported | null;
  /** Counts over time of the list; null while they are not known, and where no row has a time. */
  readonly chart: PanelChart | null;
  /** Kind of damage by line, as the newest verification found it. */
  readonly broken: ReadonlyMap<number, string>;
  readonly searching: Progress | null;
  /** Where the list shall go to, counted from the oldest row; `serial` makes two equal jumps differ. */
  readonly jump: { readonly position: number; readonly serial: number } | null;
  /** What was asked for and is not there; null = nothing. */
  readonly notThere: JumpTarget | null;
}

export interface PanelStore {
  state(): PanelState;
  subscribe(listener: () => void): void;
  /** Index 0 is the newest row; undefined while its page is on the way. */
  rowAt(index: number): PanelRow | undefined;
  /** Asks for what is missing between two indexes. */
  want(first: number, last: number): void;
  setFilter(filter: RowFilterMessage): void;
  select(line: number | null): void;
  verify(): void;
  cancelVerify(): void;
  export(format: ExportFormat): void;
  cancelExport(): void;
  dismiss(what: "verify" | "export" | "notThere"): void;
  goTo(target: JumpTarget): void;
  openLog(): void;
  answer(askId: string): void;
}

const START: PanelState = {
  host: null,
  filter: {},
  total: null,
  epoch: -1,
  selected: null,
  details: null,
  verify: null,
  export: null,
  chart: null,
  broken: new Map(),
  searching: null,
  jump: null,
  notThere: null,
};

/** Counts are asked for again this long after the list changed. */
const CHART_MS = 400;

export function createStore(host: HostSeam): PanelStore {
  const kept = host.kept();
  let state: PanelState = { ...START, filter: kept?.filter ?? {}, selected: kept?.selected ?? null };
  let token = 0;
  let serial = 0;
  /** What a jump looks for, and whether the filter was already lifted for it. */
  let seeking: { target: JumpTarget; lifted: boolean } | null = null;
  let charting: ReturnType<typeof setTimeout> | undefined;
  const cache = rowCache();
  const asked = new Set<number>();
  const listeners = new Set<() => void>();

  function update(change: Partial<PanelState>): void {
    state = { ...state, ...change };
    host.keep({ filter: state.filter, selected: state.selected });
    for (const listener of listeners) listener();
  }

  /** The chart follows the list, a little behind: a log that grows fast must not be counted at each record. */
  function askChart(): void {
    if (charting !== undefined) return;
    charting = setTimeout(() => {
      charting = undefined;
      host.send({ type: "chart", token, offsetMinutes: -new Date().getTimezoneOffset() });
    }, CHART_MS);
  }

  function ask(offset: number): void {
    if (asked.has(offset)) return;
    asked.add(offset);
    host.send({ type: "query", token, filter: state.filter, offset, limit: PAGE_ROWS });
  }

  /** Everything known of the list is void; the newest page is asked for first. */
  function startOver(change: Partial<PanelState>): void {
    cache.clear();
    asked.clear();
    update(change);
    ask(lastPage(state.total ?? 0));
  }

  function lastPage(total: number): number {
    return Math.max(0, Math.ceil(total / PAGE_ROWS) - 1) * PAGE_ROWS;
  }

  function takeState(message: HostState): void {
    const before = state.host;
    const selected = state.selected;
    // A line counted from the end has its real number once the log is read through.
    const real =
      selected !== null && selected < 0 && message.lastLine !== null && message.reading === null
        ? message.lastLine + 1 + selected
        : selected;
    if (message.epoch !== state.epoch) {
      // Another log, or this one written anew: what was found in the old one says nothing of it.
      const broken = before?.file === message.file && before.reading !== null ? state.broken : START.broken;
      startOver({ host: message, selected: real, epoch: message.epoch, broken });
    } else update({ host: message, selected: real });
    if (real !== null && (before === null || real !== selected)) host.send({ type: "details", line: real });
  }

  function takeRows(message: Extract<HostMessage, { type: "rows" }>): void {
    if (message.token !== token) return;
    asked.delete(message.offset);
    if (message.epoch < state.epoch) {
      ask(message.offset);
      return;
    }
    if (message.epoch > state.epoch) {
      cache.clear();
      asked.clear();
    }
    cache.put(message.offset, message.rows);
    const first = state.total === null || message.epoch > state.epoch;
    const grown = message.total !== state.total;
    update({ total: message.total, epoch: message.epoch, searching: null });
    if (grown || state.chart === null) askChart();
    if (first && lastPage(message.total) !== message.offset) ask(lastPage(message.total));
  }

  function takeAppended(message: Extract<HostMessage, { type: "appended" }>): void {
    if (message.token !== token || message.epoch !== state.epoch) return;
    for (const { position, row } of message.changed) cache.set(position, row);
    const shown = state.details?.row;
    if (shown !== undefined && shown !== null && message.changed.some(({ row }) => row.line === shown.line)) {
      host.send({ type: "details", line: shown.line });
    }
    update({ total: message.total });
    askChart();
  }

  function takeLocated(message: Extract<HostMessage, { type: "located" }>): void {
    if (seeking === null || !isSame(message.target, seeking.target) || message.token !== token) return;
    const { target, lifted } = seeking;
    if (message.found !== null) {
      const { position, line } = message.found;
      seeking = null;
      serial += 1;
      update({ jump: { position, serial } });
      store.select(line);
    } else if (lifted || Object.keys(state.filter).length === 0) {
      seeking = null;
      update({ notThere: target });
    } else {
      seeking = { target, lifted: true };
      store.setFilter({});
      host.send({ type: "locate", token, target });
    }
  }

  function takeVerified(message: VerifyResult): void {
    const damage = message.report?.damage ?? [];
    update({
      verify: message,
      broken: new Map(damage.filter(({ row }) => row > 0).map((one) => [one.row, one.kind])),
    });
  }

  function take(message: HostMessage): void {
    switch (message.type) {
      case "state":
        takeState(message);
        break;
      case "rows":
        takeRows(message);
        break;
      case "appended":
        takeAppended(message);
        break;
      case "searching":
        if (message.token === token) update({ searching: message });
        break;
      case "details":
        if (message.line === state.selected) update({ details: message });
        break;
      case "located":
        takeLocated(message);
        break;
      case "chart":
        if (message.token === token) update({ chart: message.chart });
        break;
      case "verifying":
        update({ verify: message, notThere: null });
        break;
      case "verifyCancelled":
        update({ verify: null });
        break;
      case "verifyResult":
        takeVerified(message);
        break;
      case "exporting":
        update({ export: message });
        break;
      case "exported":
        update({ export: message.file === null && message.problem === null ? null : message });
        break;
      default:
        message satisfies never;
    }
  }

  /** Drawn at once, and asked for again: the document may be older than the log when a panel is shown once more. */
  function takeFirst(): void {
    for (const message of host.first()) {
      if (message.type !== "rows") take(message);
      else if (Object.keys(state.filter).length === 0) takeRows(message);
    }
    if (state.total !== null) {
      asked.clear();
      ask(lastPage(state.total));
    }
  }

  const store: PanelStore = {
    state: () => state,
    subscribe: (listener) => void listeners.add(listener),
    rowAt: (index) => cache.row((state.total ?? 0) - 1 - index),
    want(first, last) {
      const total = state.total ?? 0;
      if (total === 0) return;
      const from = Math.max(0, total - 1 - last);
      const to = Math.min(total - 1, total - 1 - first);
      for (const offset of cache.missing({ from, to, total })) ask(offset);
    },
    setFilter(filter) {
      token += 1;
      startOver({ filter, total: null, searching: null, jump: null, notThere: null, chart: null });
    },
    select(line) {
      update({ selected: line, ...(line === null ? { details: null } : {}) });
      if (line !== null) host.send({ type: "details", line });
    },
    verify() {
      update({ verify: { type: "verifying", done: 0, total: 0 }, notThere: null });
      host.send({ type: "verify" });
    },
    cancelVerify: () => host.send({ type: "cancelVerify" }),
    export: (format) => host.send({ type: "export", token, format }),
    cancelExport: () => host.send({ type: "cancelExport" }),
    dismiss: (what) => update({ [what]: null }),
    goTo(target) {
      seeking = { target, lifted: false };
      update({ notThere: null });
      host.send({ type: "locate", token, target });
    },
    openLog: () => host.send({ type: "openLog" }),
    answer: (askId) => host.send({ type: "answer", askId }),
  };

  host.listen(take);
  takeFirst();
  host.send({ type: "ready", version: PROTOCOL_VERSION });
  return store;
}

const isSame = (a: JumpTarget, b: JumpTarget): boolean => JSON.stringify(a) === JSON.stringify(b);
