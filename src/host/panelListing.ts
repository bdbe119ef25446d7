/** The list that the page asked for last: built, kept up with the log, and told page by page. Knows nothing of VS Code. */
import type { AuditRow } from "../core/audit/query";
import type { Growth } from "../node/auditRows";
import type { HostMessage, PanelRow } from "../panel/messages";
import type { PageMessage } from "../panel/protocol";
import type { FullList, Listing, PanelList } from "./panelList";
import { fullList } from "./panelListFull";
import { newestList } from "./panelListNewest";
import type { PanelReading } from "./panelReading";

/** Rows sent along with the news of them; more are asked for by the page. */
const ANNOUNCED_ROWS = 100;
/** Rows that come with the document: more than a tall screen shows. */
const FIRST_ROWS = 80;

type Query = Extract<PageMessage, { type: "query" }>;

export interface ListingOptions {
  readonly reading: PanelReading;
  /** Lines at which a verification found damage. */
  readonly damagedLines: () => readonly number[];
  readonly send: (message: HostMessage) => void;
  readonly failed: (error: unknown) => void;
}

const sent = (row: AuditRow): PanelRow => ({ ...row, lines: [...row.lines] });

export function panelListing({ reading, damagedLines, send, failed }: ListingOptions) {
  let epoch = 0;
  let token = 0;
  let listing: Listing = { filter: {}, upkeep: "hidden" };
  let list: PanelList | FullList | null = null;
  let searching: AbortController | null = null;
  let ready: Promise<void> = Promise.resolve();
  let isBuilding = false;
  let revealed: ReadonlySet<number> = new Set();

  /** Upkeep that must be seen. */
  function damagedUpkeep(): ReadonlySet<number> {
    const { index } = reading.rows();
    const upkeep = new Set<number>(damagedLines().length === 0 ? [] : index.upkeep());
    return new Set(
      damagedLines()
        .map((line) => index.rowOf(line))
        .filter((row) => upkeep.has(row)),
    );
  }

  /** Everything kept of the old list is void. */
  function rebuild(): void {
    searching?.abort();
    const mine = new AbortController();
    searching = mine;
    epoch += 1;
    const newest = reading.newest();
    revealed = damagedUpkeep();
    list = newest === null ? null : newestList(newest, listing);
    isBuilding = list === null;
    if (list !== null) return;
    const of = token;
    ready = fullList(reading.rows(), listing, {
      revealed,
      signal: mine.signal,
      onProgress: (done, total) => send({ type: "searching", token: of, done, total }),
    })
      .then((built) => {
        if (built !== null && searching === mine) list = built;
      }, failed)
      .finally(() => {
        if (searching === mine) isBuilding = false;
      });
  }

  async function answer(offset: number, limit: number): Promise<HostMessage | null> {
    const of = list;
    if (of === null) return null;
    const at = { token, epoch, total: of.total(), upkeep: of.upkeep(), offset };
    const page = await of.rows(offset, limit);
    return at.epoch === epoch ? { type: "rows", ...at, rows: page.map(sent) } : null;
  }

  async function announce(grown: PanelList, changed: readonly number[]): Promise<void> {
    const at = { token, epoch, total: grown.total(), upkeep: grown.upkeep() };
    const updates = await Promise.all(
      changed.map(async (position) => ({ position, row: (await grown.rows(position, 1))[0] })),
    );
    // The choice may have changed meanwhile; its own answer tells how many there are.
    if (grown !== list) return;
    send({
      type: "appended",
      ...at,
      changed: updates.flatMap(({ position, row }) =>
        row === undefined ? [] : [{ position, row: sent(row) }],
      ),
    });
  }

  return {
    epoch: () => epoch,
    isFor: (asked: number) => asked === token,
    token: () => token,
    /** Resolves once the list stands; it may be null where its making failed. */
    async whenReady(): Promise<PanelList | FullList | null> {
      await ready;
      return list;
    },
    rebuild,
    /** Whether a verification asks for a list with other rows. */
    revealsAnew(): boolean {
      const now = damagedUpkeep();
      return now.size !== revealed.size || [...now].some((row) => !revealed.has(row));
    },
    async query(message: Query): Promise<void> {
      const asked: Listing = { filter: message.filter, upkeep: message.upkeep };
      const isSame = (list !== null || isBuilding) && JSON.stringify(asked) === JSON.stringify(listing);
      token = message.token;
      listing = asked;
      if (!isSame) rebuild();
      await ready;
      if (message.token !== token) return;
      const page = await answer(message.offset, message.limit);
      if (page !== null) send(page);
    },
    /** The newest rows as a page asks for them that was never shown; null where there are none yet. */
    async newestPage(): Promise<HostMessage | null> {
      const isPlain = Object.keys(listing.filter).length === 0 && listing.upkeep === "hidden";
      if (list === null || !isPlain) return null;
      return answer(Math.max(0, list.total() - FIRST_ROWS), FIRST_ROWS);
    },
    /** Takes in what the log gained. */
    async grow(growth: Growth): Promise<void> {
      await ready;
      const before = list?.total() ?? 0;
      const grown = list !== null && "grow" in list ? await list.grow(growth) : null;
      if (grown === null || list === null) {
        rebuild();
        await ready;
        return;
      }
      const added = list.total() - before;
      const fresh = added > ANNOUNCED_ROWS ? [] : Array.from({ length: added }, (_, i) => before + i);
      await announce(list, [...grown.changed.slice(0, ANNOUNCED_ROWS), ...fresh]);
    },
    stop: () => searching?.abort(),
  };
}
