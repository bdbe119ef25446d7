/** All agents whose calls can be judged, by name. Knows nothing of any of them. */
import type { AgentDoor, AgentId } from "./agentDoor";
import { claudeDoor } from "./claudeCode";
import { clineDoor } from "./cline";
import { codexDoor } from "./codex";
import { copilotDoor } from "./copilotCli";
import { cursorDoor } from "./cursor";
import { geminiDoor } from "./gemini";
import { openCodeDoor } from "./openCode";
import { qwenDoor } from "./qwen";
import { vscodeDoor } from "./vscodeHooks";
import { windsurfDoor } from "./windsurf";

export const agentDoors: Readonly<Record<AgentId, AgentDoor>> = {
  vscode: vscodeDoor,
  claude: claudeDoor,
  codex: codexDoor,
  copilot: copilotDoor,
  gemini: geminiDoor,
  opencode: openCodeDoor,
  qwen: qwenDoor,
  cursor: cursorDoor,
  cline: clineDoor,
  windsurf: windsurfDoor,
};

/** Undefined for a name that no door of ours has. */
export function doorOf(agent: string): AgentDoor | undefined {
  return Object.hasOwn(agentDoors, agent) ? agentDoors[agent as AgentId] : undefined;
}
