/** Finds the SQL that a terminal text gives to a database client. Judges only where nobody can tell which program runs. */
import type { Shell } from "../call";
import { classifySql } from "../sql/classify";
import { takeClientCommands } from "./clientCommands";
import { programName, type SimpleCommand } from "./command";
import { parseShell } from "./parse";
import { SQL_CLIENTS, SQL_TOOLS, type SqlClient } from "./sqlClients";
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

type Argv = readonly (string | null)[];

export function sqlInCommand(text: string, shell: Shell): readonly CommandSql[] {
  const names = CLIENT_NAME.exec(text);
  const parsed = parseShell(text, shell);
  const found = parsed.commands.flatMap((command) => sqlOfCommand(command, text));
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
  `\\b(?:${[...Object.keys(SQL_CLIENTS), ...Object.keys(SQL_TOOLS)].filter((name) => name !== "sql" && name !== "snow").join("|")})\\b`,
);

function hidden(client: string, dialect: string, { text, why }: { text: string; why: string }): CommandSql {
  return { text, client, dialect, dynamic: true, why };
}

function sqlOfCommand(command: SimpleCommand, whole: string): CommandSql[] {
  const argv = effectiveArgv(command);
  const name = programName(argv[0]);
  if (name === null) return sqlForUnknownProgram(argv);
  if (Object.hasOwn(SQL_TOOLS, name)) return sqlOfTool(name, argv);
  const client = Object.hasOwn(SQL_CLIENTS, name) ? SQL_CLIENTS[name] : undefined;
  if (client !== undefined) return sqlOfClient({ name, client, argv, command, whole });
  return argv === command.argv ? [] : sqlBehindWrapper(argv, command, whole);
}

/** An option of the wrapper that is not known here may have swallowed a word: look for the client itself. */
function sqlBehindWrapper(argv: Argv, command: SimpleCommand, whole: string): CommandSql[] {
  const at = argv.findIndex((word) => Object.hasOwn(SQL_CLIENTS, programName(word) ?? ""));
  return at <= 0 ? [] : sqlOfCommand({ ...command, argv: argv.slice(at) }, whole);
}

/** `$X "DROP TABLE t"`: no one can tell what runs, but a destructive statement among the words is one. */
function sqlForUnknownProgram(argv: Argv): CommandSql[] {
  return argv.slice(1).flatMap((word) => {
    if (word === null || !/\s/.test(word)) return [];
    const { verdict, unparseable } = classifySql(word);
    return verdict === "allow" || unparseable ? [] : [{ text: word, client: "unknown", dialect: "unknown" }];
  });
}

function sqlOfTool(name: string, argv: Argv): CommandSql[] {
  const tool = SQL_TOOLS[name];
  const words = argv.slice(1).filter((word) => word === null || !word.startsWith("-"));
  if (tool === undefined || argv.includes("--help") || argv.includes("--version")) return [];
  const at = tool.verb === undefined ? 0 : words.indexOf(tool.verb) + 1;
  if (tool.verb !== undefined && at === 0) return [];
  const target = words.at(tool.verb === undefined ? -1 : at) ?? "x";
  return [
    {
      text: `${tool.sql} "${target.replaceAll('"', "")}"`,
      client: name,
      dialect: tool.dialect === "mysql" ? "unknown" : tool.dialect,
    },
  ];
}

interface ClientCall {
  readonly name: string;
  readonly client: SqlClient;
  readonly argv: Argv;
  readonly command: SimpleCommand;
  readonly whole: string;
}

function sqlOfClient(call: ClientCall): CommandSql[] {
  const { name, client, argv } = call;
  let from = 1;
  for (const verb of client.verbs ?? []) {
    const at = argv.indexOf(verb, from);
    if (at < 0) return [];
    from = at + 1;
  }
  const scan = scanArguments(call, from);
  const why = scan.why;
  if (why !== undefined)
    return [hidden(name, client.dialect, { text: call.command.raw, why }), ...judgeable(call, scan.texts)];
  if (scan.texts.length > 0) return judgeable(call, scan.texts);
  if (!client.readsStdin || scan.quits) return [];
  const stdin = stdinText(call.command);
  if (stdin.kind === "text") return judgeable(call, stdin.texts);
  if (stdin.kind === "absent") return [];
  return [
    hidden(name, client.dialect, {
      text: call.command.raw,
      why: "The SQL comes from a file, a variable or another program and cannot be seen.",
    }),
  ];
}

interface Scan {
  readonly texts: string[];
  why?: string;
  /** Only help or a version is shown. */
  quits: boolean;
}

