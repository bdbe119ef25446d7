/** An egress guard on an imagined machine with a repository, and the corpus of network commands. */
import { readFileSync } from "node:fs";
import { readFacets } from "../../../src/agents/toolFacts";
import type { Args, ToolCall } from "../../../src/core/call";
import type { Decision } from "../../../src/core/decision";
import { type EgressOptions, egress } from "../../../src/core/guards/egress";
import { egressMemory } from "../../../src/core/guards/egressMemory";
import type { Hook, HookContext, Outcome } from "../../../src/core/hook";
import { imaginedFileSystem } from "../../../src/core/paths/imaginedFileSystem";
import { ask, callOn, LINUX } from "./worlds";

export const REMOTES = [
  { name: "origin", url: "https://github.com/acme/shop.git" },
  { name: "upstream", url: "git@gitlab.com:acme/shop.git" },
];

export function egressOn(more: Partial<EgressOptions> = {}): Hook {
  return egress({
    facets: readFacets,
    fs: imaginedFileSystem(LINUX),
    known: [],
    memory: egressMemory(),
    remotes: async (_cwd, folder) => (folder.startsWith("/elsewhere") ? undefined : REMOTES),
    ...more,
  });
}

export const terminal = (command: string, more: Partial<ToolCall> = {}): ToolCall => ({
  ...callOn(LINUX, "run_in_terminal", { command }),
  ...more,
});

export const judge = async (hook: Hook, command: string): Promise<Decision> => ask(hook, terminal(command));

/** What the chain does when a call was let through and has ended. */
export async function ran(hook: Hook, call: ToolCall, result: unknown = ""): Promise<void> {
  const { sessionId, profile, traceId, extra } = call;
  const outcome = {
    kind: "run",
    decision: "allow",
    by: null,
    binding: {},
    args: call.input,
    contexts: [],
    findings: [],
    trail: [],
    rewritten: false,
  } satisfies Outcome;
  const ctx: HookContext = { sessionId, profile, traceId, extra, call, outcome };
  await hook.postToolUse?.(ctx, call.toolName, call.input as Args, result, null);
}

export interface NetworkRow {
  readonly label: "quiet" | "ask";
  readonly source: string;
  readonly command: string;
}

export function networkRows(file: string): readonly NetworkRow[] {
  return readFileSync(new URL(`../../corpus/${file}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [label = "", source = "", command = ""] = line.split("\t");
      if (label !== "quiet" && label !== "ask") throw new Error(`no label: ${line}`);
      return { label, source, command: command.replaceAll("\\n", "\n") };
    });
}
