/** The list as far as it is here: its pages, what is asked for, how it changes. Knows nothing of what else the page shows. */
import { type HostMessage, PAGE_ROWS, type PanelRow } from "../src/panel/messages";
import type { PageMessage } from "../src/panel/protocol";
import { rowCache } from "./rowCache";
import type { PanelState } from "./storeState";

type Rows = Extract<HostMessage, { type: "rows" }>;
type Appended = Extract<HostMessage, { type: "appended" }>;

export interface ListSeam {
  state(): PanelState;
  update(change: Partial<PanelState>): void;
  send(message: PageMessage): void;
  /** The list has changed: its counts over time are to be asked for. */
  changed(token: number): void;
}

function lastPage(total: number): number {
  return Math.max(0, Math.ceil(total / PAGE_ROWS) - 1) * PAGE_ROWS;
}

export function storeList({ state, update, send, changed }: ListSeam) {
  let token = 0;
  const cache = rowCache();
  const asked = new Set<number>();

  function ask(offset: number): void {
    if (asked.has(offset)) return;
    asked.add(offset);
    const { filter, upkeep } = state();
    send({ type: "query", token, filter, upkeep, offset, limit: PAGE_ROWS });
  }

  /** Everything known of the list is void; the newest page is asked for first. */
  function startOver(change: Partial<PanelState>): void {
    cache.clear();
    asked.clear();
    update(change);
    ask(lastPage(state().total ?? 0));
  }

  return {
    token: () => token,
    startOver,
    /** Another choice of rows. */
    choose(change: Partial<PanelState>): void {
      token += 1;
      startOver({ ...change, total: null, searching: null, jump: null, notThere: null });
    },
    rowAt: (index: number): PanelRow | undefined => cache.row((state().total ?? 0) - 1 - index),
    want(first: number, last: number): void {
      const total = state().total ?? 0;
      if (total === 0) return;
      const from = Math.max(0, total - 1 - last);
      const to = Math.min(total - 1, total - 1 - first);
      for (const offset of cache.missing({ from, to })) ask(offset);
    },
    takeRows(message: Rows): void {
      if (message.token !== token) return;
      const before = state();
      asked.delete(message.offset);
      if (message.epoch < before.epoch) {
        ask(message.offset);
        return;
      }
      if (message.epoch > before.epoch) {
        cache.clear();
        asked.clear();
      }
      cache.put(message.offset, message.rows);
      const isFirst = before.total === null || message.epoch > before.epoch;
      const { total, upkeep, epoch } = message;
      update({ total, upkeepTotal: upkeep, epoch, searching: null });
      if (isFirst || total !== before.total) changed(token);
      if (isFirst && lastPage(total) !== message.offset) ask(lastPage(total));
    },
    /** The rows that changed, if the news is of this list. */
    takeAppended(message: Appended): readonly PanelRow[] {
      if (message.token !== token || message.epoch !== state().epoch) return [];
      for (const { position, row } of message.changed) cache.set(position, row);
      update({ total: message.total, upkeepTotal: message.upkeep });
      changed(token);
      return message.changed.map(({ row }) => row);
    },
    /** The document may be older than the log when a panel is shown once more: what it brought is asked for again. */
    askAgain(): void {
      asked.clear();
      ask(lastPage(state().total ?? 0));
    },
  };
}
