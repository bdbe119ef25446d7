/** Tells what the arguments of a call mean (files, commands, SQL) by the tables of tool names. Judges nothing. */
import {
  type Args,
  type CommandFacet,
  type Facets,
  isPlainObject,
  type PathFacet,
  type ReadFacets,
  type Shell,
  type ToolCall,
} from "../core/call";
import { serverToolNames } from "../core/mcpNames";
import { commandPathFacets } from "./commandFacets";
import { commandText } from "./commandText";
import { destroyFacets } from "./destroys";
import { guessedCommands } from "./guessedCommands";
import { moreFacets } from "./moreFacets";
import { globFacets, patchFacets, pathFacets } from "./pathFacets";
import { rememberFacets } from "./rememberFacets";
import { guessedSql, sqlFacets } from "./sqlFacets";
import { taskFacets } from "./taskFacets";
import { COMMAND_ARGS, OWN_TOOLS, READ_WORDS, TOOLS, type ToolRow, WRITE_WORDS, wordsOf } from "./toolTables";
import { unnamedCommands, unnamedPaths, unnamedSql, valuesInARow } from "./unnamedFacets";

export interface ReadFacetsOptions {
  /** Tool name to the arguments that hold files; adds to the tables, takes nothing away. These are judged as the governed import tools are. */
  readonly extraPathTools?: Readonly<Record<string, string | readonly string[]>>;
  /** Tool name to the arguments that hold SQL; adds to the tables, takes nothing away. */
  readonly extraSqlTools?: Readonly<Record<string, string | readonly string[]>>;
  /** The shell of terminal tools where the call itself does not say; default bash. */
  readonly defaultShell?: Shell;
}

const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "zsh", "pwsh", "powershell", "cmd"]);
/** Tools whose name says the shell. */
const NAMED_SHELLS: Readonly<Record<string, Shell>> = { PowerShell: "pwsh", powershell: "powershell" };

type Named = Pick<ToolCall, "toolName" | "canonicalName" | "extra">;

export function createReadFacets(options: ReadFacetsOptions = {}): ReadFacets {
  return rememberFacets((call, args) => {
    const row = rowOf(call);
    const shell = shellOf(call, options);
    const read =
      row === undefined
        ? guessed(call, args, shell)
        : isPrefixedOwn(call)
          ? both(byRow(row, args, shell), guessed(call, args, shell))
          : byRow(row, args, shell);
    const base = moreFacets({ toolName: call.toolName, known: row !== undefined, shell }, args, read);
    const mapped = (map: ReadFacetsOptions["extraPathTools"]) =>
      namesOf(call).flatMap((name) => (map && Object.hasOwn(map, name) ? (map[name] ?? []) : []));
    const pathArgs = new Set(mapped(options.extraPathTools));
    const sqlArgs = new Set(mapped(options.extraSqlTools));
    const extraPaths = pathFacets(args, {
      names: pathArgs,
      access: "write",
      strict: true,
      loose: false,
    }).filter(({ arg, path }) => !base.paths.some((f) => f.strict && f.arg === arg && f.path === path));
    // A person has named the tool: what it is given is judged under whatever name it comes.
    const unnamed =
      pathArgs.size > 0 && (valuesInARow(args) !== undefined || base.paths.length + extraPaths.length === 0)
        ? unnamedPaths(args, { access: "write", strict: true })
        : [];
    const named = [...sqlArgs].filter((arg) => !base.sql.some((f) => f.arg === arg));
    const sql = named.flatMap((arg) => sqlFacets(args, arg));
    const first = row?.sql === undefined ? named[0] : undefined;
    return {
      ...base,
      paths: [...base.paths, ...extraPaths, ...unnamed],
      sql: [
        ...base.sql,
        ...sql,
        ...(first === undefined || sql.length > 0 ? [] : without(base.sql, unnamedSql(args, first))),
      ],
    };
  });
}

/** All that a person may have called the tool in a mapping. */
const namesOf = ({ toolName, canonicalName }: Named): readonly string[] => [
  ...new Set([toolName, canonicalName, ...serverToolNames(toolName)]),
];

/** The tables as shipped. */
export const readFacets: ReadFacets = createReadFacets();

/** Bash, Read, Write, Edit, Glob, Grep, WebFetch, Task, `mcp__<server>__<tool>`, else the name as it is. */
export function canonicalName(toolName: string): string {
  if (toolName.startsWith("mcp__")) return toolName;
  const [shortest] = serverToolNames(toolName);
  if (shortest !== undefined) return shortest;
  return (Object.hasOwn(TOOLS, toolName) ? TOOLS[toolName]?.canonical : undefined) ?? toolName;
}

/** A tool with one of our names behind a server's: it may be ours, or anybody's. */
function isPrefixedOwn({ toolName }: Named): boolean {
  return /^mcp_/.test(toolName) && OWN_TOOLS.some((name) => toolName.endsWith(`_${name}`));
}

function both(known: Facets, guess: Facets): Facets {
  const isNew = ({ arg }: { readonly arg: string }, among: readonly { readonly arg: string }[]): boolean =>
    among.every((one) => one.arg !== arg);
  return {
    paths: [...known.paths, ...guess.paths.filter((one) => isNew(one, known.paths))],
    commands: guess.commands,
    sql: [...known.sql, ...guess.sql.filter((one) => isNew(one, known.sql))],
    effect: "unknown",
  };
}

/** Whether a call of it without any argument can only be one that lost them. */
export function needsArguments(toolName: string): boolean {
  const row = rowOf({ toolName, canonicalName: canonicalName(toolName), extra: {} });
  if (row === undefined) return false;
  const file = row.access !== undefined && (row.access === "write" || row.canonical !== undefined);
  return file || row.strict === true || (row.commands ?? row.sql ?? row.patch) !== undefined;
}

