/** Keeps the rows near what is looked at, a page of them at a time, and says which pages to ask for. Knows nothing of the DOM. */
import { PAGE_ROWS, type PanelRow } from "../src/panel/messages";

const KEPT_PAGES = 40;

/** Rows by position, counted from the oldest: positions stay when the log grows. */
export interface RowCache {
  row(position: number): PanelRow | undefined;
  /** Rows from a position on; they need not fill a page. */
  put(offset: number, rows: readonly PanelRow[]): void;
  /** A row that changed, or one beside those that are here. */
  set(position: number, row: PanelRow): void;
  clear(): void;
  /** First positions of the pages that hold `from`..`to` and lack one of these rows. */
  missing(range: { from: number; to: number }): number[];
}

export function rowCache(): RowCache {
  const pages = new Map<number, Map<number, PanelRow>>();
  const pageOf = (position: number) => Math.floor(position / PAGE_ROWS);
  const row = (position: number) => pages.get(pageOf(position))?.get(position);

  function set(position: number, found: PanelRow): void {
    const at = pageOf(position);
    const page = pages.get(at) ?? new Map<number, PanelRow>();
    page.set(position, found);
    // The page that was written to last is the last to go.
    pages.delete(at);
    pages.set(at, page);
    for (const oldest of pages.keys()) {
      if (pages.size <= KEPT_PAGES) break;
      pages.delete(oldest);
    }
  }

  return {
    row,
    put(offset, rows) {
      for (const [at, found] of rows.entries()) set(offset + at, found);
    },
    set,
    clear: () => pages.clear(),
    missing({ from, to }) {
      const wanted = new Set<number>();
      for (let position = from; position <= to; position += 1) {
        if (row(position) === undefined) wanted.add(pageOf(position) * PAGE_ROWS);
      }
      return [...wanted];
    },
  };
}
