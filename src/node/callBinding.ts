/** What every grant is bound to beside the arguments: the real cwd, and the bytes of each workspace file a command executes. */
import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import type { Args, CommandFacet, ReadFacets, ToolCall } from "../core/call";
import { parseShell } from "../core/shell/parse";
import { effectiveArgv } from "../core/shell/wrappers";

const MAX_BYTES = 4 * 1024 * 1024;
const INTERPRETERS =
  /^(?:ba|z|da|k|fi)?sh$|^(?:python|node|ruby|perl|php|deno|bun|tsx|ts-node|pwsh|powershell)(?:[\d.]*)(?:\.exe)?$/;
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  make: ["Makefile", "makefile", "GNUmakefile"],
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  just: ["justfile"],
};

/** Rejects when the cwd cannot be resolved: a call whose place is unknown is not judged. */
export function bindCall(
  facets: ReadFacets,
): (call: ToolCall, args: Args) => Promise<Record<string, string>> {
  return async (call, args) => {
    const { commands } = facets(call, args);
    if (call.cwd === undefined) return {};
    const cwd = await realpath(call.cwd).catch(() => call.cwd ?? "");
    const binding: Record<string, string> = { cwd };
    for (const file of commands.flatMap(executedFiles)) {
      const path = isAbsolute(file) ? file : resolve(cwd, file);
      const hash = await hashOf(path);
      if (hash !== undefined) binding[`executes ${file}`] = hash;
    }
    return binding;
  };
}

/** Files named statically as programs or as an interpreter's script. */
function executedFiles(command: CommandFacet): string[] {
  const parsed = parseShell(command.text, command.shell);
  if (!parsed.ok) return [];
  return parsed.commands.flatMap((simple) => {
    const argv = effectiveArgv(simple);
    const program = argv[0];
    if (program === undefined || program === null) return [];
    const name = program.split(/[\\/]/).at(-1) ?? program;
    if (Object.hasOwn(RUNNERS, name)) return [...(RUNNERS[name] ?? [])];
    if (INTERPRETERS.test(name) || name === "source" || name === ".") {
      const script = argv.slice(1).find((word) => word !== null && !word.startsWith("-"));
      return typeof script === "string" ? [script] : [];
    }
    return /[\\/]/.test(program) ? [program] : [];
  });
}

async function hashOf(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) return `size:${size}`;
    return createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  } catch {
    return undefined;
  }
}
