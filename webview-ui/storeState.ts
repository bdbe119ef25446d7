/** What the page knows, and what a person can do with it. */
import type {
  DetailsMessage,
  ExportedMessage,
  ExportFormat,
  HostMessage,
  HostState,
  JumpTarget,
  PanelChart,
  PanelRow,
  Progress,
  UpkeepChoice,
  VerifyResult,
} from "../src/panel/messages";
import type { RowFilterMessage } from "../src/panel/protocol";

/** Where the list shall go to, counted from the oldest row; `serial` makes two equal jumps differ. */
export interface Jump {
  readonly position: number;
  readonly serial: number;
  /** Whether the row is to have the keyboard, or only to be in view. */
  readonly to: "focus" | "view";
}

export interface PanelState {
  readonly host: HostState | null;
  readonly filter: RowFilterMessage;
  readonly upkeep: UpkeepChoice;
  /** Rows in the list; null until the first answer. */
  readonly total: number | null;
  /** Checkpoints and heartbeats that pass the filter, listed or not. */
  readonly upkeepTotal: number;
  readonly epoch: number;
  /** Line of the selected row; null = none. */
  readonly selected: number | null;
  readonly details: DetailsMessage | null;
  /** Its progress while it runs. */
  readonly verify: Extract<HostMessage, { type: "verifying" }> | VerifyResult | null;
  readonly export: Extract<HostMessage, { type: "exporting" }> | ExportedMessage | null;
  /** Counts over time of the list, or of the one before while they are not known; null where no row has a time. */
  readonly chart: PanelChart | null;
  /** Kind of damage by line, as the newest verification found it. */
  readonly broken: ReadonlyMap<number, string>;
  readonly searching: Progress | null;
  readonly jump: Jump | null;
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
  setUpkeep(upkeep: UpkeepChoice): void;
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

export const START: PanelState = {
  host: null,
  filter: {},
  upkeep: "hidden",
  total: null,
  upkeepTotal: 0,
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

/** Whether everything is listed that can be. */
export const isUnfiltered = ({ filter }: Pick<PanelState, "filter">): boolean =>
  Object.keys(filter).length === 0;
