/** The real agent programs: how each is started without a network, and by which tools it runs a command. Data. */
import { join } from "node:path";
import type { AgentId } from "../../src/agents/agentDoor";
import type { ModelCall } from "./modelWire";

export type ProgramId = Extract<AgentId, "claude" | "codex" | "gemini" | "copilot" | "opencode" | "qwen">;

export interface Program {
  readonly id: ProgramId;
  readonly title: string;
  /** "node" = a JavaScript program, run with the Node that runs the tests. */
  readonly kind: "native" | "node";
  readonly args: (model: Model) => readonly string[];
  readonly env: (model: Model) => Readonly<Record<string, string>>;
  /** Settings that the program must have before it starts, below the home folder. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A text that its settings file may hold before we come; default: one that it does not know. */
  readonly theirs?: string;
  /** A key of its own that it adds to the settings file when it starts. */
  readonly adds?: string;
  /** What it says when its file tool itself refuses a place outside the workspace, before any hook. */
  readonly fence?: RegExp;
  /** The model does not read what a hook that ends with 2 writes to standard error. */
  readonly isMute?: true;
  readonly shell: (command: string) => ModelCall;
  readonly write: (file: string, text: string) => ModelCall;
}

export interface Model {
  readonly port: number;
  readonly home: string;
}

const url = ({ port }: Model): string => `http://127.0.0.1:${port}`;
const PROMPT = "Please do the task.";

export const programs: readonly Program[] = [
  {
    id: "claude",
    title: "Claude Code",
    kind: "native",
    args: () => ["-p", PROMPT, "--output-format", "json", "--dangerously-skip-permissions"],
    env: (model) => ({
      ANTHROPIC_BASE_URL: url(model),
      ANTHROPIC_API_KEY: "none",
      // It refuses to skip its own questions for root elsewhere.
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    shell: (command) => ({ name: "Bash", input: { command, description: "run it" } }),
    write: (file, content) => ({ name: "Write", input: { file_path: file, content } }),
  },
  {
    id: "codex",
    title: "Codex",
    kind: "node",
    args: (model) => [
      "exec",
      "--json",
      "--skip-git-repo-check",
      "-c",
      `model_providers.scripted={name="scripted",base_url="${url(model)}/v1",env_key="MODEL_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
      "-c",
      'model_provider="scripted"',
      "-m",
      "gpt-5.5",
      "--dangerously-bypass-approvals-and-sandbox",
      // A person trusts the hook in Codex itself; here nobody can.
      "--dangerously-bypass-hook-trust",
      PROMPT,
    ],
    env: ({ home }) => ({ MODEL_KEY: "none", CODEX_HOME: join(home, ".codex") }),
    shell: (command) => ({ name: "exec_command", input: { cmd: command } }),
    write: (file, text) => ({
      name: "apply_patch",
      kind: "custom",
      input: `*** Begin Patch\n*** Add File: ${file}\n${text
        .trimEnd()
        .split("\n")
        .map((line) => `+${line}\n`)
        .join("")}*** End Patch\n`,
    }),
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    kind: "node",
    args: () => [
      "-p",
      PROMPT,
      "-m",
      "gemini-2.5-flash",
      "--output-format",
      "json",
      "--approval-mode",
      "yolo",
    ],
    env: (model) => ({
      GOOGLE_GEMINI_BASE_URL: url(model),
      GEMINI_API_KEY: "none",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_TELEMETRY_ENABLED: "false",
    }),
    fence: /Path not in workspace/,
    settings: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      },
    },
    shell: (command) => ({ name: "run_shell_command", input: { command, description: "run it" } }),
    write: (file, content) => ({ name: "write_file", input: { file_path: file, content } }),
  },
  {
    id: "opencode",
    title: "OpenCode",
    kind: "native",
    args: () => ["run", "--format", "json", "-m", "scripted/scripted", PROMPT],
    env: (model) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        share: "disabled",
        autoupdate: false,
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "scripted",
            options: { baseURL: `${url(model)}/v1`, apiKey: "none" },
            models: { scripted: { name: "scripted", tool_call: true } },
          },
        },
      }),
    }),
    // Without these it installs its plugin kit into the folder first, which takes longer than the test.
    settings: {
      ".config/opencode/node_modules/none.json": {},
      ".config/opencode/package-lock.json": {
        packages: { "": { dependencies: { "@opencode-ai/plugin": "1.18.33" } } },
      },
    },
    adds: "$schema",
    // It does not start where a key is unknown to it.
    theirs: '{\n    "share" : "disabled", // stays\n}\n',
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    write: (file, content) => ({ name: "write", input: { filePath: file, content } }),
  },
  {
    id: "copilot",
    title: "GitHub Copilot CLI",
    kind: "node",
    // The file is ours alone: others lie beside it.
    theirs: "{}",
    isMute: true,
    args: () => ["-p", PROMPT, "--allow-all-tools", "--allow-all-paths", "--no-auto-update"],
    env: (model) => ({
      COPILOT_PROVIDER_BASE_URL: `${url(model)}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "none",
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
    }),
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    write: (file, text) => ({ name: "create", input: { path: file, file_text: text } }),
  },
  {
    id: "qwen",
    title: "Qwen Code",
    kind: "node",
    adds: "$version",
    args: () => ["-p", PROMPT, "--auth-type", "openai", "--approval-mode", "yolo", "--output-format", "json"],
    env: (model) => ({
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: `${url(model)}/v1`,
      OPENAI_MODEL: "scripted",
    }),
    shell: (command) => ({
      name: "run_shell_command",
      input: { command, description: "run it", is_background: false },
    }),
    write: (file, content) => ({ name: "write_file", input: { file_path: file, content } }),
  },
];
