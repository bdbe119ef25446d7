/** An export that the page asked for: the person's file, its progress, its end; one at a time. Knows nothing of VS Code. */
import { messageOf } from "../core/errors";
import type { AuditRows } from "../node/auditRows";
import type { ExportFormat, HostMessage } from "../panel/messages";
import type { Clock } from "../ports";
import { exportRows } from "./panelExport";
import type { FullList } from "./panelList";

export interface ExportingOptions {
  /** Asks the person for a file to write; undefined where none was picked. */
  readonly pick: (format: ExportFormat) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly send: (message: HostMessage) => void;
  /** The list of the whole log, once it stands. */
  readonly list: () => Promise<{ list: FullList; rows: AuditRows } | null>;
}

const PROGRESS_MS = 100;
const NONE = {
  type: "exported",
  file: null,
  records: 0,
  leftOut: 0,
  upkeepLeftOut: 0,
  problem: null,
} as const;

export function panelExporting({ pick, clock, send, list }: ExportingOptions) {
  let running: AbortController | null = null;

  async function write(format: ExportFormat, signal: AbortSignal): Promise<HostMessage> {
    const file = await pick(format);
    const of = await list();
    if (file === undefined || of === null) return NONE;
    send({ type: "exporting", done: 0, total: 0 });
    let said = clock.monotonic();
    const onProgress = (done: number, total: number) => {
      if (clock.monotonic() - said < PROGRESS_MS) return;
      said = clock.monotonic();
      send({ type: "exporting", done, total });
    };
    const at = new Date(clock.now()).toISOString();
    return { ...NONE, ...(await exportRows({ ...of, file, format, at, signal, onProgress })), file };
  }

  return {
    async run(format: ExportFormat): Promise<void> {
      if (running !== null) return;
      const mine = new AbortController();
      running = mine;
      try {
        send(await write(format, mine.signal));
      } catch (error) {
        send({ ...NONE, problem: mine.signal.aborted ? null : messageOf(error) });
      } finally {
        running = null;
      }
    },
    cancel: () => running?.abort(),
  };
}
