/** Where clients write their MCP servers down, as data. Reads nothing. */
import { join } from "node:path";
import type { Path, Syntax } from "./configText";
import type { Shape } from "./serverEntries";

export interface ClientFile {
  readonly client: string;
  readonly file: string;
  readonly syntax: Syntax;
  /** Where in the file servers stand. */
  readonly at: readonly Path[];
  readonly shape: Shape;
}

export interface ClientPlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Absolute; the folder whose own files are looked at too. */
  readonly workspace: string;
  /** The editor's folder of user files, where the editor says it. */
  readonly editorUser?: string;
}

export function clientFiles(places: ClientPlaces): readonly ClientFile[] {
  const { home, env, workspace } = places;
  const json = (client: string, file: string, ...at: Path[]): ClientFile => ({
    client,
    file,
    syntax: "json",
    at,
    shape: "command and args",
  });
  const config = env.XDG_CONFIG_HOME ?? join(home, ".config");
  const openCode = (file: string): ClientFile => ({
    ...json("OpenCode", file, ["mcp"]),
    shape: "command list",
  });
  return [
    json("VS Code", join(workspace, ".vscode", "mcp.json"), ["servers"]),
    json("VS Code", join(places.editorUser ?? editorUser(places), "mcp.json"), ["servers"]),
    json("Claude Code", join(workspace, ".mcp.json"), ["mcpServers"]),
    json("Claude Code", join(home, ".claude.json"), ["mcpServers"], ["projects", workspace, "mcpServers"]),
    json("Cursor", join(workspace, ".cursor", "mcp.json"), ["mcpServers"]),
    json("Cursor", join(home, ".cursor", "mcp.json"), ["mcpServers"]),
    {
      client: "Codex",
      file: join(env.CODEX_HOME ?? join(home, ".codex"), "config.toml"),
      syntax: "toml",
      at: [["mcp_servers"]],
      shape: "command and args",
    },
    ...["opencode.json", "opencode.jsonc"].flatMap((name) => [
      openCode(join(workspace, name)),
      openCode(join(config, "opencode", name)),
    ]),
    json("Gemini CLI", join(workspace, ".gemini", "settings.json"), ["mcpServers"]),
    json("Gemini CLI", join(home, ".gemini", "settings.json"), ["mcpServers"]),
    json("Qwen Code", join(workspace, ".qwen", "settings.json"), ["mcpServers"]),
    json("Qwen Code", join(home, ".qwen", "settings.json"), ["mcpServers"]),
  ];
}

function editorUser({ home, env, platform }: ClientPlaces): string {
  if (platform === "win32") return join(env.APPDATA ?? join(home, "AppData", "Roaming"), "Code", "User");
  if (platform === "darwin") return join(home, "Library", "Application Support", "Code", "User");
  return join(env.XDG_CONFIG_HOME ?? join(home, ".config"), "Code", "User");
}
