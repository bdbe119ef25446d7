/** What the page knows and what a person can do with it. Knows the protocol; knows nothing of elements. */
import {
  type HostMessage,
  type HostState,
  PAGE_ROWS,
  type PanelRow,
  PROTOCOL_VERSION,
  type RowFilterMessage,
} from "../src/panel/protocol";
import type { HostSeam } from "./host";
import { rowCache } from "./rowCache";

export type Details = Extract<HostMessage, { type: "details" }>;
export type VerifyResult = Extract<HostMessage, { type: "verifyResult" }>;

export interface PanelState {
  readonly host: HostState | null;
  readonly filter: RowFilterMessage;
  /** Rows in the filtered list; null until the first answer. */
  readonly total: number | null;
  readonly epoch: number;
  /** Line of the selected row; null = none. */
  readonly selected: number | null;
  readonly details: Details | null;
  readonly verify: "running" | VerifyResult | null;
  /** Kind of damage by line, as the newest verification found it. */
  readonly broken: ReadonlyMap<number, string>;
  readonly searching: { readonly done: number; readonly total: number } | null;
  /** Where the list shall go to, counted from the oldest row; `serial` makes two equal jumps differ. */
  readonly jump: { readonly position: number; readonly serial: number } | null;
  /** A line that was asked for and is no record; null = none. */
  readonly notThere: number | null;
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
  dismissVerify(): void;
  goTo(line: number): void;
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
  broken: new Map(),
  searching: null,
  jump: null,
  notThere: null,
};

export function createStore(host: HostSeam): PanelStore {
  const kept = host.kept();
  let state: PanelState = { ...START, filter: kept?.filter ?? {}, selected: kept?.selected ?? null };
  let token = 0;
  let serial = 0;
  /** The line a jump looks for, and whether the filter was already lifted for it. */
  let seeking: { line: number; lifted: boolean } | null = null;
  const cache = rowCache();
  const asked = new Set<number>();
  const listeners = new Set<() => void>();

  function update(change: Partial<PanelState>): void {
    state = { ...state, ...change };
    host.keep({ filter: state.filter, selected: state.selected });
    for (const listener of listeners) listener();
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
    update({ total: message.total, epoch: message.epoch, searching: null });
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
  }

  function takeLocated(message: Extract<HostMessage, { type: "located" }>): void {
    if (seeking === null || message.line !== seeking.line || message.token !== token) return;
    const { line, lifted } = seeking;
    if (message.position !== null) {
      seeking = null;
      serial += 1;
      update({ jump: { position: message.position, serial } });
      store.select(line);
    } else if (lifted || Object.keys(state.filter).length === 0) {
      seeking = null;
      update({ notThere: line });
    } else {
      seeking = { line, lifted: true };
      store.setFilter({});
      host.send({ type: "locate", token, line });
    }
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
      case "verifying":
        update({ verify: "running", notThere: null });
        break;
      case "verifyResult":
        update({
          verify: message,
          broken: new Map((message.report?.damage ?? []).map((one) => [one.line, one.kind])),
        });
        break;
      default:
        message satisfies never;
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
      startOver({ filter, total: null, searching: null, jump: null, notThere: null });
    },
    select(line) {
      update({ selected: line, ...(line === null ? { details: null } : {}) });
      if (line !== null) host.send({ type: "details", line });
    },
    verify() {
      update({ verify: "running", notThere: null });
      host.send({ type: "verify" });
    },
    dismissVerify: () => update({ verify: null, notThere: null }),
    goTo(line) {
      seeking = { line, lifted: false };
      update({ notThere: null });
      host.send({ type: "locate", token, line });
    },
    openLog: () => host.send({ type: "openLog" }),
    answer: (askId) => host.send({ type: "answer", askId }),
  };

  host.listen(take);
  host.send({ type: "ready", version: PROTOCOL_VERSION });
  return store;
}
