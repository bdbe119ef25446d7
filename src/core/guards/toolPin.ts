/** Guard for tools of other people's MCP servers: one whose definition is not the approved one asks before it runs. Knows no server. */
import { isPlainObject } from "../call";
import { Allow, AskUser } from "../decision";
import type { Hook } from "../hook";

/** What is known of a tool's definition when it is called. A type and not an interface: it travels as a plain record. */
export type ToolSighting = {
  readonly state: "approved" | "new" | "changed" | "unlisted";
  /** Names the definition: a grant holds for this one alone. */
  readonly digest?: string;
  /** The server itself says of the tool that it destroys. */
  readonly destructive?: true;
  /** Only with "changed": which parts, and lines of what they were and are; nothing in it is hidden. */
  readonly parts?: readonly string[];
  readonly lines?: readonly string[];
};

export const TOOL_PIN = "mcp_tool_pin";

export function toolPin(): Hook {
  return {
    name: TOOL_PIN,
    guard: true,
    preToolUse(ctx, toolName) {
      const { door, mcpTool } = ctx.call.extra;
      if (door !== "C" || mcpTool === undefined) return Allow();
      const seen = readSighting(mcpTool);
      const binding = seen.digest === undefined ? {} : { binding: { mcp_tool: seen.digest } };
      if (seen.state === "new") return Allow({ ...binding, findings: [finding("tool_is_new", NEW)] });
      if (seen.state === "unlisted") return Allow({ findings: [finding("tool_unlisted", UNLISTED)] });
      if (seen.state === "approved") return Allow(binding);
      const parts = seen.parts?.join(", ") ?? "its definition";
      return AskUser({
        prompt: `${toolName}: the server changed this tool since it was approved: ${parts}`,
        // What was and what is stands in the dialog itself; where it is long it must be opened before anything is allowed.
        details: { tool: toolName, changed: parts, why: (seen.lines ?? []).join("\n") },
        findings: [
          { ...finding("tool_changed", `changed since it was approved: ${parts}`), severity: "warning" },
        ],
        ...binding,
      });
    },
  };
}

const NEW = "the server did not have this tool when its tools were first seen";
const UNLISTED = "the server has not listed this tool to anybody";

function finding(code: string, message: string) {
  return { code, message, by: TOOL_PIN, severity: "info" } as const;
}

/** Throws where it is none: a guard that throws denies. */
export function readSighting(value: unknown): ToolSighting {
  if (!isPlainObject(value)) throw new TypeError("what is known of the tool cannot be read");
  const { state, digest, parts, lines } = value;
  if (state !== "approved" && state !== "new" && state !== "changed" && state !== "unlisted")
    throw new TypeError("what is known of the tool cannot be read");
  return {
    state,
    ...(typeof digest === "string" ? { digest } : {}),
    ...(isTexts(parts) ? { parts } : {}),
    ...(isTexts(lines) ? { lines } : {}),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
