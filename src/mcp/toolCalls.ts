/** One `tools/call`: from its parameters through the governed tool to its result and its progress notifications. Knows no stream. */
import * as z from "zod";
import { createOwnTools, type OwnCall, type OwnToolName } from "../agents/ownTools";
import { canonicalName } from "../agents/toolFacts";
import type { Args, ToolCall } from "../core/call";
import { messageOf } from "../core/errors";
import type { Governor } from "../core/govern";
import { dialectOfUrl } from "../core/guards/registry";
import type { OwnToolStores } from "../node/ownToolStores";
import { nodeIds } from "../node/ports";
import { ProtocolError, readParams } from "./jsonRpc";
import { isListed } from "./toolList";
import type { McpWorkspace } from "./workspace";

export interface ToolCallsDeps {
  /** Opened with the first call, and pinned from then on. */
  readonly workspace: () => Promise<McpWorkspace>;
  readonly stores: OwnToolStores;
  readonly cwd: string;
}

export interface Caller {
  /** The client's own name, as it claims. */
  readonly agent: string;
  readonly sessionId: string;
}

export interface CallRun {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly notify: (method: string, params: unknown) => void;
}

export interface ToolResult {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly isError: boolean;
}

export interface ToolCalls {
  /** Rejects only with a ProtocolError: what a tool or a guard has to say is a result. */
  run(params: unknown, run: CallRun): Promise<ToolResult>;
}

const progressToken = z.union([z.string(), z.int()]);
const paramsSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).exactOptional(),
  _meta: z.looseObject({ progressToken: progressToken.exactOptional() }).exactOptional(),
});

export function createToolCalls(deps: ToolCallsDeps): ToolCalls {
  const governor: Pick<Governor, "govern"> = {
    govern: async (call, handler, options) =>
      (await deps.workspace()).governor.govern(call, handler, options),
  };
  const tools = createOwnTools({ governor });
  return {
    async run(params, run) {
      const { name, arguments: input = {}, _meta } = readParams(paramsSchema, params);
      if (!isListed(name)) throw new ProtocolError("params", `Unknown tool: ${name.slice(0, 200)}`);
      const token = _meta?.progressToken;
      const onProgress = token === undefined ? undefined : progressOf(token, run.notify);
      try {
        const workspace = await deps.workspace();
        const { database } = (await workspace.refresh()).config;
        const call = callOf(name, { input, run, cwd: deps.cwd, dialect: dialectOfUrl(database.url) });
        const own: OwnCall = {
          name,
          call,
          signal: run.signal,
          ...(onProgress === undefined ? {} : { onProgress }),
        };
        return toolResult(await tools.run(own, deps.stores.partsOf(workspace)));
      } catch (error) {
        return toolResult({ kind: "error", tool: name, message: messageOf(error) });
      }
    },
  };
}

/** What was refused, held or failed is for the model to read: JSON text, marked as an error. */
function toolResult(said: Args): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(said) }], isError: said.kind !== "ok" };
}

interface CallParts {
  readonly input: Args;
  readonly run: CallRun;
  readonly cwd: string;
  readonly dialect: string;
}

function callOf(name: OwnToolName, { input, run, cwd, dialect }: CallParts): ToolCall {
  const callId = nodeIds("call");
  const { agent, sessionId } = run.caller;
  return {
    callId,
    runId: sessionId,
    sessionId,
    agent,
    toolName: name,
    canonicalName: canonicalName(name),
    input,
    cwd,
    profile: "default",
    traceId: callId,
    // Our own database is the one thing whose dialect is known for certain.
    extra: name === "db_query_sql" ? { dialect } : {},
  };
}

/** A client's progress must grow with each notification; a hundredth is step enough. */
function progressOf(token: string | number, notify: CallRun["notify"]): NonNullable<OwnCall["onProgress"]> {
  let last = 0;
  return ({ fraction, done, what }) => {
    const progress = fraction ?? done;
    const step = fraction === undefined ? 1 : 0.01;
    const isLast = fraction === 1 && last < 1;
    if (progress < last + step && !isLast) return;
    last = progress;
    notify("notifications/progress", {
      progressToken: token,
      progress,
      ...(fraction === undefined ? {} : { total: 1 }),
      message: `${what}: ${done}`,
    });
  };
}
