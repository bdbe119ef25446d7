/** The names of tools behind MCP servers, as agents write them. Knows no tool. */

const PREFIX = "mcp_";
/** A name with more of them is somebody's joke; its first places are tried. */
const MAX_PLACES = 32;

/**
 * `mcp_my_deploy_run` does not say where the server's name ends, which may hold the mark itself: every
 * `mcp__<server>__<tool>` that it can be. The shortest server name comes first; none for every other name.
 */
export function serverToolNames(toolName: string): readonly string[] {
  if (!toolName.startsWith(PREFIX) || toolName.startsWith("mcp__")) return [];
  const rest = toolName.slice(PREFIX.length);
  const names: string[] = [];
  for (let at = rest.indexOf("_"); at >= 0 && names.length < MAX_PLACES; at = rest.indexOf("_", at + 1)) {
    const server = rest.slice(0, at);
    const tool = rest.slice(at + 1);
    if (server !== "" && tool !== "") names.push(`mcp__${server}__${tool}`);
  }
  return names;
}
