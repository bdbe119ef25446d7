/** Joins what the host tells to what the page knows, and what a person does to what the host is asked. Knows the protocol; knows nothing of elements. */
import { type HostMessage, type HostState, PROTOCOL_VERSION, type VerifyResult } from "../src/panel/messages";
import type { HostSeam } from "./host";
import { storeJumps } from "./storeJumps";
import { storeList } from "./storeList";
import { isUnfiltered, type PanelState, type PanelStore, START } from "./storeState";

/** Counts are asked for again this long after the list changed. */
const CHART_MS = 400;

export function createStore(host: HostSeam): PanelStore {
  let state: PanelState = { ...START, ...host.kept() };
  let charting: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const list = storeList({ state: () => state, update, send: host.send, changed: askChart });
  const jumps = storeJumps({ ...list, update, send: host.send, select });

  function update(change: Partial<PanelState>): void {
    state = { ...state, ...change };
    const { filter, upkeep, selected } = state;
    host.keep({ filter, upkeep, selected });
    for (const listener of listeners) listener();
  }

  /** The chart follows the list, a little behind: a log that grows fast must not be counted at each record. */
  function askChart(): void {
    if (charting !== undefined) return;
    charting = setTimeout(() => {
      charting = undefined;
      host.send({ type: "chart", token: list.token(), offsetMinutes: -new Date().getTimezoneOffset() });
    }, CHART_MS);
  }

  function select(line: number | null): void {
    update({ selected: line, ...(line === null ? { details: null } : {}) });
    if (line !== null) host.send({ type: "details", line });
  }

  function takeState(message: HostState): void {
    const before = state.host;
    const { selected } = state;
    // A line counted from the end has its real number once the log is read through.
    const isCounted =
      selected !== null && selected < 0 && message.lastLine !== null && message.reading === null;
    const real = isCounted ? (message.lastLine ?? 0) + 1 + selected : selected;
    const broken = before !== null && before.log !== message.log ? START.broken : state.broken;
    const change = { host: message, selected: real, broken };
    if (message.epoch === state.epoch) update(change);
    else list.startOver({ ...change, epoch: message.epoch });
    if (real !== null && (before === null || real !== selected)) host.send({ type: "details", line: real });
  }

  function takeAppended(message: Extract<HostMessage, { type: "appended" }>): void {
    const changed = list.takeAppended(message);
    const shown = state.details?.row?.line;
    if (changed.some(({ line }) => line === shown)) select(state.selected);
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
        list.takeRows(message);
        break;
      case "appended":
        takeAppended(message);
        break;
      case "searching":
        if (message.token === list.token()) update({ searching: message });
        break;
      case "details":
        if (message.line === state.selected) update({ details: message });
        break;
      case "located":
        jumps.take(message);
        break;
      case "chart":
        if (message.token === list.token()) update({ chart: message.chart });
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

  /** What came with the document is drawn at once. */
  function takeFirst(): void {
    const isPlain = isUnfiltered(state) && state.upkeep === "hidden";
    for (const message of host.first()) if (message.type !== "rows" || isPlain) take(message);
    if (state.total !== null) list.askAgain();
  }

  host.listen(take);
  takeFirst();
  host.send({ type: "ready", version: PROTOCOL_VERSION });
  return {
    state: () => state,
    subscribe: (listener) => void listeners.add(listener),
    rowAt: list.rowAt,
    want: list.want,
    setFilter: (filter) => list.choose({ filter }),
    setUpkeep(upkeep) {
      list.choose({ upkeep });
      if (state.selected !== null) jumps.keepInView(state.selected);
    },
    select,
    verify() {
      update({ verify: { type: "verifying", done: 0, total: 0 }, notThere: null });
      host.send({ type: "verify" });
    },
    cancelVerify: () => host.send({ type: "cancelVerify" }),
    export: (format) => host.send({ type: "export", token: list.token(), format }),
    cancelExport: () => host.send({ type: "cancelExport" }),
    dismiss: (what) => update({ [what]: null }),
    goTo: jumps.goTo,
    openLog: () => host.send({ type: "openLog" }),
    answer: (askId) => host.send({ type: "answer", askId }),
  };
}
