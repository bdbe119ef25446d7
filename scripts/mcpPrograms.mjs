/** `node scripts/mcpPrograms.mjs`: installs the MCP client and servers that tests run the proxy against, once, as their lock names them. */
import { join } from "node:path";
import { installPrograms } from "./npmPrograms.mjs";

await installPrograms({
  from: join(import.meta.dirname, "mcpPrograms"),
  folder: join(import.meta.dirname, "..", ".mcp-programs"),
});
