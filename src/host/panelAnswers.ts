/** What a page is told: the state of everything, one call in full, a verification. Knows nothing of lists or VS Code. */
import { messageOf } from "../core/errors";
import type { AuditRows, newestRows } from "../node/auditRows";
import {
  type HostMessage,
  type HostState,
  type PanelVerifyReport,
  PROTOCOL_VERSION,
} from "../panel/protocol";
import type { Clock } from "../ports";
import type { PanelSessionOptions } from "./panelSession";

export type Newest = Awaited<ReturnType<typeof newestRows>>;

/** Characters of a stored line that are sent; no record of ours is longer. */
const RAW_CHARS = 256 << 10;
const DAMAGES = 100;

/** Everything stored about the call that has this line; a line below 0 is one of the newest. */
export async function detailsOf(
  line: number,
  { rows, newest }: { readonly rows: AuditRows; readonly newest: Newest | null },
): Promise<HostMessage> {
  const early = newest?.rows.find((one) => one.lines.includes(line));
  const at = rows.index.rowOf(line);
  const row = early ?? (at < 0 ? undefined : (await rows.rowsAt([at]))[0]);
  const stored =
    early === undefined
      ? await rows.linesAt(rows.index.linesOf(at))
      : (newest?.lines.filter((one) => early.lines.includes(one.line)) ?? []);
  return {
    type: "details",
    line,
    row: row === undefined ? null : { ...row, lines: [...row.lines] },
    records: stored.map(({ line: number, raw }) => ({
      line: number,
      raw: raw.slice(0, RAW_CHARS),
      cut: raw.length > RAW_CHARS,
    })),
  };
}

export async function verification(
  path: string,
  by: { readonly verify: (path: string) => Promise<PanelVerifyReport>; readonly clock: Clock },
): Promise<HostMessage> {
  try {
    const { ok, firstBad, count, level, damage, warnings } = await by.verify(path);
    const report = { ok, firstBad, count, level, damage: damage.slice(0, DAMAGES), warnings: [...warnings] };
    return { type: "verifyResult", at: new Date(by.clock.now()).toISOString(), report, problem: null };
  } catch (error) {
    const at = new Date(by.clock.now()).toISOString();
    return { type: "verifyResult", at, report: null, problem: messageOf(error) };
  }
}

const KNOWN_DECISIONS = ["allow", "rewrite", "denied", "asks_user", "log_only", "error"];

export function stateMessage(
  facts: Pick<HostState, "epoch" | "file" | "reading" | "lastLine" | "problem">,
  { rows, newest, from }: { rows: AuditRows; newest: Newest | null; from: PanelSessionOptions },
): HostState {
  const seen = rows.index.decisions().filter((name) => !KNOWN_DECISIONS.includes(name));
  return {
    type: "state",
    version: PROTOCOL_VERSION,
    ...facts,
    lines: rows.index.lines(),
    chain: from.chainState(),
    counts: { ...from.counts() },
    decisions: [...KNOWN_DECISIONS, ...seen],
    agents: newest === null ? rows.index.agents() : namesOf(newest.rows.map((row) => row.agent)),
    tools: newest === null ? rows.index.tools() : namesOf(newest.rows.map((row) => row.tool)),
    pending: [...from.pending()],
    locale: from.locale,
    strings: { ...from.strings },
  };
}

function namesOf(values: readonly string[]): string[] {
  return [...new Set(values)].filter((value) => value !== "").sort();
}
