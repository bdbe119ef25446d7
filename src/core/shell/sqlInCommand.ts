/** Finds the SQL that a terminal text gives to a database client. Judges only where nobody can tell which program runs. */
import type { Shell } from "../call";
import { type Argv, assignedNames, type Names } from "./clientArguments";
import { programName, type SimpleCommand } from "./command";
import { type CommandSql, hidden, isDangerous } from "./commandSql";
import { findDatabaseTool, isDatabaseTool } from "./databaseTools";
import { parseShell } from "./parse";
import { rememberLast } from "./rememberLast";
import type { SqlClient } from "./sqlClient";
import { SQL_CLIENTS } from "./sqlClients";
import { INTERPRETERS } from "./sqlInCode";
import { behindVerbs, sqlOfClient } from "./sqlOfClient";
import { sqlOfTool, toolInImage } from "./sqlOfTool";
import { sqlOfWebClient, WEB_CLIENTS } from "./sqlOverHttp";
import {
  PROSE_OPTION,
  plainStatements,
  sqlForUnknownProgram,
  sqlOfCode,
  TEXT_TOOLS,
} from "./unknownPrograms";
import { type Values, valuesIn } from "./variables";
import { effectiveArgv } from "./wrappers";

export type { CommandSql } from "./commandSql";

/** The text that is read and the names that it gives to programs itself. */
interface Whole {
  readonly assigned: Names;
  readonly aliases: ReadonlySet<string>;
  readonly values: Values;
  /** Programs that run programs, counted from the outside. */
  readonly depth: number;
}

const MAX_DEPTH = 8;
/** Commands that are judged of a text that was not read through: it is asked about all the same. */
const MAX_OF_CUT = 200;
/** Of a text that could not be read, in UTF-16 units. */
const MOST_SHOWN = 2000;

export const sqlInCommand = rememberLast(readCommand);

