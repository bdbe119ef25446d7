/** Commands that start an agent without its hooks, or end what governs it. Knows no file. */
import type { LocatedCommand } from "../paths/locatedCommand";
import { UNKNOWN } from "../paths/shellWords";
import { programName } from "../shell/command";

const AGENTS =
  /^(?:claude|codex|gemini|qwen|copilot|opencode|cursor-agent|cursor|windsurf|cline|aider|goose|amp|droid|crush|kiro(?:-cli)?|auggie)$/;
const PACKAGES =
  /^(?:@anthropic-ai\/claude-code|@openai\/codex|@google\/gemini-cli|@qwen-code\/qwen-code|@github\/copilot|opencode-ai|@sourcegraph\/amp)(?:@[\w.^~-]+)?$/;
/** Options by which an agent asks nobody, takes other settings, or runs no hooks. */
const LOOSE =
  /^--(?:dangerously[\w-]*|yolo|allow-all(?:-tools|-paths)?|settings|setting-sources|bare|no-hooks|disable-hooks|full-auto|ignore-rules|plugin-dir|mcp-config|trust-all-tools|yes-always)(?:=|$)|^--(?:permission-mode|approval-mode|sandbox|ask-for-approval)=?(?:bypassPermissions|yolo|danger-full-access|never)?$/;
const LOOSE_VALUE = /^(?:bypassPermissions|yolo|danger-full-access|never)$/;
const CODEX_SETTING = /approval_policy|sandbox_mode|\bhooks\b|features\.|notify/;
/** Where agents look for their settings. */
const HOMES =
  /^(?:HOME|USERPROFILE|XDG_CONFIG_HOME|CLAUDE_CONFIG_DIR|CODEX_HOME|GEMINI_\w*(?:HOME|DIR|SETTINGS\w*)|QWEN_\w*(?:HOME|DIR)|COPILOT_HOME|OPENCODE_CONFIG\w*|OPENCODE_DISABLE\w*|CLAUDE_CODE_(?:SIMPLE|DISABLE\w*)|COUNTERSIGN_\w+)$/;
/** What governs: our own processes and the editor with its extension host. */
const GOVERNS =
  /countersign|extension-?host|electron|vscode|code-server|code-insiders|codium|(?:^|[\s/"'(|^])code(?:\.exe)?(?:$|[\s"')|])|cursor|windsurf|\.vscode-server/i;

/** What a person is asked, or undefined when nothing of the kind happens. */
export function switchedOff(
  { argv, command }: LocatedCommand,
  all: readonly LocatedCommand[],
): string | undefined {
  const name = programName(argv[0]) ?? "";
  const args = argv.slice(1);
  const set = [
    ...command.assignments.map((one) => one.name),
    ...assigned(command.argv),
    ...all.flatMap(exported),
  ];
  return killed(name, args) ?? agentStarted(name, args, set);
}

/** `env HOME=/tmp/x claude` */
function assigned(words: readonly (string | null)[]): readonly string[] {
  return words.flatMap((word) => /^([A-Za-z_]\w*)=/.exec(word ?? "")?.[1] ?? []);
}

/** `export HOME=/tmp/x; claude` */
function exported({ argv, command }: LocatedCommand): readonly string[] {
  const exports = /^(?:export|declare|typeset|set|setx)$/.test(argv[0] ?? "");
  return exports
    ? assigned(argv.slice(1))
    : argv.length === 0
      ? command.assignments.map((one) => one.name)
      : [];
}

function killed(name: string, args: readonly string[]): string | undefined {
  if (!/^(?:pkill|killall|taskkill|stop-process|spps|osascript|systemctl|kill|fuser|skill)$/.test(name))
    return undefined;
  const words = args.join(" ");
  if (name === "osascript" && !/\bquit\b/i.test(words)) return undefined;
  if (name === "systemctl" && !/\b(?:stop|kill|disable|mask)\b/.test(words)) return undefined;
  if (name === "kill" && !args.includes("-1")) return undefined;
  const all = name === "kill" && args.length > 1 && args.at(-1) === "-1";
  return all || GOVERNS.test(words)
    ? `Run ${name} ${words.slice(0, 80)}: it could end the editor, and what governs agents with it.`
    : undefined;
}

function agentStarted(name: string, args: readonly string[], set: readonly string[]): string | undefined {
  const at = /^(?:npx|bunx|pnpx|pnpm|yarn|bun)$/.test(name)
    ? args.findIndex((word) => PACKAGES.test(word))
    : -1;
  if (!AGENTS.test(name) && at < 0) return undefined;
  const agent = at < 0 ? name : (args[at] ?? name);
  const own = args.slice(at + 1);
  const loose = own.find(
    (word, i) =>
      (LOOSE.test(word) && !/^--(?:permission-mode|approval-mode|sandbox|ask-for-approval)$/.test(word)) ||
      (LOOSE_VALUE.test(word) &&
        /^(?:--(?:permission-mode|approval-mode|sandbox|ask-for-approval)|-[as])$/.test(own[i - 1] ?? "")) ||
      (/^(?:-c|--config)$/.test(own[i - 1] ?? "") && CODEX_SETTING.test(word)) ||
      (word === "-y" && /gemini|qwen/.test(agent)) ||
      word.startsWith(UNKNOWN),
  );
  if (loose !== undefined)
    return `Run ${agent} with ${loose.replaceAll(UNKNOWN, "…").slice(0, 60)}: an agent that asks nobody, or runs without its hooks.`;
  const led = set.find((variable) => HOMES.test(variable));
  return led === undefined
    ? undefined
    : `Run ${agent} with another ${led}: an agent that does not find the settings that govern it.`;
}
