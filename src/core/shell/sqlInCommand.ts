/** Finds the SQL that a terminal text gives to a database client. Judges only where nobody can tell which program runs. */
import type { Shell } from "../call";
import { classifySql } from "../sql/classify";
import { type Argv, assignedNames, type ClientCall, readArguments } from "./clientArguments";
import { takeClientCommands } from "./clientCommands";
import { programName, type SimpleCommand } from "./command";
import { findDatabaseTool } from "./databaseTools";
import { parseShell } from "./parse";
import { SQL_CLIENTS, type SqlClient } from "./sqlClients";
import { stdinText } from "./stdin";
import { effectiveArgv } from "./wrappers";

export interface CommandSql {
  readonly text: string;
  /** Program name without folder and ending. */
  readonly client: string;
  /** A dialect's name, or "unknown". */
  readonly dialect: string;
  /** Set when the SQL, or part of it, cannot be seen; `text` is then what can be shown instead. */
  readonly dynamic?: true;
  /** What hides it, one sentence. */
  readonly why?: string;
}

/** The text that is read and the names that it gives to programs itself. */
interface Whole {
  readonly assigned: ReadonlySet<string>;
  readonly aliases: ReadonlySet<string>;
  /** Programs that run programs, counted from the outside. */
  readonly depth: number;
}

const MAX_DEPTH = 8;

