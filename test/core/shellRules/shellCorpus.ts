/** The lists of everyday and destructive commands, public ones included, and what the guard says of one. Knows no rule. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { createReadFacets } from "../../../src/agents/toolFacts";
import type { Shell, ToolCall } from "../../../src/core/call";
import { shellGuard } from "../../../src/core/guards/shell";
import { imaginedFileSystem } from "../../../src/core/paths/imaginedFileSystem";
import { ask } from "../guards/worlds";

const root = join(import.meta.dirname, "../../..");
const corpus = join(root, "test/corpus");

export interface Labelled {
  readonly text: string;
  readonly want: "allow" | "ask" | "either";
  /** Absent for texts written for these tests. */
  readonly source?: string;
  /** Held ones are never shown. */
  readonly part: "tuning" | "held";
  readonly name: string;
}

const listed = z.object({
  sha256: z.string().length(64),
  source: z.string(),
  file: z.string(),
  want: z.enum(["allow", "ask", "either"]),
  part: z.enum(["tuning", "held"]),
});
const publicText = z.object({ sha256: z.string(), command: z.string() });

export function written(file: string, want: "allow" | "ask"): readonly Labelled[] {
  return readFileSync(join(corpus, file), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("# "))
    .map((line) => ({ text: line.replaceAll("\\n", "\n"), want, part: "tuning", name: line }));
}

/** Brings the public texts where they are missing; takes a minute the first time. */
export function publicCommands(): readonly Labelled[] {
  const own = join(root, "node_modules/.bin/node");
  const made = spawnSync(existsSync(own) ? own : process.execPath, [join(root, "scripts/publicShell.mjs")], {
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`scripts/publicShell.mjs: ${made.stderr}`);
  const lines = readFileSync(join(root, ".public-shell/corpus.jsonl"), "utf8").trim().split("\n");
  const texts = new Map(
    lines.map((line) => publicText.parse(JSON.parse(line))).map((one) => [one.sha256, one.command]),
  );
  const rows = z.array(listed).parse(JSON.parse(readFileSync(join(corpus, "publicShell.json"), "utf8")));
  return rows.flatMap(({ sha256, source, want, part }) => {
    const text = texts.get(sha256);
    return text === undefined
      ? []
      : [{ text, want, source, part, name: part === "held" ? `held ${sha256}` : text }];
  });
}

const WORLD = {
  os: "linux",
  home: "/home/user",
  roots: ["/home/user/proj"],
  links: { "/home/user/proj/src/main.ts": null, "/home/user/proj/package.json": null, "/tmp/x": null },
} as const;
const CWD = "/home/user/proj";
const guardOf = (defaultShell: Shell) =>
  shellGuard({ facets: createReadFacets({ defaultShell }), fs: imaginedFileSystem(WORLD) });
const guards = { bash: guardOf("bash"), pwsh: guardOf("pwsh"), cmd: guardOf("cmd") };

/** "allow", "ask" or "deny". */
export async function verdictOf(text: string, shell: keyof typeof guards = "bash"): Promise<string> {
  const call: ToolCall = {
    callId: "c1",
    runId: "r1",
    sessionId: "s1",
    agent: "test",
    toolName: "run_in_terminal",
    canonicalName: "Bash",
    input: { command: text },
    cwd: CWD,
    profile: "default",
    traceId: "t1",
    extra: {},
  };
  return (await ask(guards[shell], call)).kind;
}
