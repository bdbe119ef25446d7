/** Where each agent looks for skills and MCP servers of a workspace, and how it writes a server down. Data; reads nothing. */
import type { CardServer } from "./cardManifest";

/** Those that `write` gives something to. VS Code has the plugin. */
export const writtenAgents = ["claude", "codex", "copilot", "gemini", "opencode", "cursor"] as const;
export type WrittenAgent = (typeof writtenAgents)[number];

export interface ServerFile {
  /** Below the workspace folder. */
  readonly file: string;
  readonly format: "json" | "toml";
  readonly at: readonly string[];
  readonly shape: (server: CardServer) => Readonly<Record<string, unknown>>;
}

export interface AgentPlace {
  /** Below the workspace folder, one folder per skill in it. */
  readonly skills: string;
  readonly servers: ServerFile;
  /** One of these is there where the agent is used: below the home folder. */
  readonly home: readonly string[];
}

const typed = (server: CardServer): Readonly<Record<string, unknown>> =>
  "command" in server ? { type: "stdio", ...server } : { type: "http", ...server };

const plain = (server: CardServer): Readonly<Record<string, unknown>> => ({ ...server });

const gemini = (server: CardServer): Readonly<Record<string, unknown>> => {
  if ("command" in server) return { ...server };
  const { url, ...rest } = server;
  return { httpUrl: url, ...rest };
};

const openCode = (server: CardServer): Readonly<Record<string, unknown>> => {
  if ("url" in server) return { type: "remote", ...server };
  const { command, args = [], env } = server;
  return { type: "local", command: [command, ...args], ...(env === undefined ? {} : { environment: env }) };
};

const codex = (server: CardServer): Readonly<Record<string, unknown>> => {
  if ("command" in server) return { ...server };
  const { url, headers } = server;
  return { url, ...(headers === undefined ? {} : { http_headers: headers }) };
};

/** Claude Code and Copilot CLI read the same file of a workspace. */
const shared: ServerFile = { file: ".mcp.json", format: "json", at: ["mcpServers"], shape: typed };

export const agentPlaces: Readonly<Record<WrittenAgent, AgentPlace>> = {
  claude: { skills: ".claude/skills", servers: shared, home: [".claude", ".claude.json"] },
  copilot: { skills: ".github/skills", servers: shared, home: [".copilot"] },
  codex: {
    skills: ".agents/skills",
    servers: { file: ".codex/config.toml", format: "toml", at: ["mcp_servers"], shape: codex },
    home: [".codex"],
  },
  gemini: {
    skills: ".gemini/skills",
    servers: { file: ".gemini/settings.json", format: "json", at: ["mcpServers"], shape: gemini },
    home: [".gemini"],
  },
  opencode: {
    skills: ".opencode/skills",
    servers: { file: "opencode.json", format: "json", at: ["mcp"], shape: openCode },
    home: [".config/opencode"],
  },
  cursor: {
    skills: ".cursor/skills",
    servers: { file: ".cursor/mcp.json", format: "json", at: ["mcpServers"], shape: plain },
    home: [".cursor"],
  },
};
