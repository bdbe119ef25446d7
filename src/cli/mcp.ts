/** `countersign mcp …`: picks what is to be done with the user's own MCP servers. Holds no logic of any of it. */
import { subcommands } from "./subcommands";

const USAGE = `usage: countersign mcp proxy [--name NAME] -- COMMAND [ARGUMENT…]
       countersign mcp proxy [--name NAME] --url URL [--header-env VARIABLE,…]
       countersign mcp status [--json]
       countersign mcp wrap [SERVER…]
       countersign mcp unwrap [SERVER…]

Puts the MCP servers that you use behind the hook chain. countersign mcp <word> --help tells more.
`;

export const runMcp = subcommands("mcp", USAGE, {
  proxy: async () => (await import("./mcpProxy")).runMcpProxy,
  status: async () => (await import("./mcpServers")).runMcpStatus,
  wrap: async () => (await import("./mcpServers")).runMcpWrap,
  unwrap: async () => (await import("./mcpServers")).runMcpUnwrap,
});
