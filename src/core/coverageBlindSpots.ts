/** What no hook of an agent sees, by agent: data and its sentences. Knows no agent's payloads. */
import type { Translate } from "./askText";

export type BlindSpot =
  | "children"
  | "editorSwitches"
  | "extensionCalls"
  | "agentHost"
  | "projectSwitches"
  | "typedInput"
  | "codexReview"
  | "missingLauncher"
  | "missingPlugin"
  | "neverRun"
  | "unwrapped";

const SPOTS: Readonly<Record<string, readonly BlindSpot[]>> = {
  vscode: ["editorSwitches", "extensionCalls", "children"],
  "vscode.agentHost": ["agentHost", "children"],
  claude: ["projectSwitches", "missingLauncher", "children"],
  codex: ["typedInput", "codexReview", "projectSwitches", "children"],
  copilot: ["projectSwitches", "children"],
  gemini: ["projectSwitches", "children"],
  qwen: ["projectSwitches", "children"],
  opencode: ["missingPlugin", "children"],
  cursor: ["neverRun", "children"],
  windsurf: ["neverRun", "children"],
  cline: ["neverRun", "children"],
  mcp: ["unwrapped"],
};

/** From this version on Claude Code blocks a call whose hook cannot be started. */
const BLOCKS_FROM = [2, 1, 295];

/** `version` undefined = unknown, which counts as old. */
export function blindSpotsOf(id: string, version?: string): readonly BlindSpot[] {
  return (SPOTS[id] ?? []).filter((spot) => spot !== "missingLauncher" || isOlder(version, BLOCKS_FROM));
}

function isOlder(version: string | undefined, than: readonly number[]): boolean {
  const parts = version?.split(/[.-]/).map(Number);
  if (parts === undefined) return true;
  for (const [index, wanted] of than.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return !(part > wanted);
  }
  return false;
}

/** A name of two or three words, since a narrow view shows no more, and the sentence. */
export interface BlindSpotText {
  readonly name: string;
  readonly sentence: string;
}

export function blindSpotText(spot: BlindSpot, t: Translate): BlindSpotText {
  switch (spot) {
    case "children":
      return {
        name: t("Started processes"),
        sentence: t("What a permitted command starts is seen by no hook"),
      };
    case "editorSwitches":
      return {
        name: t("Editor settings"),
        sentence: t("A setting or the plugin list can switch it off: chat.useHooks, chat.plugins.enabled"),
      };
    case "extensionCalls":
      return {
        name: t("Extensions' own calls"),
        sentence: t("Tools that extensions call by themselves, outside chat, reach no hook"),
      };
    case "agentHost":
      return {
        name: t("Another process"),
        sentence: t("Runs hooks in a process of its own; another plugin's answer can come first"),
      };
    case "projectSwitches":
      return { name: t("Project settings"), sentence: t("A project's settings can switch your hooks off") };
    case "typedInput":
      return {
        name: t("Typed input"),
        sentence: t("What is typed into a program that already runs reaches no hook"),
      };
    case "codexReview":
      return {
        name: t("Review in Codex"),
        sentence: t("Codex skips a hook without a word until you have reviewed it with /hooks"),
      };
    case "missingLauncher":
      return {
        name: t("Missing launcher"),
        sentence: t("Before 2.1.295 a missing launcher lets calls through"),
      };
    case "missingPlugin":
      return {
        name: t("Missing plugin"),
        sentence: t("Runs tools without a word where its plugin file is missing"),
      };
    case "neverRun":
      return {
        name: t("Never run"),
        sentence: t("Written from its documents, not yet run with the real program"),
      };
    case "unwrapped":
      return {
        name: t("Other servers"),
        sentence: t("Servers that are not behind the chain are judged only where the agent has a hook"),
      };
    default:
      return spot satisfies never;
  }
}
