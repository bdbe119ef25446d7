/** Judges a call in this process, as the MCP server judges its own tools: where no window answers, and with nobody to ask. */

import { refusal } from "../../agents/ownToolResults";
import type { Args } from "../../core/call";
import { nodeIds } from "../../node/ports";
import { type McpWorkspace, type McpWorkspaceOptions, openMcpWorkspace } from "../workspace";
import { type CallPlace, type Judge, toolCallOf } from "./judge";
import { pinWasApproved } from "./pinApproval";

/** The workspace is opened with the first call, and pinned from then on. */
export function localJudge(options: McpWorkspaceOptions, place: Omit<CallPlace, "callId">): Judge {
  let opened: Promise<McpWorkspace> | undefined;
  const workspace = (): Promise<McpWorkspace> => {
    const opening = opened ?? openMcpWorkspace(options);
    opened = opening;
    opening.catch(() => {
      if (opened === opening) opened = undefined;
    });
    return opening;
  };
  return {
    async govern(given, run, signal) {
      const { governor } = await workspace();
      const call = toolCallOf(given, { ...place, callId: nodeIds("call") });
      let own: { readonly result: unknown } | undefined;
      const handler = async (args: Args, outcome: Parameters<typeof pinWasApproved>[0]): Promise<unknown> => {
        const result = await run({
          args,
          rewritten: outcome.rewritten,
          pinApproved: pinWasApproved(outcome),
        });
        own = { result };
        return result;
      };
      const governed = await governor.govern(call, handler, { signal });
      if (!("result" in governed)) return { kind: "refused", said: refusal(call.toolName, governed.outcome) };
      const { contexts } = governed.outcome;
      return { kind: "ran", value: governed.result, changed: governed.result !== own?.result, contexts };
    },
    async close() {
      await opened?.then((one) => one.close());
    },
  };
}
