/** What the editor itself says of its agent mode's hooks: trust, switches and where they stand, builds of other agents. Changes nothing. */
import { isAbsolute, relative, sep } from "node:path";
import * as vscode from "vscode";
import type { Program, SwitchedOff } from "../core/coverage";
import type { FoundSource } from "../node/hookSourceFiles";
import { openFolders } from "./openFolders";

interface Switch {
  readonly key: string;
  readonly off: boolean;
}

const SWITCHES: readonly Switch[] = [
  { key: "chat.useHooks", off: false },
  { key: "chat.plugins.enabled", off: false },
  { key: "chat.hooks.allowManagedOnly", off: true },
];

/** A setting that the editor has read, or that a file of this workspace holds and the editor has not read yet. */
export function editorSwitches(sources: readonly FoundSource[]): readonly SwitchedOff[] {
  const found = new Map<string, SwitchedOff>();
  for (const { agents, path, off } of sources) {
    if (!agents.includes("vscode") || !isInside(path)) continue;
    // Another key in such a file switches off only the hooks of that file.
    for (const key of off) if (SWITCHES.some((one) => one.key === key)) found.set(key, { file: path, key });
  }
  for (const { key, off } of SWITCHES) {
    if (found.has(key) || vscode.workspace.getConfiguration().get(key) !== off) continue;
    found.set(key, { key });
  }
  return [...found.values()];
}

function isInside(path: string): boolean {
  const file = vscode.workspace.workspaceFile?.fsPath;
  return (
    path === file ||
    openFolders().some((folder) => {
      const below = relative(folder, path);
      return below !== "" && !below.startsWith("..") && !isAbsolute(below);
    })
  );
}

/** VS Code reads the hooks of Claude's files only on request. */
export function isUnread(path: string, agent: string): boolean {
  const isClaudes = agent === "vscode" && path.includes(`${sep}.claude${sep}`);
  return isClaudes && vscode.workspace.getConfiguration("chat").get("useClaudeHooks") !== true;
}

const BUILDS: Readonly<Record<string, string>> = {
  claude: "anthropic.claude-code",
  codex: "openai.chatgpt",
  cline: "saoudrizwan.claude-dev",
};

/** An agent that is installed as an extension of this editor. */
export function editorBuild(agent: string): Program | undefined {
  const id = BUILDS[agent];
  const extension = id === undefined ? undefined : vscode.extensions.getExtension(id);
  if (extension === undefined) return undefined;
  // The host's own parse of package.json: this is the boundary.
  const { version } = extension.packageJSON as { readonly version?: unknown };
  return { path: extension.extensionPath, ...(typeof version === "string" ? { version } : {}) };
}
