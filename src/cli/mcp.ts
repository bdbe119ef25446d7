/** `countersign mcp …`: picks what is to be done with the user's own MCP servers. Holds no logic of any of it. */
import type { Io, Run } from "./io";
import { didYouMean } from "./options";

const USAGE = `usage: countersign mcp proxy [--name NAME] -- COMMAND [ARGUMENT…]
       countersign mcp proxy [--name NAME] --url URL [--header-env VARIABLE,…]
       countersign mcp status [--json]
       countersign mcp wrap [SERVER…]
       countersign mcp unwrap [SERVER…]

Puts the MCP servers that you use behind the hook chain. countersign mcp <word> --help tells more.
`;

const words: Readonly<Record<string, () => Promise<Run>>> = {
  proxy: async () => (await import("./mcpProxy")).runMcpProxy,
  status: async () => (await import("./mcpServers")).runMcpStatus,
  wrap: async () => (await import("./mcpServers")).runMcpWrap,
  unwrap: async () => (await import("./mcpServers")).runMcpUnwrap,
};

export async function runMcp(argv: readonly string[], io: Io): Promise<number> {
  const [word = "--help", ...rest] = argv;
  if (word === "--help" || word === "-h") {
    io.stdout(USAGE);
    return argv.length === 0 ? 2 : 0;
  }
  const load = Object.hasOwn(words, word) ? words[word] : undefined;
  if (load === undefined) {
    io.stderr(`countersign mcp: there is no "${word}"${didYouMean(word, Object.keys(words))}\n\n${USAGE}`);
    return 2;
  }
  return (await load())(rest, io);
}
