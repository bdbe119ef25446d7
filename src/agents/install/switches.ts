/** What in an agent's settings keeps its hooks from running, as far as files tell. Text in, words out; knows no disk. */
import * as toml from "smol-toml";
import { isPlainObject } from "../../core/call";
import type { AgentId } from "../agentDoor";
import { isOurs } from "./installPlan";
import { type Path, parseJsonc, valueAt } from "./jsonc";

/** A settings file that can switch hooks off. */
export interface SwitchFile {
  readonly place: "home" | "workspace";
  readonly below: readonly string[];
}

const json = (place: SwitchFile["place"], ...below: string[]): SwitchFile => ({ place, below });

/** Each agent's files that may hold a switch. */
export const switchFiles: Readonly<Partial<Record<AgentId, readonly SwitchFile[]>>> = {
  claude: [
    json("home", ".claude", "settings.json"),
    json("workspace", ".claude", "settings.json"),
    json("workspace", ".claude", "settings.local.json"),
  ],
  codex: [json("home", ".codex", "config.toml"), json("workspace", ".codex", "config.toml")],
  gemini: [json("home", ".gemini", "settings.json"), json("workspace", ".gemini", "settings.json")],
  copilot: [
    json("home", ".copilot", "settings.json"),
    json("home", ".copilot", "config.json"),
    json("workspace", ".github", "copilot", "settings.json"),
    json("workspace", ".claude", "settings.json"),
  ],
  qwen: [json("home", ".qwen", "settings.json"), json("workspace", ".qwen", "settings.json")],
};

interface Switch {
  readonly path: Path;
  readonly off: (value: unknown) => boolean;
}

const isTrue = (value: unknown): boolean => value === true;
const isFalse = (value: unknown): boolean => value === false;
const namesUs = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => one === "countersign" || one === "*" || isOurs(one));

const switches: Readonly<Partial<Record<AgentId, readonly Switch[]>>> = {
  claude: [
    { path: ["disableAllHooks"], off: isTrue },
    { path: ["allowManagedHooksOnly"], off: isTrue },
  ],
  codex: [
    { path: ["features", "hooks"], off: isFalse },
    { path: ["allow_managed_hooks_only"], off: isTrue },
  ],
  gemini: [
    { path: ["hooksConfig", "enabled"], off: isFalse },
    { path: ["hooksConfig", "disabled"], off: namesUs },
  ],
  copilot: [{ path: ["disableAllHooks"], off: isTrue }],
  qwen: [
    { path: ["disableAllHooks"], off: isTrue },
    { path: ["hooksConfig", "enabled"], off: isFalse },
    { path: ["hooksConfig", "disabled"], off: namesUs },
  ],
};

/** The settings in this file that keep hooks from running, such as `disableAllHooks`; a file that cannot be read has none. */
export function switchedOffBy(agent: AgentId, file: SwitchFile, text: string): readonly string[] {
  const value = file.below.at(-1)?.endsWith(".toml") ? readToml(text) : readJson(text);
  return (switches[agent] ?? [])
    .filter(({ path, off }) => off(valueAt(value, path)))
    .map(({ path }) => path.join("."));
}

/** Codex runs a hook only after a person's review of it; its settings keep a mark for each one. */
export function codexReviewed(configToml: string, hooksFile: string): boolean {
  const state = valueAt(readToml(configToml), ["hooks", "state"]);
  if (!isPlainObject(state)) return false;
  return Object.entries(state).some(
    ([key, kept]) =>
      key.startsWith(`${hooksFile}:pre_tool_use:`) &&
      isPlainObject(kept) &&
      typeof kept.trusted_hash === "string",
  );
}

function readJson(text: string): unknown {
  const parsed = parseJsonc(text);
  return parsed.ok ? parsed.value : undefined;
}

function readToml(text: string): unknown {
  try {
    return toml.parse(text);
  } catch {
    return undefined;
  }
}
