/** Where a key takes the reader of the list. Knows nothing of the page. */

export interface GridPlace {
  readonly active: number;
  readonly total: number;
  /** Rows of one page. */
  readonly page: number;
}

/** The row that a key goes to; undefined where it goes nowhere. */
export function rowForKey(key: string, { active, total, page }: GridPlace): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: total - 1,
  };
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return to === undefined ? undefined : Math.max(0, Math.min(total - 1, to));
}