function readCommand(text: string, shell: Shell): readonly CommandSql[] {
  const names = CLIENT_NAME.exec(text);
  const parsed = parseShell(text, shell);
  const shown = text.slice(0, MOST_SHOWN);
  const whole: Whole = {
    assigned: assignedNames(text),
    aliases: new Set(parsed.commands.flatMap(aliasNames)),
    values: valuesIn(parsed.commands),
    depth: 0,
  };
  const read = parsed.ok || !parsed.cut ? parsed.commands : parsed.commands.slice(0, MAX_OF_CUT);
  const found = read.flatMap((command) => sqlOfCommand(command, whole));
  if (!parsed.ok && names !== null) {
    const why = "The command cannot be read as a whole, and it names a database client.";
    found.push(hidden(names[0], "unknown", { text: shown, why }));
  } else if (!parsed.ok && parsed.cut) {
    // A name may be put together from pieces.
    const why = "The command is too long or too deeply nested to be read through, and may hide SQL.";
    found.push(hidden("unknown", "unknown", { text: shown, why }));
  }
  const seen = new Set<string>();
  return found.filter((one) => {
    const key = `${one.client}\n${one.dynamic ?? ""}\n${one.text}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/** Much more than database clients: named in a text they say nothing. */
const MANY_SIDED =
  /^(?:sql|snow|aws|gcloud|wp|drush|rails|python3?|manage\.py|fly|flyctl|railway|supabase|datasette|heroku|wrangler|prisma|influx)$/;

const CLIENT_NAME = new RegExp(
  `\\b(?:${Object.keys(SQL_CLIENTS)
    .filter((name) => !MANY_SIDED.test(name))
    .join("|")}|dropdb|dropuser|mysqladmin)\\b`,
);

/** These only name programs, or print and store what they are given. */
const MENTIONS = new Set(
  (
    "echo printf grep egrep fgrep rg ag ack sed awk git gh glab man which whereis type command tldr cat ls test [ logger " +
    "jq write-output write-host apt apt-get brew pip pip3 alias"
  ).split(" "),
);

/** These run a package by name; an option of theirs may take a word, so the first name that is known counts. */
const PACKAGE_RUNNERS = new Set("npx bunx uvx pnpm yarn npm bun".split(" "));

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
  const image = argv === command.argv ? [] : toolInImage(command);
  if (image.length > 0) return image;
  if (name === null || /[*?[]/.test(name) || whole.aliases.has(name))
    return sqlForUnknownProgram(argv, command);
  const tool = sqlOfTool({ name, argv, command, values: whole.values });
  if (tool !== undefined) return tool;
  if (WEB_CLIENTS.test(name)) return sqlOfWebClient(name, argv, command);
  // `for %f in (..) do psql`: a word of cmd's own.
  if (name === "do" || name === "else") return sqlOfInner({ ...command, argv: argv.slice(1) }, whole);
  const client = clientOf(name);
  const from = client === undefined ? -1 : behindVerbs(client, argv);
  if (client !== undefined && from > 0) {
    const found = sqlOfClient({ name, client, argv, command, assigned: whole.assigned }, from);
    // Behind `--` stand the options of yet another client.
    return found.length > 0 || !INTERPRETERS.test(name) ? found : plainStatements(name, argv, command);
  }
  if (client !== undefined && !INTERPRETERS.test(name))
    return [
      ...sqlForUnknownProgram(argv, command),
      ...sqlBehindProgram(argv, command, whole),
      ...sqlInWords(argv, command, whole),
    ];
  if (PACKAGE_RUNNERS.has(name)) {
    const packaged = sqlOfPackage(argv, command, whole);
    if (packaged.length > 0) return packaged;
    const code = INTERPRETERS.test(name) ? sqlOfProgramText(argv, command, whole) : [];
    return [...code, ...sqlInWords(argv, command, whole)];
  }
  if (MENTIONS.has(name)) return [];
  const behind = sqlBehindProgram(argv, command, whole);
  // `cargo run`, `go run`: the program that runs is the project's own.
  if (behind.length > 0 || (TEXT_TOOLS.has(name) && argv[1] !== "run")) return behind;
  return [
    ...plainStatements(name, argv, command),
    ...sqlOfProgramText(argv, command, whole),
    ...sqlInWords(argv, command, whole),
  ];
}

function sqlOfProgramText(argv: Argv, command: SimpleCommand, whole: Whole): CommandSql[] {
  const { sql, shell } = sqlOfCode(programName(argv[0]) ?? "", argv, command);
  return [
    ...sql,
    ...shell.flatMap((text) =>
      sqlInShellText(text, whole).filter((one) => one.dynamic || isPlainlyDangerous(one)),
    ),
  ];
}

const MAX_WORDS = 20;
/** UTF-16 units; a longer word is a document. */
const LONGEST_WORD = 4000;

/** A word of a program that is not known here may be a shell text (`nodemon --exec '..'`); only what is plainly dangerous counts. */
function sqlInWords(argv: Argv, command: SimpleCommand, whole: Whole): CommandSql[] {
  const name = programName(argv[0]) ?? "";
  if (
    (INTERPRETERS.test(name) && !PACKAGE_RUNNERS.has(name)) ||
    command.raw.length > LONGEST_WORD * MAX_WORDS
  )
    return [];
  return argv
    .slice(1)
    .flatMap((word, at) => (word === null || PROSE_OPTION.test(argv[at] ?? "") ? [] : word))
    .filter((word) => /\s/.test(word) && word.length < LONGEST_WORD && !PROSE_OPTION.test(word))
    .slice(0, MAX_WORDS)
    .flatMap((word) => sqlInShellText(word.replace(/^--?[\w-]+=/, ""), whole))
    .filter(isPlainlyDangerous);
}

function sqlInShellText(text: string, whole: Whole): CommandSql[] {
  return parseShell(text, "sh")
    .commands.flatMap((command) => sqlOfInner(command, whole))
    .filter(isKnown);
}

/** What a program nobody knows is given inside a word may be anything. */
function isKnown({ acts, client }: CommandSql): boolean {
  return (
    acts === true || clientOf(client) !== undefined || INTERPRETERS.test(client) || isDatabaseTool(client)
  );
}

function isPlainlyDangerous(one: CommandSql): boolean {
  return one.acts === true || (one.dynamic === undefined && isDangerous(one.text));
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
  let candidates = 0;
  const at = argv.findIndex((word, index) => {
    const name = index === 0 ? null : programName(word);
    if (name === null) return false;
    if (clientOf(name) !== undefined) return true;
    return isDatabaseTool(name) && ++candidates <= MAX_CANDIDATES && isDestructiveTool(name, argv, index);
  });
  if (at <= 0) return [];
  const found = sqlOfInner({ ...command, argv: argv.slice(at) }, whole);
  return argv === command.argv ? found.filter(isPlainlyDangerous) : found;
}

/** More names of tools than these in one command are not looked at: nobody writes so. */
const MAX_CANDIDATES = 32;

function isDestructiveTool(name: string, argv: Argv, at: number): boolean {
  return (
    findDatabaseTool(
      name,
      argv.slice(at + 1).map((one) => one ?? "x"),
    ) !== undefined
  );
}
