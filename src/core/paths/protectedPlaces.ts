/** The places an agent may not change unasked: pure data, in three classes. */
import { type Place, placeTable } from "./placeTable";

/** off: switches governance off. later: the editor, git or a shell will run it. own: our own files. */
export type ProtectedClass = "off" | "later" | "own";

export interface ProtectedPlace extends Place {
  readonly kind: ProtectedClass;
}

const rows = (kind: ProtectedClass, what: string, places: string): readonly ProtectedPlace[] =>
  places
    .trim()
    .split(/\s*\n\s*/)
    .map((at) => ({ kind, what, at }));

const HOOKS = "the configuration of an agent's hooks";
const EDITOR = "editor settings that can run programs";
const GIT = "git settings that can run programs";
const SHELL = "a file that every new shell runs";

export const PROTECTED_PLACES: readonly ProtectedPlace[] = [
  ...rows(
    "off",
    "the rules that govern agents",
    `**/gateway-hooks.toml
     **/gateway-hooks.json
     **/card.lock`,
  ),
  ...rows(
    "own",
    "Countersign's own files",
    `**/.countersign/**
     **/countersign.countersign-*/**
     **/globalStorage/countersign.countersign/**`,
  ),
  ...rows(
    "off",
    HOOKS,
    `**/.claude/settings*.json
     **/.claude/hooks/**
     **/.claude/plugins/**
     **/.claude-plugin/**
     **/.codex/**
     **/.gemini/settings.json
     **/.gemini/hooks/**
     **/.gemini/extensions/**
     **/.github/hooks/**
     **/.github/copilot/settings*.json
     ~/.copilot/hooks/**
     ~/.copilot/settings.json
     ~/.copilot/config.json
     ~/.copilot/installed-plugins/**
     **/.qwen/**
     **/.opencode/**
     **/opencode.json
     **/opencode.jsonc
     ~/.config/opencode/**
     **/.clinerules/hooks/**
     ~/.cline/hooks/**
     **/.cursor/hooks.json
     **/.cursor/hooks/**
     **/.cursor/mcp.json
     **/.windsurf/hooks.json
     ~/.codeium/windsurf/hooks.json
     /etc/claude-code/**
     /etc/github-copilot/**`,
  ),
  ...rows(
    "later",
    EDITOR,
    `**/.vscode/settings.json
     **/.vscode/tasks.json
     **/.vscode/mcp.json
     **/.vscode/launch.json
     **/*.code-workspace
     **/.mcp.json
     **/.devcontainer/devcontainer.json
     **/.devcontainer.json
     ~/.config/Code*/User/settings.json
     ~/.config/Code*/User/tasks.json
     ~/.config/Code*/User/mcp.json
     ~/.config/Code*/User/keybindings.json
     ~/.config/Code*/User/profiles/**
     ~/.config/Code*/User/chatLanguageModels.json
     ~/.config/VSCodium/User/**
     ~/.config/Cursor/User/**
     ~/.vscode-server/data/User/**
     ~/.vscode-server/data/Machine/**
     ~/.local/share/code-server/User/**
     ~/.local/share/code-server/Machine/**
     ~/Library/Application Support/Code*/User/settings.json
     ~/Library/Application Support/Code*/User/tasks.json
     ~/Library/Application Support/Code*/User/mcp.json
     ~/Library/Application Support/Code*/User/keybindings.json
     ~/Library/Application Support/Code*/User/profiles/**
     ~/Library/Application Support/Cursor/User/**
     ~/AppData/Roaming/Code*/User/settings.json
     ~/AppData/Roaming/Code*/User/tasks.json
     ~/AppData/Roaming/Code*/User/mcp.json
     ~/AppData/Roaming/Code*/User/keybindings.json
     ~/AppData/Roaming/Code*/User/profiles/**
     ~/AppData/Roaming/Cursor/User/**
     ~/.vscode/extensions/**
     ~/.vscode-insiders/extensions/**
     ~/.vscode-server/extensions/**
     ~/.local/share/code-server/extensions/**`,
  ),
  ...rows(
    "later",
    GIT,
    `**/.git/hooks/**
     **/.git/config
     **/.git/config.worktree
     **/.git/info/attributes
     **/.git/modules/*/hooks/**
     **/.git/modules/*/config
     **/.git/worktrees/*/config.worktree
     **/.githooks/**
     **/.husky/**
     ~/.gitconfig
     ~/.config/git/**
     /etc/gitconfig`,
  ),
  ...rows(
    "later",
    SHELL,
    `~/.bashrc
     ~/.bash_profile
     ~/.bash_login
     ~/.bash_logout
     ~/.bash_aliases
     ~/.profile
     ~/.zshrc
     ~/.zshenv
     ~/.zprofile
     ~/.zlogin
     ~/.zlogout
     ~/.kshrc
     ~/.cshrc
     ~/.tcshrc
     ~/.inputrc
     ~/.xprofile
     ~/.xsessionrc
     ~/.pam_environment
     ~/.oh-my-zsh/custom/**
     ~/.config/fish/**
     ~/.config/environment.d/**
     ~/.config/autostart/**
     ~/.config/systemd/user/**
     ~/Library/LaunchAgents/**
     ~/Documents/PowerShell/*profile.ps1
     ~/Documents/WindowsPowerShell/*profile.ps1
     ~/.config/powershell/**
     ~/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/**
     **/.envrc
     /etc/profile
     /etc/profile.d/**
     /etc/bash.bashrc
     /etc/zsh/**
     /etc/environment
     /etc/ld.so.preload
     /etc/crontab
     /etc/cron.*/**
     /var/spool/cron/**
     /etc/systemd/**
     /etc/init.d/**`,
  ),
];

export const protectedPlaces = placeTable(PROTECTED_PLACES);

/** Words that betray one of these files inside code that another program will run. */
export const PROTECTED_WORDS =
  /gateway-hooks\.(toml|json)|\.countersign\b|card\.lock|\.claude[/\\'"]+,?\s*['"]?settings|\.vscode[/\\'"]+,?\s*['"]?(settings|tasks|mcp|launch)\.json|\.code-workspace|\.git[/\\'"]+,?\s*['"]?(hooks|config)\b|\.codex[/\\'"]|\.gemini[/\\'"]|\.qwen[/\\'"]|\.opencode[/\\'"]|opencode\.jsonc?|\.copilot[/\\'"]+,?\s*['"]?(hooks|settings)|\.github[/\\'"]+,?\s*['"]?hooks|\.clinerules|\.cursor[/\\'"]+,?\s*['"]?hooks|\.(bashrc|bash_profile|zshrc|zshenv|zprofile|profile|envrc|gitconfig)\b|\.husky\b|audit\.jsonl/i;
