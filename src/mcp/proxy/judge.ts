/** What the relay asks of whoever judges its calls, and the shapes of what it is told. Knows no stream and no broker. */
import type { Args, ToolCall } from "../../core/call";
import type { ToolSighting } from "../../core/guards/toolPin";

export interface ProxyCall {
  /** The tool's own name, as the server lists it. */
  readonly tool: string;
  readonly input: Args;
  /** The client's name, as it claims. */
  readonly client: string;
  /** The client's own ids of the call and of the conversation, where it tells them. */
  readonly toolUseId?: string;
  readonly conversationId?: string;
  /** What is known of the tool's definition. */
  readonly sighting: ToolSighting;
}

export interface ProxyServer {
  /** As the person named it: letters, digits, `_`, `.` and `-`. */
  readonly name: string;
  /** Host of a server that is reached over the network. */
  readonly host?: string;
}

export type ProxyVerdict =
  | {
      readonly kind: "ran";
      readonly value: unknown;
      /** True when `value` is not what the server answered. */
      readonly changed: boolean;
      readonly contexts: readonly string[];
    }
  /** For the model to read. */
  | { readonly kind: "refused"; readonly said: Args };

export interface Allowed {
  readonly args: Args;
  readonly rewritten: boolean;
  /** True when a person was shown the changed definition of the tool and allowed the call. */
  readonly pinApproved: boolean;
}

/** Runs the tool; rejects where the server answers with an error. */
export type RunTool = (allowed: Allowed) => Promise<unknown>;

export interface Judge {
  /** Rejects only with what `run` rejected with, perhaps with another text. */
  govern(call: ProxyCall, run: RunTool, signal: AbortSignal): Promise<ProxyVerdict>;
  close(): Promise<void>;
}

export interface CallPlace {
  readonly server: ProxyServer;
  readonly sessionId: string;
  readonly callId: string;
  /** Absolute. */
  readonly cwd: string;
}

const VSCODE = /visual studio code|code-server|vscode|vscodium/i;

/** The call as guards and records see it. */
export function toolCallOf(call: ProxyCall, place: CallPlace): ToolCall {
  const { server, callId, cwd } = place;
  const name = `mcp__${server.name}__${call.tool}`;
  // Where the client names its conversation, the call belongs to the session that hooks see of it.
  const inEditor = call.conversationId !== undefined && VSCODE.test(call.client);
  const sessionId = inEditor ? (call.conversationId ?? place.sessionId) : place.sessionId;
  return {
    callId,
    runId: sessionId,
    sessionId,
    agent: inEditor ? "vscode" : call.client,
    toolName: name,
    canonicalName: name,
    input: call.input,
    cwd,
    profile: "default",
    traceId: callId,
    extra: {
      door: "C",
      mcpServer: server.name,
      ...(server.host === undefined ? {} : { mcpHost: server.host }),
      mcpTool: call.sighting,
      ...(call.toolUseId === undefined ? {} : { toolUseId: call.toolUseId }),
    },
  };
}
