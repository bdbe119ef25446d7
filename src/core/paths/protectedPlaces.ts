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
     ~/.codeium/hooks.json
     ~/.codeium/windsurf*/hooks.json
     ~/.codeium/windsurf*/mcp_config.json
     ~/Documents/Cline/**
     ~/.copilot/mcp-config.json
     ~/.config/claude/**
     /etc/claude-code/**
     /etc/github-copilot/**
     /etc/codex/**
     /etc/gemini-cli/**
     /etc/qwen-code/**
     /etc/cursor/**
     /etc/windsurf/**
     /Library/Application Support/ClaudeCode/**
     /Library/Application Support/Cursor/**
     %/ProgramData/ClaudeCode/**
     %/Program Files/ClaudeCode/**
     %/ProgramData/gemini-cli/**`,
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
     **/.devcontainer/*/devcontainer.json
     **/.devcontainer.json
     ~/.config/Code*/User/settings.json
     ~/.config/Code*/User/tasks.json
     ~/.config/Code*/User/mcp.json
     ~/.config/Code*/User/keybindings.json
     ~/.config/Code*/User/profiles/**
     ~/.config/Code*/User/chatLanguageModels.json
     ~/.config/VSCodium/User/**
     ~/.config/Cursor/User/**
     ~/.config/Windsurf/User/**
     ~/.config/Code*/User/globalStorage/state.vscdb*
     ~/.config/Code*/Workspaces/**
     ~/.vscode-server*/data/User/**
     ~/.vscode-server*/data/Machine/**
     ~/.cursor-server/data/**
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
     ~/Library/Application Support/Code*/User/globalStorage/state.vscdb*
     ~/Library/Application Support/Windsurf/User/**
     ~/Library/Application Support/VSCodium/User/**
     ~/AppData/Roaming/Code*/User/globalStorage/state.vscdb*
     ~/AppData/Roaming/Cursor/User/**
     ~/AppData/Roaming/Windsurf/User/**
     ~/AppData/Roaming/VSCodium/User/**
     ~/.vscode/extensions/**
     ~/.vscode-insiders/extensions/**
     ~/.vscode-oss/extensions/**
     ~/.vscode-server*/extensions/**
     ~/.cursor/extensions/**
     ~/.cursor-server/extensions/**
     ~/.windsurf/extensions/**
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
     ~/.login
     ~/.bashrc.d/**
     ~/.zshrc.d/**
     ~/.config/zsh/**
     ~/.config/bash/**
     ~/.config/nushell/**
     ~/.tmux.conf
     ~/.config/tmux/**
     ~/.xprofile
     ~/.xsessionrc
     ~/.pam_environment
     ~/.oh-my-zsh/custom/**
     ~/.config/fish/**
     ~/.config/environment.d/**
     ~/.config/autostart/**
     ~/.config/systemd/user/**
     ~/.local/share/systemd/user/**
     ~/Library/LaunchAgents/**
     /Library/LaunchAgents/**
     /Library/LaunchDaemons/**
     ~/Documents/PowerShell/*profile.ps1
     ~/Documents/WindowsPowerShell/*profile.ps1
     ~/.config/powershell/**
     ~/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/**
     %/ProgramData/Microsoft/Windows/Start Menu/Programs/StartUp/**
     %/Windows/System32/Tasks/**
     **/.envrc
     /etc/profile
     /etc/profile.d/**
     /etc/bash.bashrc
     /etc/zsh/**
     /etc/environment
     /etc/ld.so.preload
     /etc/ld.so.conf
     /etc/ld.so.conf.d/**
     /etc/rc.local
     /etc/pam.d/**
     /etc/xdg/autostart/**
     /etc/anacrontab
     /var/spool/at/**
     /lib/systemd/**
     /usr/lib/systemd/**
     /etc/crontab
     /etc/cron.*/**
     /var/spool/cron/**
     /etc/systemd/**
     /etc/init.d/**`,
  ),
  ...rows(
    "later",
    "a program that shells find first",
    `~/.local/bin/**
     ~/bin/**
     /usr/local/bin/**
     /usr/local/sbin/**`,
  ),
  ...rows(
    "later",
    "settings by which other programs load code",
    `**/.npmrc
     **/.yarnrc.yml
     **/sitecustomize.py
     **/usercustomize.py`,
  ),
];

export const protectedPlaces = placeTable(PROTECTED_PLACES);

/** Words that betray one of these files inside code that another program will run. */
export const PROTECTED_WORDS =
  /gateway-hooks\.(toml|json)|\.countersign\b|card\.lock|\.claude[/\\'"]+,?\s*['"]?settings|\.vscode[/\\'"]+,?\s*['"]?(settings|tasks|mcp|launch)\.json|\.code-workspace|\.git[/\\'"]+,?\s*['"]?(hooks|config)\b|\.codex[/\\'"]|\.gemini[/\\'"]|\.qwen[/\\'"]|\.opencode[/\\'"]|opencode\.jsonc?|\.copilot[/\\'"]+,?\s*['"]?(hooks|settings)|\.github[/\\'"]+,?\s*['"]?hooks|\.clinerules|\.cursor[/\\'"]+,?\s*['"]?hooks|\.(bashrc|bash_profile|zshrc|zshenv|zprofile|profile|envrc|gitconfig)\b|\.husky\b|audit\.jsonl/i;
