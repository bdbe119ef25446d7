/** The guard `shell`: commands that destroy, or that run what nobody has seen, are asked for; what is never meant is refused. Knows no program. */
import type { FileSystem, Hasher } from "../../ports";
import type { CommandFacet, ReadFacets, ToolCall } from "../call";
import { Allow, AskUser, type Decision, Deny, type SessionScope } from "../decision";
import type { Hook } from "../hook";
import { inFolder } from "../paths/changeFolder";
import { rememberLooks } from "../paths/rememberLooks";
import { judgeShell, type ShellFinding } from "../shellRules/judgeShell";
import { linkedAway } from "../shellRules/linkedAway";
import { withoutMadeHere } from "../shellRules/madeHere";
import { askedOfTool } from "../shellRules/toolDestroys";

export interface ShellGuardOptions {
  readonly facets: ReadFacets;
  readonly fs: FileSystem | ((call: ToolCall) => FileSystem);
  readonly hasher?: Hasher;
}

const NAME = "shell";
/** Milliseconds: the longest text that is read, on a slow machine. */
const DEADLINE_MS = 4000;

export function shellGuard(options: ShellGuardOptions): Hook {
  return {
    name: NAME,
    guard: true,
    deadlineMs: DEADLINE_MS,
    async preToolUse(ctx, _toolName, args) {
      const { call } = ctx;
      const { commands, destroys = [] } = options.facets(call, args);
      const [taken] = destroys;
      if (commands.length === 0) return taken === undefined ? Allow() : askedOfTool(taken, call, args);
      const fs = rememberLooks(typeof options.fs === "function" ? options.fs(call) : options.fs);
      const found: ShellFinding[] = [];
      for (const command of commands) found.push(...(await judgeCommand(command, call, fs)));
      const decided = decide(found, { commands, call, options });
      return decided.kind === "allow" && taken !== undefined ? askedOfTool(taken, call, args) : decided;
    },
  };
}

async function judgeCommand(
  command: CommandFacet,
  call: ToolCall,
  fs: FileSystem,
): Promise<readonly ShellFinding[]> {
  const start = folderOf(command, call);
  const { findings, commands } = judgeShell(command.text, command.shell, start);
  const left = await withoutMadeHere(findings, commands, { cwd: start, fs });
  if (left.length > 0) return left;
  return linkedAway(commands, { cwd: start, fs });
}

function folderOf({ folder }: CommandFacet, { cwd }: ToolCall): string | undefined {
  if (folder === undefined) return cwd;
  return cwd === undefined ? folder : inFolder(folder, cwd);
}

interface About {
  readonly commands: readonly CommandFacet[];
  readonly call: ToolCall;
  readonly options: ShellGuardOptions;
}

function decide(found: readonly ShellFinding[], about: About): Decision {
  const denied = found.find(({ rule }) => rule.verdict === "deny");
  if (denied !== undefined) return Deny(`${denied.shown}: ${denied.rule.reason} ${denied.rule.suggestion}`);
  const [first] = found;
  if (first === undefined) return Allow();
  const others = [...new Set(found.map(({ shown }) => shown))].filter((shown) => shown !== first.shown);
  const scope = sessionScope(found, about);
  return AskUser({
    prompt: `${first.shown}: ${first.rule.reason} ${first.rule.suggestion}${also(others.length)}`,
    details: {
      judged: first.shown,
      reason: first.rule.reason,
      safer: first.rule.suggestion,
      rule: first.rule.id,
      command: about.commands.map(({ text }) => text).join("\n"),
      ...(others.length === 0 ? {} : { others: others.slice(0, 20) }),
    },
    ...(scope === undefined ? {} : { sessionScope: scope }),
  });
}

function also(count: number): string {
  return count === 0 ? "" : ` (and ${count} more)`;
}

/** Exactly this text in this folder; never for what cannot be taken back. */
function sessionScope(
  found: readonly ShellFinding[],
  { commands, call, options }: About,
): SessionScope | undefined {
  const [only] = commands;
  if (only === undefined || commands.length > 1 || found.some(({ rule }) => rule.onceOnly === true))
    return undefined;
  const folder = folderOf(only, call) ?? "";
  const key = [NAME, only.shell, folder, only.text].join("\n");
  return {
    key: options.hasher?.(key) ?? key,
    label: `exactly this command in ${folder === "" ? "the same folder" : folder} in this session`,
  };
}
