/** Door C in the editor: what proxies of MCP servers hand to the broker, judged with this window's governor. Judges nothing itself. */
import type { CallTable } from "../agents/callTable";
import type { Governor } from "../core/govern";
import { createMcpDoor, type McpDoor } from "../mcp/proxy/door";
import { nodeIds, sha256 } from "../node/ports";
import type { Log } from "../ports";
import { confirmChange } from "./mcpConfirm";

export interface McpDoorHost {
  readonly governor: Governor;
  /** The calls that hooks of this window have seen. */
  readonly table: CallTable;
  readonly log: Log;
}

export function mcpDoor({ governor, table, log }: McpDoorHost): McpDoor {
  return createMcpDoor({
    governor,
    confirm: confirmChange,
    claim({ toolUseId, conversationId, tool, hash }) {
      const seen = table.claim({
        ...(toolUseId === undefined ? {} : { toolUseId }),
        ...(conversationId === undefined ? {} : { sessionId: conversationId }),
        tool,
        hash,
      });
      return seen?.outcome?.kind === "run" ? { call: seen.call, outcome: seen.outcome } : undefined;
    },
    hash: sha256,
    ids: nodeIds,
    log,
  });
}
