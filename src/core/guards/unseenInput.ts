/**
 * Guard for agents whose typing into a running program no hook sees: a program that would take commands from its keyboard is asked for
 * before it starts. Knows no agent by name.
 */
import type { ReadFacets } from "../call";
import { AskUser } from "../decision";
import type { Hook } from "../hook";
import { isStdin, programName, type SimpleCommand } from "../shell/command";
import { parseShell } from "../shell/parse";
import { effectiveArgv } from "../shell/wrappers";

/** Programs that read commands from their input where they are given none, and the options that give them some. */
const READERS: readonly {
  readonly names: RegExp;
  readonly given: RegExp;
  readonly operands: "script" | "none" | "place";
}[] = [
  {
    names: /^(?:ba|z|da|k|c|tc|fi|a)?sh$|^(?:nu|xonsh|elvish|busybox|pwsh|powershell|cmd)$/,
    given: /^-\w*c|^--command|^[-/]c$|^-(?:file|encodedcommand)/i,
    operands: "script",
  },
  {
    names:
      /^(?:python|pypy|ipython|node|nodejs|deno|bun|ruby|perl|lua|php|r|julia|tclsh|ghci|scala|groovysh|jshell|osascript|swift|racket|guile)[\d.]*$/,
    given: /^-(?:c|e|p|m|f|r|-eval|-print|-version|v|V|-help|h)$|^-[a-z]*[ec]$/,
    operands: "script",
  },
  {
    names: /^(?:irb|pry|iex|gdb|lldb|ed|ex|expect|bc|dc)$/,
    given: /^(?:-(?:c|e|ex|batch|-batch|-eval|-version|-help)|--?s)$/,
    operands: "none",
  },
  {
    names:
      /^(?:psql|mysql|mariadb|sqlcmd|sqlplus|clickhouse-client|cqlsh|duckdb|mongosh|mongo|redis-cli|sqlite3?)$/,
    given: /^-(?:c|e|f|q|l|-command|-execute|-file|-list|-eval|-version|-help|V|cmd)/i,
    operands: "place",
  },
  {
    names: /^(?:screen|tmux|script|su|telnet|ftp|sftp|ncat|nc|netcat|socat)$/,
    given: /^-(?:c|b|z|-command|-version|V)$|^(?:ls|list-\w+|has-session|kill-\w+)$/,
    operands: "none",
  },
];

/** Operands that are the statement or command to run, for programs whose first operand names a place. */
const STATEMENT_AFTER: Readonly<Record<string, number>> = {
  sqlite3: 2,
  sqlite: 2,
  duckdb: 2,
  "redis-cli": 1,
};

export function unseenInput({ facets }: { readonly facets: ReadFacets }): Hook {
  return {
    name: "unseen_input",
    guard: true,
    preToolUse(ctx, toolName, args) {
      if (ctx.call.extra.unseenInput !== true) return undefined;
      const { commands } = facets({ ...ctx.call, toolName }, args);
      for (const { text, shell } of commands) {
        const open = parseShell(text, shell).commands.find(readsKeyboard);
        if (open !== undefined) return ask(open);
      }
      return undefined;
    },
  };
}

function ask(open: SimpleCommand) {
  return AskUser({
    prompt: `Run ${open.raw.trim().slice(0, 120)}: what is then typed into it is seen by nobody.`,
    details: { command: open.raw, suggestion: "give it its commands as arguments or a file" },
  });
}

function readsKeyboard(command: SimpleCommand): boolean {
  const [program, ...rest] = effectiveArgv(command);
  const name = programName(program);
  if (name === null || command.pipedFrom !== undefined || command.heredoc !== undefined) return false;
  if (command.redirects.some(isStdin)) return false;
  if (isOpenedElsewhere(name, rest)) return true;
  const reader = READERS.find(({ names }) => names.test(name));
  if (reader === undefined) return false;
  // An interactive session is one whatever else is given.
  if (reader.operands === "script" && rest.some((word) => word === "-i" || word === "-s" || word === "-"))
    return true;
  if (rest.some((word) => word !== null && reader.given.test(word))) return false;
  const operands = rest.filter((word) => word === null || !word.startsWith("-"));
  if (reader.operands === "none") return true;
  if (reader.operands === "script") return operands.length === 0;
  return operands.length < (STATEMENT_AFTER[name] ?? Number.POSITIVE_INFINITY);
}

/** A login on another machine, or a shell in a container that is opened for typing. */
function isOpenedElsewhere(name: string, rest: readonly (string | null)[]): boolean {
  const typing = rest.some(
    (word) => word !== null && /^-(?:it|ti|i)$|^--interactive$|^--tty$|^-t$/.test(word),
  );
  if (/^(?:docker|podman|nerdctl|kubectl|oc)$/.test(name))
    return typing && /^(?:exec|run|attach)$/.test(rest[0] ?? "");
  if (name === "ssh") return rest.filter((word) => word === null || !word.startsWith("-")).length === 1;
  return name === "sudo" && rest.some((word) => word === "-i" || word === "-s");
}
