/** The deny of a client that has no verdict to print, in each agent's shape. Knows nothing of why it failed. */
import { isAgentId } from "./agentDoor";
import type { BrokerAnswer, HookEvent } from "./hookRequest";

/** What a person does when our hook itself is broken: one command each, mildest first. */
function undo(agent: string): string {
  if (agent === "vscode")
    return "A person can mend this: run Developer: Reload Window in the editor, or remove Countersign with: code --uninstall-extension countersign.countersign";
  // Nobody knows whose settings hold such a hook; no command of ours takes it out.
  return !isAgentId(agent)
    ? "A person can mend this: the settings of the agent that ran this hook hold its command, `countersign hook`; name the agent there with --agent NAME, or take the hook out of them"
    : `A person can mend this: open the folder in the editor with Countersign, or take the hook out with: ~/.countersign/bin/countersign agents uninstall ${agent}`;
}

/** `guard broken: <reason>. <how to undo it>`; our failures are never called a policy's. */
export function brokenText(reason: string, agent = "vscode"): string {
  const plain = reason.replace(/^guard broken:?\s*/i, "").replace(/[.\s]+$/, "");
  return `guard broken: ${plain === "" ? "no verdict" : plain}. The call was not run. ${undo(agent)}`;
}

/**
 * Denies in VS Code's local agent mode (which reads `hookSpecificOutput` alone)
 * and in the Agent Host (which reads the top level alone, and ignores exit codes).
 */
export function denyInBothShapes(reason: string): string {
  const decision = { permissionDecision: "deny", permissionDecisionReason: reason };
  return JSON.stringify({ ...decision, hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } });
}

/**
 * VS Code: JSON and exit 0; so Cline, in its own words, since it runs the tool on exit 2.
 * Every other agent: the reason on stderr and exit 2. Other events than `pre` never fail.
 */
export function broken(run: { agent: string; event: HookEvent; reason: string }): BrokerAnswer {
  if (run.event !== "pre") return { stdout: "" };
  const text = brokenText(run.reason, run.agent);
  if (run.agent === "vscode") return { stdout: denyInBothShapes(text) };
  if (run.agent === "cline") return { stdout: JSON.stringify({ cancel: true, errorMessage: text }) };
  return { stdout: "", stderr: text, exitCode: 2 };
}
