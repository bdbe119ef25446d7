/** Whether an agent program is among this process's ancestors. Knows nothing of what depends on it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** Programs that run agents, and the editors, whose own agent mode runs commands. By the name of the program or of its script. */
const AGENTS =
  /^(?:claude|claude-code|codex|gemini|gemini-cli|copilot|copilot-linux-\w+|opencode|qwen|qwen-code|cursor|cursor-agent|cline|windsurf|aider|goose|amp|code|code-insiders|codium|code-server|code-oss|node-extension-host)(?:\.exe|\.js|\.mjs|\.cjs)?$/i;

interface Process {
  readonly parent: number;
  /** Program and arguments. */
  readonly words: readonly string[];
}

/** The name under which the nearest such ancestor runs; "unknown" where the ancestors cannot be told, which counts as one. */
export function agentAncestor(
  pid: number = process.ppid,
  look: (pid: number) => Process | undefined = lookUp,
): string | undefined {
  for (let here = pid, steps = 0; here > 1; steps += 1) {
    const found = steps < 64 ? look(here) : undefined;
    if (found === undefined) return "unknown";
    const name = found.words.map(nameOf).find((word) => AGENTS.test(word));
    if (name !== undefined) return name;
    here = found.parent;
  }
  return undefined;
}

/** `node …/@openai/codex/bin/codex.js` is codex. */
function nameOf(word: string): string {
  return basename(word.replaceAll("\\", "/"));
}

function lookUp(pid: number): Process | undefined {
  try {
    if (process.platform !== "linux") return byPs(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name, in parentheses, may hold blanks: count from its end.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return { parent, words: [...words.slice(0, 2), name].slice(0, 3).filter((word) => word !== "") };
  } catch {
    return undefined;
  }
}

function byPs(pid: number): Process {
  const line = execFileSync("ps", ["-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" }).trim();
  const [parent = "", ...words] = line.split(/\s+/);
  return { parent: Number(parent), words };
}
