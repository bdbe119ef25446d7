/** What a panel's list is: the rows that a filter lets through, oldest first, by position. Knows nothing of messages or VS Code. */
import type { AuditRow, RowFilter } from "../core/audit/query";
import type { JumpTarget, UpkeepChoice } from "../panel/messages";

/** What a person chose to see. */
export interface Listing {
  readonly filter: RowFilter;
  /** Whether the log's own checkpoints and heartbeats are among the rows. */
  readonly upkeep: UpkeepChoice;
}

export interface Place {
  readonly position: number;
  readonly line: number;
}

/** The row that was meant; or what keeps it out of the list; null = there is no such row. */
export type Located = Place | "filter" | "upkeep" | null;

export interface PanelList {
  total(): number;
  /** How many checkpoints and heartbeats pass the filter, listed or not; those that are listed in any case do not count. */
  upkeep(): number;
  rows(offset: number, limit: number): Promise<AuditRow[]>;
  locate(target: JumpTarget): Promise<Located>;
}

export interface FullList extends PanelList {
  readonly listing: Listing;
  /** Calls `take` with each row of the list, oldest first. */
  each(take: (row: number) => void): void;
  /**
   * Takes in what the log has gained. Rows already listed that changed are given by position;
   * null when a row came into or fell out of the middle of the list, so that it must be built anew.
   */
  grow(growth: {
    readonly added: number;
    readonly changed: readonly number[];
  }): Promise<{ changed: number[] } | null>;
}
