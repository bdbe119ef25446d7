/** Where each agent reads its hooks and the switches that turn them off: pure data. Knows no disk. */

export interface HookSource {
  /** Agents, as calls name them, whose hooks the file can add, change or switch off. */
  readonly agents: readonly string[];
  readonly place: "home" | "workspace" | "system";
  /** Below that place; a last name may hold `*`. */
  readonly path: string;
  /** Only these keys speak of hooks; absent = every byte does. */
  readonly keys?: readonly string[];
  /** Keys of which one value switches hooks off. */
  readonly switches?: readonly HookSwitch[];
  /** The key below which the hooks themselves stand; absent = the file speaks of nothing else. */
  readonly hooks?: string;
}

export interface HookSwitch {
  /** Dotted keys stand within each other; in VS Code's settings the dots are part of the name. */
  readonly key: string;
  readonly off: unknown;
}

const rows = (
  agents: string,
  place: HookSource["place"],
  paths: string,
  more: Pick<HookSource, "keys" | "switches" | "hooks"> = {},
): readonly HookSource[] =>
  paths
    .trim()
    .split(/\s+/)
    .map((path) => ({ agents: agents.split(" "), place, path, ...more }));

const CLAUDE = {
  keys: [
    "hooks",
    "disableAllHooks",
    "allowManagedHooksOnly",
    "allowedHttpHookUrls",
    "env",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "strictKnownMarketplaces",
    "apiKeyHelper",
  ],
  switches: [
    { key: "disableAllHooks", off: true },
    { key: "allowManagedHooksOnly", off: true },
  ],
  hooks: "hooks",
} as const;
const GEMINI = {
  keys: ["hooks", "hooksConfig", "tools", "security", "extensions", "mcpServers", "mcp"],
  switches: [
    { key: "hooksConfig.enabled", off: false },
    { key: "disableAllHooks", off: true },
  ],
  hooks: "hooks",
} as const;
const CODEX = {
  keys: ["hooks", "features", "allow_managed_hooks_only", "notify", "shell_environment_policy"],
  switches: [
    { key: "features.hooks", off: false },
    { key: "allow_managed_hooks_only", off: true },
  ],
  hooks: "hooks",
} as const;
const COPILOT = {
  keys: ["hooks", "disableAllHooks", "plugins", "enabledPlugins"],
  switches: [{ key: "disableAllHooks", off: true }],
  hooks: "hooks",
} as const;
const EDITOR = {
  keys: [
    "chat.useHooks",
    "chat.useClaudeHooks",
    "chat.hookFilesLocations",
    "chat.plugins.enabled",
    "chat.pluginLocations",
    "chat.hooks.allowManagedOnly",
    "chat.customizations.strictPluginOnlyCustomization",
    "chat.useCustomizationsInParentRepositories",
    "chat.defaultToCopilotHarness",
    "chat.editor.preferCopilotHarness",
    "chat.editor.localAgent.enabled",
    "chat.tools.global.autoApprove",
    "countersign.locked",
  ],
  switches: [
    { key: "chat.useHooks", off: false },
    { key: "chat.plugins.enabled", off: false },
    { key: "chat.hooks.allowManagedOnly", off: true },
  ],
} as const;

export const HOOK_SOURCES: readonly HookSource[] = [
  // VS Code reads Claude's files where chat.useClaudeHooks is on, and its Claude sessions read them always: which of
  // both a person uses is not told here, so that a change of them counts for VS Code too.
  ...rows("claude copilot vscode", "workspace", ".claude/settings.json .claude/settings.local.json", CLAUDE),
  ...rows("claude vscode", "home", ".claude/settings.json .claude/settings.local.json", CLAUDE),
  ...rows("claude", "home", ".claude/plugins/installed_plugins.json .claude/plugins/known_marketplaces.json"),
  ...rows(
    "claude",
    "system",
    "etc/claude-code/managed-settings.json etc/claude-code/managed-settings.d/*",
    CLAUDE,
  ),
  ...rows("codex", "home", ".codex/config.toml", CODEX),
  ...rows("codex", "workspace", ".codex/config.toml", CODEX),
  ...rows(
    "codex",
    "system",
    "etc/codex/config.toml etc/codex/managed_config.toml etc/codex/requirements.toml",
    CODEX,
  ),
  ...rows("codex", "home", ".codex/hooks.json", { hooks: "hooks" }),
  ...rows("codex", "workspace", ".codex/hooks.json", { hooks: "hooks" }),
  ...rows("copilot vscode", "home", ".copilot/hooks/*", { hooks: "hooks", switches: COPILOT.switches }),
  ...rows("copilot vscode", "workspace", ".github/hooks/*", { hooks: "hooks", switches: COPILOT.switches }),
  ...rows("copilot", "home", ".copilot/settings.json .copilot/config.json", COPILOT),
  ...rows(
    "copilot",
    "workspace",
    ".github/copilot/settings.json .github/copilot/settings.local.json",
    COPILOT,
  ),
  ...rows("copilot", "system", "etc/github-copilot/policy.d/*"),
  ...rows("gemini", "home", ".gemini/settings.json", GEMINI),
  ...rows("gemini", "workspace", ".gemini/settings.json", GEMINI),
  ...rows("gemini", "system", "etc/gemini-cli/settings.json", GEMINI),
  ...rows("qwen", "home", ".qwen/settings.json", GEMINI),
  ...rows("qwen", "workspace", ".qwen/settings.json", GEMINI),
  ...rows("qwen", "system", "etc/qwen-code/settings.json", GEMINI),
  ...rows(
    "opencode",
    "home",
    ".config/opencode/opencode.json .config/opencode/opencode.jsonc .config/opencode/config.json",
    { keys: ["plugin", "permission"], hooks: "plugin" },
  ),
  ...rows("opencode", "home", ".config/opencode/plugin/* .config/opencode/plugins/*"),
  ...rows(
    "opencode",
    "workspace",
    "opencode.json opencode.jsonc .opencode/opencode.json .opencode/opencode.jsonc",
    { keys: ["plugin", "permission"], hooks: "plugin" },
  ),
  ...rows("opencode", "workspace", ".opencode/plugin/* .opencode/plugins/*"),
  ...rows("cursor", "home", ".cursor/hooks.json", { hooks: "hooks" }),
  ...rows("cursor", "workspace", ".cursor/hooks.json", { hooks: "hooks" }),
  ...rows("cursor", "system", "etc/cursor/hooks.json", { hooks: "hooks" }),
  ...rows("cline", "home", ".cline/hooks/* Documents/Cline/Hooks/*"),
  ...rows("cline", "workspace", ".clinerules/hooks/*"),
  ...rows("windsurf", "home", ".codeium/windsurf/hooks.json .codeium/hooks.json", { hooks: "hooks" }),
  ...rows("windsurf", "workspace", ".windsurf/hooks.json", { hooks: "hooks" }),
  ...rows("windsurf", "system", "etc/windsurf/hooks.json", { hooks: "hooks" }),
  ...rows("vscode", "workspace", ".vscode/settings.json *.code-workspace", EDITOR),
  ...[
    ".config/Code/User/settings.json",
    ".config/Code - Insiders/User/settings.json",
    "Library/Application Support/Code/User/settings.json",
    "AppData/Roaming/Code/User/settings.json",
    ".vscode-server/data/Machine/settings.json",
    ".local/share/code-server/User/settings.json",
  ].map((path) => ({ agents: ["vscode"], place: "home" as const, path, ...EDITOR })),
];