function scanArguments(call: ClientCall, from: number): Scan {
  const { client, argv } = call;
  const scan: Scan = { texts: [], quits: false };
  let words = 0;
  let optionsOver = false;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at];
    if (word === null || word === undefined) {
      if (!isOneWord(call, at)) scan.why ??= "A variable or substitution among the arguments cannot be seen.";
      else if (client.words === "firstSql" || (client.words === "sql" && words > 0))
        scan.why ??= "The SQL is in a variable or substitution and cannot be seen.";
      words++;
    } else if (word === "--" && !optionsOver) optionsOver = true;
    else if (!optionsOver && word.length > 1 && word.startsWith("-")) at = option(scan, call, at);
    else {
      if (client.meta === "sqlplus" && word.startsWith("@"))
        scan.why ??= "The SQL is in a script file and cannot be seen.";
      if (client.words === "firstSql" || (client.words === "sql" && words > 0)) scan.texts.push(word);
      words++;
    }
  }
  return scan;
}

/** Reads one option; gives the index of the last word it took. */
function option(scan: Scan, { client, argv }: ClientCall, at: number): number {
  const word = argv[at] ?? "";
  if (/^(-\?|--help|--version|-V)$/.test(word)) scan.quits = true;
  const { name, value, takes } = splitOption(word, client);
  const given = value ?? (takes ? argv[at + 1] : undefined);
  const last = value === undefined && takes ? at + 1 : at;
  if (client.sql.includes(name)) {
    if (typeof given === "string") scan.texts.push(given);
    else scan.why ??= "The SQL is in a variable or substitution and cannot be seen.";
  } else if (client.file.includes(name) && given !== "-" && given !== "/dev/stdin") {
    scan.why ??= "The SQL is in a file and cannot be seen.";
  }
  return last;
}

/** `--name=value`, `-name value`, `-nvalue`, and letters run together as in `-Atc value`. */
function splitOption(word: string, client: SqlClient): { name: string; value?: string; takes: boolean } {
  const takesValue = (name: string) =>
    client.sql.includes(name) || client.file.includes(name) || client.valued.includes(name);
  if (takesValue(word)) return { name: word, takes: true };
  const equals = word.indexOf("=");
  if (equals > 0 && takesValue(word.slice(0, equals)))
    return { name: word.slice(0, equals), value: word.slice(equals + 1), takes: false };
  if (word.startsWith("--")) {
    // GNU and MySQL clients accept a shortened long option.
    const short = equals > 0 ? word.slice(0, equals) : word;
    const name =
      short.length < 4 ? undefined : [...client.sql, ...client.file].find((long) => long.startsWith(short));
    if (name === undefined) return { name: word, takes: false };
    return equals > 0 ? { name, value: word.slice(equals + 1), takes: false } : { name, takes: true };
  }
  // Clients whose long options have one dash run no letters together.
  if (client.meta === "dot") return { name: word, takes: false };
  for (let at = 1; at < word.length; at++) {
    const name = `-${word[at]}`;
    if (word[at] === client.swallows) break;
    if (!takesValue(name)) continue;
    return at + 1 < word.length ? { name, value: word.slice(at + 1), takes: false } : { name, takes: true };
  }
  return { name: word, takes: false };
}

/** A quoted expansion is one word; so is a plain variable that this text does not set itself (`psql $DATABASE_URL`). */
function isOneWord({ argv, command, whole }: ClientCall, at: number): boolean {
  const word = command.words[command.words.length - argv.length + at];
  if (word === undefined) return false;
  if (word.startsWith('"') && word.endsWith('"')) return true;
  const name = /^\$\{?(\w+)\}?$/.exec(word)?.[1];
  return (
    name !== undefined &&
    !/^\d|^[@*]$/.test(name) &&
    !new RegExp(`\\b${name}\\b`).test(whole.replaceAll(word, ""))
  );
}

function judgeable(call: ClientCall, texts: readonly string[]): CommandSql[] {
  const { name, client, argv } = call;
  return texts.flatMap((text): CommandSql[] => {
    const { sql, acting } = takeClientCommands(text, client);
    const out: CommandSql[] = [];
    if (acting !== undefined) {
      out.push(
        hidden(name, client.dialect, {
          text: acting,
          why: "A command of the client itself may run a program or read a file.",
        }),
      );
    } else if (sql.trim() !== "") out.push({ text: sql, client: name, dialect: client.dialect });
    const variable = usesVariable(sql, argv);
    if (variable)
      out.push(hidden(name, client.dialect, { text, why: "A variable of the client is put into the SQL." }));
    return out;
  });
}

/** psql's `-v x=..` replaces `:x`, `:'x'` and `:"x"`. */
function usesVariable(sql: string, argv: Argv): boolean {
  return argv.some((word, at) => {
    const option = argv[at - 1];
    const pair =
      word !== null && /^(-v|--set|--variable)$/.test(option ?? "")
        ? word
        : (/^(?:-v|--set=|--variable=)(.+)$/.exec(word ?? "")?.[1] ?? "");
    const name = /^(\w+)=/.exec(pair)?.[1];
    return name !== undefined && new RegExp(`(?<!:):['"]?${name}\\b`).test(sql);
  });
}