/** Undefined = no tool of the tables. */
export function rowOf(call: Named): ToolRow | undefined {
  const own = OWN_TOOLS.find(
    (name) => call.toolName === name || (/^mcp_/.test(call.toolName) && call.toolName.endsWith(`_${name}`)),
  );
  if (own !== undefined) return TOOLS[own];
  for (const name of [call.toolName, call.canonicalName]) if (Object.hasOwn(TOOLS, name)) return TOOLS[name];
  return undefined;
}

function shellOf(call: Named, options: ReadFacetsOptions): Shell {
  const said = call.extra.shell;
  if (typeof said === "string" && SHELLS.has(said)) return said as Shell;
  const named = Object.hasOwn(NAMED_SHELLS, call.toolName) ? NAMED_SHELLS[call.toolName] : undefined;
  if (named !== undefined) return named;
  // An imagined machine brings its own default.
  const { world } = call.extra;
  if (isPlainObject(world)) return world.os === "win32" ? "pwsh" : "bash";
  return options.defaultShell ?? "bash";
}

/** What was found already is judged once. */
const without = (known: Facets["sql"], found: Facets["sql"]): Facets["sql"] =>
  found.filter(({ text }) => !known.some((one) => one.text === text));

/** By the tables; where they find nothing although the tool needs it, every value counts. */
function byRow(row: ToolRow, args: Args, shell: Shell): Facets {
  const named = byNames(row, args, shell);
  const inARow = valuesInARow(args) !== undefined;
  const commands =
    isShell(row) && (inARow || named.commands.length === 0) ? unnamedCommands(args, shell) : [];
  const found = commandPathFacets(commands);
  const { access, strict = false } = row;
  const paths =
    access !== undefined && (inARow || (needsFile(row) && named.paths.length === 0))
      ? unnamedPaths(args, { access, strict })
      : [];
  return {
    paths: [...named.paths, ...paths, ...found.paths],
    commands: [...named.commands, ...commands],
    sql: [...named.sql, ...found.sql],
    effect: named.effect,
  };
}

const isShell = (row: ToolRow): boolean => row.canonical === "Bash";

/** Searches, patches and addresses do without a file of their own. */
const needsFile = (row: ToolRow): boolean =>
  row.patch === undefined && !["Glob", "Grep", "WebFetch"].includes(row.canonical ?? "");

/** A value that is bound to a place in the SQL is never run. */
const BOUND = new Set(["params", "parameters", "bindings", "bind"]);

/** The SQL of a database's tool: its own argument, and what any database's tool would be judged for. */
function sqlOf(row: ToolRow, args: Args): Facets["sql"] {
  const [name] = row.sql ?? [];
  if (name === undefined) return [];
  const own = (row.sql ?? []).flatMap((arg) => sqlFacets(args, arg));
  const others = Object.entries(args).filter(
    ([arg]) => row.sql?.includes(arg) !== true && !(own.length > 0 && BOUND.has(arg)),
  );
  const found = guessedSql("", Object.fromEntries(others), "database");
  return [...own, ...without(own, found), ...without([...own, ...found], unnamedSql(args, name))];
}

function byNames(row: ToolRow, args: Args, shell: Shell): Facets {
  const paths: PathFacet[] = [];
  if (row.access !== undefined)
    paths.push(
      ...pathFacets(args, { names: "table", access: row.access, strict: row.strict === true, loose: false }),
    );
  for (const arg of row.globs ?? []) paths.push(...globFacets(args, arg));
  if (row.patch) paths.push(...patchFacets(args, paths.length > 0));
  const named = row.folder
    ?.map((arg) => args[arg])
    .find((value) => typeof value === "string" && value !== "");
  const folder = typeof named === "string" ? { folder: named } : {};
  const names = row.commands === undefined ? [] : new Set([...row.commands, ...COMMAND_ARGS]);
  const commands = [...names].flatMap((arg) => commandFacets(args, arg, shell));
  const task = row === TOOLS.create_and_run_task ? taskFacets(args, shell) : [];
  const all = [...commands, ...task].map((facet) => ({ ...facet, ...folder }));
  const found = commandPathFacets(all);
  return {
    paths: [...paths, ...found.paths],
    commands: all,
    sql: [...sqlOf(row, args), ...found.sql],
    effect: row.effect ?? "unknown",
  };
}

/** Tools of MCP servers and other extensions: told by the names of their arguments. */
function guessed(call: Named, args: Args, shell: Shell): Facets {
  const access = accessByName(call.toolName);
  const paths = pathFacets(args, { names: "table", access, strict: false, loose: true });
  const commands = guessedCommands(call.toolName, args, shell);
  const found = commandPathFacets(commands);
  const sql = guessedSql(call.toolName, args);
  const { mcpTool } = call.extra;
  const destructive = isPlainObject(mcpTool) && mcpTool.destructive === true;
  const destroys = destroyFacets(call.toolName, args, { destructive });
  return {
    paths: [...paths, ...found.paths],
    commands,
    sql: [...sql, ...found.sql],
    ...(destroys.length === 0 ? {} : { destroys }),
    effect: "unknown",
  };
}

/** "write" unless the tool's own name says that it reads. */
function accessByName(toolName: string): "read" | "write" {
  const words = wordsOf(toolName);
  if (words.some((word) => WRITE_WORDS.has(word))) return "write";
  return words.some((word) => READ_WORDS.has(word)) ? "read" : "write";
}

function commandFacets(args: Args, arg: string, shell: Shell): readonly CommandFacet[] {
  return commandText(args, arg).map((text) => ({ arg, text, shell }));
}
