/** The newest real call of each agent, from records and from the hooks themselves. Pure; knows neither log nor broker. */
import type { AuditRecord } from "./audit/record";
import type { LastCall } from "./coverage";

export interface Seen {
  /** An older call than the one that is known changes nothing. */
  add(id: string, call: LastCall): void;
  /** What the log says; `isOwnTool` names tools that no hook is needed for. */
  addRecord(record: Pick<AuditRecord, "event" | "agent" | "tool" | "ts">): void;
  calls(): ReadonlyMap<string, LastCall>;
}

export function createSeen(options: { readonly isOwnTool: (tool: string) => boolean }): Seen {
  const calls = new Map<string, LastCall>();
  function add(id: string, call: LastCall): void {
    if (!Number.isFinite(call.at) || call.at <= (calls.get(id)?.at ?? 0)) return;
    calls.set(id, call);
  }
  return {
    add,
    addRecord({ event, agent, tool, ts }) {
      if (event !== "call" || agent === undefined || tool === undefined) return;
      add(options.isOwnTool(tool) ? "tools" : agent, { at: Date.parse(ts), tool });
    },
    calls: () => calls,
  };
}
