/** `countersign mcp status|wrap|unwrap`: which of the user's MCP servers stand behind the chain. Changes nothing that no person agreed to. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { messageOf } from "../core/errors";
import { visibleLine } from "../core/visible";
import type { ClientPlaces } from "../mcp/wrap/clientFiles";
import type { FilePlan } from "../mcp/wrap/plan";
import { applyPlan, launcherPath, planServers, serverStatus } from "../mcp/wrap/wrappedServers";
import { writeLauncher } from "../node/launcherFiles";
import { confirmChange } from "./confirmChange";
import type { Io, Run } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign mcp status [--json]
       countersign mcp wrap [SERVER…]
       countersign mcp unwrap [SERVER…]

Puts the MCP servers of this folder and of your own settings behind the hook chain, or takes them out again. The exact change of each
file is shown, and a person agrees to it in the editor's own dialog; where no window is open, on the terminal.
  SERVER    a server's name; default: every server that is started as a program
  --json    for programs
`;

const LINE = { name: "mcp", usage: USAGE, texts: [], flags: ["json"], words: 200 } as const;

const placesOf = (io: Io): ClientPlaces => ({
  home: homedir(),
  env: io.env,
  platform: process.platform,
  workspace: io.cwd,
});

export const runMcpStatus: Run = async (argv, io) => {
  const asked = readOptions(argv, { ...LINE, words: 0 });
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const { servers, problems } = await serverStatus(placesOf(io));
  if (asked.flags.has("json")) {
    await io.stdout(`${JSON.stringify({ servers, problems }, null, 2)}\n`);
    return 0;
  }
  const lines = servers.map(
    ({ client, name, state, file, why }) =>
      `${client.padEnd(12)} ${visibleLine(name).padEnd(20)} ${state}${why === undefined ? "" : ` (${why})`}\n             ${file}`,
  );
  const wrong = problems.map(({ client, file, problem }) => `${client.padEnd(12)} ${file}: ${problem}`);
  await io.stdout([...lines, ...wrong].map((line) => `${line}\n`).join("") || "No MCP servers found.\n");
  return 0;
};

export const runMcpWrap: Run = (argv, io) => change("wrap", argv, io);
export const runMcpUnwrap: Run = (argv, io) => change("unwrap", argv, io);

async function change(to: "wrap" | "unwrap", argv: readonly string[], io: Io): Promise<number> {
  const asked = readOptions(argv, { ...LINE, flags: [] });
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  if (process.platform === "win32") {
    io.stderr("countersign mcp: the launcher is a shell program; on Windows servers are not wrapped yet\n");
    return 2;
  }
  const names = asked.words.length === 0 ? {} : { names: asked.words };
  const plans = await planServers(placesOf(io), { to, ...names });
  for (const note of plans.flatMap((plan) => plan.notes)) io.stderr(`${visibleLine(note)}\n`);
  const changes = plans.filter(({ diff }) => diff.length > 0);
  if (changes.length === 0) await io.stdout(`nothing to ${to}\n`);
  let code = 0;
  for (const plan of changes) code = Math.max(code, await write(to, plan, io));
  return code;
}

async function write(to: "wrap" | "unwrap", plan: FilePlan, io: Io): Promise<number> {
  const home = homedir();
  const names = plan.servers.map(visibleLine).join(", ");
  const title =
    to === "wrap" ? `Put ${names} behind Countersign's chain?` : `Take ${names} out of Countersign's chain?`;
  const said = await confirmChange({ title, lines: plan.diff }, { io, home });
  if (said.kind === "no") {
    io.stderr(`countersign mcp: ${plan.file} was left as it is: ${said.why}\n`);
    return 1;
  }
  try {
    // Where there was a window it has written the launcher, with its own runtime.
    if (to === "wrap" && !existsSync(launcherPath(home)))
      writeLauncher({ home, runtime: process.execPath, dist: __dirname });
    await applyPlan(home, plan);
  } catch (error) {
    io.stderr(`countersign mcp: ${messageOf(error)}\n`);
    return 2;
  }
  await io.stdout(`${plan.file}: ${names} ${to}ped\n`);
  return 0;
}