export function sqlInCommand(text: string, shell: Shell): readonly CommandSql[] {
  const names = CLIENT_NAME.exec(text);
  const parsed = parseShell(text, shell);
  const whole: Whole = {
    assigned: assignedNames(text),
    aliases: new Set(parsed.commands.flatMap(aliasNames)),
    depth: 0,
  };
  const found = parsed.commands.flatMap((command) => sqlOfCommand(command, whole));
  if (!parsed.ok && names !== null) {
    found.push(
      hidden(names[0], "unknown", {
        text,
        why: "The command cannot be read as a whole, and it names a database client.",
      }),
    );
  }
  const seen = new Set<string>();
  return found.filter((one) => {
    const key = `${one.client}\n${one.dynamic ?? ""}\n${one.text}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

const CLIENT_NAME = new RegExp(
  `\\b(?:${Object.keys(SQL_CLIENTS)
    .filter((name) => !["sql", "snow", "aws", "gcloud"].includes(name))
    .join("|")}|dropdb|dropuser|mysqladmin)\\b`,
);

/** These only name programs, or print and store what they are given. */
const MENTIONS = new Set(
  (
    "echo printf grep egrep fgrep rg ag ack sed awk git gh glab man which whereis type command tldr cat ls test [ logger " +
    "curl jq write-output write-host apt apt-get brew pip pip3 alias"
  ).split(" "),
);

/** These run a package by name; an option of theirs may take a word, so the first name that is known counts. */
const PACKAGE_RUNNERS = new Set("npx bunx uvx pnpm yarn npm bun".split(" "));

function hidden(client: string, dialect: string, { text, why }: { text: string; why: string }): CommandSql {
  return { text, client, dialect, dynamic: true, why };
}

/** `alias p=psql` makes `p` a program that nobody can tell. */
function aliasNames(command: SimpleCommand): readonly string[] {
  if (command.argv[0] !== "alias") return [];
  return command.argv.slice(1).flatMap((word) => /^([\w.-]+)=/.exec(word ?? "")?.[1] ?? []);
}

function sqlOfInner(command: SimpleCommand, whole: Whole): CommandSql[] {
  if (whole.depth < MAX_DEPTH) return sqlOfCommand(command, { ...whole, depth: whole.depth + 1 });
  const why = "Too many programs run one another to be read, and a database client may be among them.";
  return [hidden("unknown", "unknown", { text: command.raw, why })];
}

function sqlOfCommand(command: SimpleCommand, whole: Whole): CommandSql[] {
  const argv = effectiveArgv(command);
  const name = programName(argv[0]);
  // A pattern is expanded by the shell; what it names is not known here.
  if (name === null || /[*?[]/.test(name) || whole.aliases.has(name))
    return sqlForUnknownProgram(argv, command);
  const tool = sqlOfTool(name, argv, command);
  if (tool !== undefined) return tool;
  const client = clientOf(name);
  const from = client === undefined ? -1 : behindVerbs(client, argv);
  if (client !== undefined && from > 0)
    return sqlOfClient({ name, client, argv, command, assigned: whole.assigned }, from);
  if (client !== undefined)
    return [...sqlForUnknownProgram(argv, command), ...sqlBehindProgram(argv, command, whole)];
  if (PACKAGE_RUNNERS.has(name)) return sqlOfPackage(argv, command, whole);
  return MENTIONS.has(name) ? [] : sqlBehindProgram(argv, command, whole);
}

function sqlOfPackage(argv: Argv, command: SimpleCommand, whole: Whole): CommandSql[] {
  const at = argv.findIndex((word, index) => index > 0 && !/^(?:-.*|exec|dlx|run|x)$/.test(word ?? ""));
  if (at < 0 || /^(?:i|install|add|remove|uninstall|info|view|why|ls|list)$/.test(argv[at] ?? "")) return [];
  const program = argv[at]?.replace(/(?<=.)@[\w.^~-]+$/, "") ?? null;
  return sqlOfInner({ ...command, argv: [program, ...argv.slice(at + 1)] }, whole);
}

/** `psql-16` and `mysql8.0` are known too. */
function clientOf(name: string | null): SqlClient | undefined {
  for (const key of [name ?? "", (name ?? "").replace(/[-_.]?\d[\d.]*$/, "")])
    if (Object.hasOwn(SQL_CLIENTS, key)) return SQL_CLIENTS[key];
  return undefined;
}

/** A program that is not known here may run the client that is named behind it; only what is plainly dangerous counts. */
function sqlBehindProgram(argv: Argv, command: SimpleCommand, whole: Whole): CommandSql[] {
  const at = argv.findIndex((word, index) => index > 0 && clientOf(programName(word)) !== undefined);
  if (at <= 0) return [];
  const found = sqlOfInner({ ...command, argv: argv.slice(at) }, whole);
  return argv === command.argv
    ? found.filter((one) => one.dynamic === undefined && isDangerous(one.text))
    : found;
}

function isDangerous(text: string): boolean {
  const { verdict, unparseable } = classifySql(text);
  return verdict !== "allow" && !unparseable;
}

/** `$X "DROP TABLE t"`: no one can tell what runs, but a destructive statement among the words is one. */
function sqlForUnknownProgram(argv: Argv, command: SimpleCommand): CommandSql[] {
  const words = argv.slice(1).flatMap((word) => word?.replace(/^(?:--[\w-]+=|-[A-Za-z](?=[A-Z]))/, "") ?? []);
  const stdin = stdinText(command);
  const texts = [...words, ...(stdin.kind === "text" ? stdin.texts : [])];
  return texts
    .filter((text) => /\s/.test(text) && isDangerous(text))
    .map((text) => ({ text, client: "unknown", dialect: "unknown" }));
}

function sqlOfTool(name: string, argv: Argv, command: SimpleCommand): CommandSql[] | undefined {
  const words = argv.slice(1).map((word) => word ?? "x");
  const tool = findDatabaseTool(name, words);
  if (tool === undefined || words.includes("--help") || words.includes("--version")) return undefined;
  if ("why" in tool.does) return [hidden(name, tool.dialect, { text: command.raw, why: tool.does.why })];
  const target = words.filter((word) => !word.startsWith("-")).at(-1) ?? "x";
  const text = tool.does.sql.replace("%", () => target.replaceAll('"', ""));
  return [{ text, client: name, dialect: tool.dialect }];
}

/** Index behind the words that make the program a client; 0 = they are missing. */
function behindVerbs(client: SqlClient, argv: Argv): number {
  let from = 1;
  for (const verb of client.verbs ?? []) {
    const at = argv.indexOf(verb, from);
    if (at < 0) return 0;
    from = at + 1;
  }
  return from;
}

function sqlOfClient(call: ClientCall, from: number): CommandSql[] {
  const { name, client } = call;
  const { texts, why, stdin } = readArguments(call, from);
  const out: CommandSql[] = [];
  if (why !== undefined) out.push(hidden(name, client.dialect, { text: call.command.raw, why }));
  out.push(...judgeable(call, texts));
  if (stdin === "forced" || (client.readsStdin && stdin === "read")) out.push(...fromStdin(call));
  return out;
}

function fromStdin(call: ClientCall): CommandSql[] {
  const stdin = stdinText(call.command);
  if (stdin.kind === "text") return judgeable(call, stdin.texts);
  if (stdin.kind === "absent") return [];
  const why = "The SQL comes from a file, a variable or another program and cannot be seen.";
  return [hidden(call.name, call.client.dialect, { text: call.command.raw, why })];
}

/** In these a backslash can be half of a character, so that a quote ends elsewhere. */
const WIDE_CHARSET =
  /\b(?:gbk|gb2312|gb18030|big5|sjis|shift_?jis|cp932|cp949|euc_?[a-z]{2}\w*|uhc|johab)\b/i;

/** More texts than these are not read one by one. */
const MAX_TEXTS = 200;

function judgeable(call: ClientCall, texts: readonly string[]): CommandSql[] {
  const { name, client, command } = call;
  const hide = (text: string, why: string) => hidden(name, client.dialect, { text, why });
  if (texts.length > MAX_TEXTS) return [hide(command.raw, "There are too many SQL texts to be read.")];
  const settings = settingsOf(call, texts);
  return texts.flatMap((text): CommandSql[] => {
    const { sql, acting } = takeClientCommands(text, client);
    const out: CommandSql[] = [];
    if (acting !== undefined)
      out.push(hide(acting, "A command of the client itself may run a program or read a file."));
    else if (sql.trim() !== "") out.push({ text: sql, client: name, dialect: client.dialect });
    if (settings.variables?.test(sql)) out.push(hide(text, "A variable of the client is put into the SQL."));
    if (settings.wide && sql.includes("\\"))
      out.push(hide(text, "In this character set quotes may end elsewhere than they seem to."));
    return out;
  });
}

interface Settings {
  /** Finds a use of a variable that the command sets. */
  readonly variables: RegExp | null;
  readonly wide: boolean;
}

/** psql's `-v x=..` replaces `:x`, `:'x'` and `:"x"`; other clients have `&x`, `${x}` and `<% x %>`. */
function settingsOf({ argv, command }: ClientCall, texts: readonly string[]): Settings {
  const sql = new Set(texts);
  const values = [...argv, ...command.assignments.map(({ value }) => value)];
  const names = argv.flatMap((word, at) => {
    const pair =
      word !== null && /^(-v|-D|--set|--variable|--hivevar|--hiveconf)$/.test(argv[at - 1] ?? "")
        ? word
        : (/^(?:-v|-D|--set=|--variable=)(.+)$/s.exec(word ?? "")?.[1] ?? "");
    return /^(\w+)=/.exec(pair)?.[1] ?? [];
  });
  const any = [...new Set(names)].join("|");
  return {
    variables: any === "" ? null : new RegExp(`(?:(?<!:):['"]?|&\\{?|\\$[{(]|<%\\s*)(?:${any})\\b`),
    wide: values.some((word) => word !== null && !sql.has(word) && WIDE_CHARSET.test(word)),
  };
}
