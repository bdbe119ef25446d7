/** Keeps the rows near what is looked at, a page of them at a time, and says which pages to ask for. Knows nothing of the DOM. */
import { PAGE_ROWS, type PanelRow } from "../src/panel/protocol";

const KEPT_PAGES = 40;

/** Rows by position, counted from the oldest: positions stay when the log grows. */
export interface RowCache {
  row(position: number): PanelRow | undefined;
  put(offset: number, rows: readonly PanelRow[]): void;
  /** A row that changed, or the next one of a page that is here. */
  set(position: number, row: PanelRow): void;
  clear(): void;
  /** First positions of the pages that hold `from`..`to` and are not here in full, given the list's length. */
  missing(range: { from: number; to: number; total: number }): number[];
}

export function rowCache(): RowCache {
  const pages = new Map<number, PanelRow[]>();
  const pageOf = (position: number) => Math.floor(position / PAGE_ROWS);

  return {
    row: (position) => pages.get(pageOf(position))?.[position % PAGE_ROWS],
    put(offset, rows) {
      const page = pageOf(offset);
      pages.delete(page);
      pages.set(page, [...rows]);
      for (const oldest of pages.keys()) {
        if (pages.size <= KEPT_PAGES) break;
        pages.delete(oldest);
      }
    },
    set(position, row) {
      const at = position % PAGE_ROWS;
      if (at === 0 && !pages.has(pageOf(position))) pages.set(pageOf(position), []);
      const page = pages.get(pageOf(position));
      if (page !== undefined && at <= page.length) page[at] = row;
    },
    clear: () => pages.clear(),
    missing({ from, to, total }) {
      const wanted: number[] = [];
      for (let page = pageOf(from); page <= pageOf(to); page += 1) {
        const full = Math.min(PAGE_ROWS, total - page * PAGE_ROWS);
        if ((pages.get(page)?.length ?? 0) < full) wanted.push(page * PAGE_ROWS);
      }
      return wanted;
    },
  };
}
