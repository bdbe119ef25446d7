/** Finds an agent's program and tells its version without running it. Knows nothing of hooks. */
import { access, constants, readFile, realpath } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Program } from "../core/coverage";

interface Known {
  readonly commands: readonly string[];
  /** Packages of npm that hold it. */
  readonly packages: readonly string[];
}

const PROGRAMS: Readonly<Record<string, Known>> = {
  claude: { commands: ["claude"], packages: ["@anthropic-ai/claude-code"] },
  codex: { commands: ["codex"], packages: ["@openai/codex"] },
  copilot: { commands: ["copilot"], packages: ["@github/copilot"] },
  gemini: { commands: ["gemini"], packages: ["@google/gemini-cli"] },
  opencode: { commands: ["opencode"], packages: ["opencode-ai"] },
  qwen: { commands: ["qwen"], packages: ["@qwen-code/qwen-code"] },
  cursor: { commands: ["cursor-agent", "cursor"], packages: [] },
  windsurf: { commands: ["windsurf"], packages: [] },
  cline: { commands: ["cline"], packages: ["cline"] },
};

/** Beside PATH, which an editor started from a desktop often does not share with a terminal. */
const FOLDERS = [".local/bin", ".claude/local", ".opencode/bin", ".bun/bin", ".npm-global/bin", ".volta/bin"];
const SYSTEM_FOLDERS = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"];

export interface ProgramPlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

/** Undefined = it is in none of the usual places. Never rejects. */
export async function findProgram(agent: string, places: ProgramPlaces): Promise<Program | undefined> {
  const known = PROGRAMS[agent];
  if (known === undefined) return undefined;
  const { home, env, platform = process.platform } = places;
  const endings = platform === "win32" ? [".exe", ".cmd", ".ps1"] : [""];
  const folders = [
    ...(env.PATH ?? "").split(delimiter).filter(isAbsolute),
    ...FOLDERS.map((folder) => join(home, folder)),
    ...(platform === "win32" ? [] : SYSTEM_FOLDERS),
  ];
  for (const folder of new Set(folders))
    for (const name of known.commands)
      for (const ending of endings) {
        const path = join(folder, `${name}${ending}`);
        if (!(await isProgram(path))) continue;
        const version = await versionOf(path, known);
        return { path, ...(version === undefined ? {} : { version }) };
      }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** From the package that holds the program, or from a folder that is named by its version. */
async function versionOf(path: string, { packages }: Known): Promise<string | undefined> {
  const real = await realpath(path).catch(() => path);
  let folder = dirname(real);
  for (let steps = 0; steps < 4; steps += 1) {
    const version = await packageVersion(join(folder, "package.json"), packages);
    if (version !== undefined) return version;
    folder = dirname(folder);
  }
  return /[/\\]v?(\d+\.\d+\.\d+)(?=[/\\]|$)/.exec(real)?.[1];
}

async function packageVersion(file: string, packages: readonly string[]): Promise<string | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof value !== "object" || value === null || !("name" in value) || !("version" in value)) return;
    const { name, version } = value;
    return typeof name === "string" && typeof version === "string" && packages.includes(name)
      ? version
      : undefined;
  } catch {
    return undefined;
  }
}
