/**
 * How each agent's settings name our hook: which file, where in it, and what. Data; the files are changed by `installPlan.ts`.
 * Timeouts are written out, longer than our own deadline, since every agent runs the tool when its own passes.
 */
import type { AgentId } from "../agentDoor";
import type { HookEvent } from "../hookRequest";
import type { Path } from "./jsonc";

/** One member of ours in a settings file. */
export interface Entry {
  readonly path: Path;
  readonly value: unknown;
}

export interface SettingsFile {
  /** Segments below the home folder; `env` names a folder that stands in for the first. */
  readonly below: readonly string[];
  readonly env?: string;
  readonly entries: readonly Entry[];
  /** What the file holds beside our entries where there was none. */
  readonly initial?: Readonly<Record<string, unknown>>;
}

export type Plan =
  | { readonly kind: "settings"; readonly file: SettingsFile; readonly after?: "codex-trust" }
  /** A script file of its own per event, for agents that look for programs by name. */
  | {
      readonly kind: "scripts";
      readonly files: readonly { readonly below: readonly string[]; readonly text: string }[];
    };

/** Longer than the launcher's own deadline of 30 minutes. */
const SECONDS = 3600;
const NOTICE_SECONDS = 30;

export interface PlanOptions {
  /** Absolute path of `~/.countersign/bin/hook`. */
  readonly hook: string;
  /** `file:` URL of the plugin for OpenCode. */
  readonly openCodePlugin: string;
}

type Names = readonly (readonly [name: string, event: HookEvent])[];

const claudeNames: Names = [
  ["PreToolUse", "pre"],
  ["PostToolUse", "post"],
  ["PostToolUseFailure", "post"],
  ["SubagentStart", "subagent-start"],
  ["SubagentStop", "subagent-stop"],
  ["Stop", "stop"],
];

const seconds = (event: HookEvent): number => (event === "pre" ? SECONDS : NOTICE_SECONDS);

/** In single quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A missing launcher must deny too, with words, since one agent runs the tool where standard error is empty. */
function line({ hook }: PlanOptions, agent: AgentId, event: HookEvent): string {
  const run = `${quoted(hook)} ${agent} ${event}`;
  if (event !== "pre") return `${run} || :`;
  return `${run} || { [ $? = 2 ] || echo 'guard broken: Countersign is gone; the call was not run' >&2; exit 2; }`;
}

function claude(options: PlanOptions): Plan {
  const entries = claudeNames.map(
    ([name, event]): Entry => ({
      path: ["hooks", name],
      value: {
        matcher: "*",
        hooks: [
          {
            type: "command",
            command: options.hook,
            args: ["claude", event],
            timeout: seconds(event),
            ...(event === "pre" ? { onFailure: "block" } : {}),
          },
        ],
      },
    }),
  );
  return {
    kind: "settings",
    file: { below: [".claude", "settings.json"], env: "CLAUDE_CONFIG_DIR", entries },
  };
}

function codex(options: PlanOptions): Plan {
  const names: Names = [
    ["PreToolUse", "pre"],
    ["PostToolUse", "post"],
    ["Stop", "stop"],
  ];
  const entries = names.map(
    ([name, event]): Entry => ({
      path: ["hooks", name],
      value: {
        matcher: "*",
        hooks: [{ type: "command", command: line(options, "codex", event), timeout: seconds(event) }],
      },
    }),
  );
  return {
    kind: "settings",
    file: { below: [".codex", "hooks.json"], env: "CODEX_HOME", entries },
    after: "codex-trust",
  };
}

function gemini(options: PlanOptions): Plan {
  const names: Names = [
    ["BeforeTool", "pre"],
    ["AfterTool", "post"],
    ["AfterAgent", "stop"],
  ];
  return {
    kind: "settings",
    file: { below: [".gemini", "settings.json"], entries: namedEntries(options, "gemini", names) },
  };
}

function qwen(options: PlanOptions): Plan {
  return {
    kind: "settings",
    file: { below: [".qwen", "settings.json"], entries: namedEntries(options, "qwen", claudeNames) },
  };
}

/** These programs list hooks by a name of their own, and count in milliseconds. */
function namedEntries(options: PlanOptions, agent: "gemini" | "qwen", names: Names): readonly Entry[] {
  return names.map(
    ([name, event]): Entry => ({
      path: ["hooks", name],
      value: {
        matcher: "*",
        hooks: [
          {
            name: "countersign",
            type: "command",
            command: line(options, agent, event),
            timeout: seconds(event) * 1000,
          },
        ],
      },
    }),
  );
}

function copilot(options: PlanOptions): Plan {
  const entries = claudeNames.map(
    ([name, event]): Entry => ({
      path: ["hooks", name],
      value: { type: "command", bash: line(options, "copilot", event), timeoutSec: seconds(event) },
    }),
  );
  return {
    kind: "settings",
    file: { below: [".copilot", "hooks", "countersign.json"], entries, initial: { version: 1 } },
  };
}

function openCode(options: PlanOptions): Plan {
  return {
    kind: "settings",
    file: {
      below: [".config", "opencode", "opencode.json"],
      entries: [{ path: ["plugin"], value: options.openCodePlugin }],
    },
  };
}

function cursor(options: PlanOptions): Plan {
  const names: Names = [
    ["preToolUse", "pre"],
    ["postToolUse", "post"],
    ["stop", "stop"],
  ];
  const entries = names.map(
    ([name, event]): Entry => ({
      path: ["hooks", name],
      value: {
        type: "command",
        command: line(options, "cursor", event),
        timeout: seconds(event),
        ...(event === "pre" ? { failClosed: true } : {}),
      },
    }),
  );
  return { kind: "settings", file: { below: [".cursor", "hooks.json"], entries, initial: { version: 1 } } };
}

function windsurf(options: PlanOptions): Plan {
  const names: Names = [
    ...["pre_read_code", "pre_write_code", "pre_run_command", "pre_mcp_tool_use"].map(
      (name) => [name, "pre"] as const,
    ),
    ...["post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use"].map(
      (name) => [name, "post"] as const,
    ),
  ];
  const entries = names.map(
    ([name, event]): Entry => ({
      path: ["hooks", name],
      value: { command: line(options, "windsurf", event), show_output: false },
    }),
  );
  return { kind: "settings", file: { below: [".codeium", "windsurf", "hooks.json"], entries } };
}

function cline({ hook }: PlanOptions): Plan {
  const broken = JSON.stringify({ cancel: true, errorMessage: "guard broken: Countersign is gone" });
  const script = (event: HookEvent): string =>
    event === "pre"
      ? `#!/bin/sh\n# Countersign\n${quoted(hook)} cline pre || printf %s '${broken}'\n`
      : `#!/bin/sh\n# Countersign\n${quoted(hook)} cline ${event} || :\n`;
  return {
    kind: "scripts",
    files: [
      { below: [".cline", "hooks", "PreToolUse"], text: script("pre") },
      { below: [".cline", "hooks", "PostToolUse"], text: script("post") },
    ],
  };
}

/** VS Code needs none: the extension ships its plugin. */
export const plans: Readonly<Record<Exclude<AgentId, "vscode">, (options: PlanOptions) => Plan>> = {
  claude,
  codex,
  gemini,
  qwen,
  copilot,
  opencode: openCode,
  cursor,
  windsurf,
  cline,
};
