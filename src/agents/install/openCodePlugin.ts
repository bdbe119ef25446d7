/**
 * The plugin file that OpenCode loads: it carries each tool call to the launcher and holds it until there is a verdict.
 * A text, since OpenCode's own runtime runs it from `~/.countersign/bin`. Whatever goes wrong before a tool throws, which denies.
 */

/** OpenCode calls every export of a plugin file: there is one. */
export function openCodePluginText(): string {
  return `// Countersign's plugin for OpenCode. Written anew by the extension; changes here are undone and noticed.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const hook = join(dirname(fileURLToPath(import.meta.url)), "hook");

/** Resolves to what the launcher printed; rejects with its reason where it denies or cannot be run. */
function ask(event, payload, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(hook, ["opencode", event], { cwd, stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let why = "";
    child.stdout.setEncoding("utf8").on("data", (text) => { out += text; });
    child.stderr.setEncoding("utf8").on("data", (text) => { why += text; });
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => reject(new Error("guard broken: " + error.message)));
    child.on("close", (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(why.trim() || "guard broken: the hook gave no verdict"));
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

export const Countersign = async ({ directory }) => {
  const common = (name, input, args) => ({
    hook_event_name: name,
    session_id: input.sessionID,
    tool_use_id: input.callID,
    tool_name: input.tool,
    tool_input: args ?? {},
    cwd: directory,
  });
  return {
    "tool.execute.before": async (input, output) => {
      const text = await ask("pre", common("tool.execute.before", input, output.args), directory);
      if (text === "") return;
      const answer = JSON.parse(text);
      if (answer.decision === "deny") throw new Error(answer.reason);
      if (answer.args === undefined) return;
      // In place: OpenCode keeps the object that it handed us.
      for (const key of Object.keys(output.args)) delete output.args[key];
      Object.assign(output.args, answer.args);
    },
    "tool.execute.after": async (input, output) => {
      const result = output?.output ?? output?.content ?? null;
      const payload = { ...common("tool.execute.after", input, input.args), tool_response: result };
      await ask("post", payload, directory).catch(() => undefined);
    },
    event: async ({ event }) => {
      if (event?.type !== "session.idle") return;
      const payload = { hook_event_name: "session.idle", session_id: event.properties?.sessionID, cwd: directory };
      await ask("stop", payload, directory).catch(() => undefined);
    },
  };
};
`;
}
