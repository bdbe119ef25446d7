/** Reads a database client's arguments: which of them are SQL, and whether more SQL comes from elsewhere. Judges nothing. */
import type { SimpleCommand } from "./command";
import type { SqlClient } from "./sqlClient";

export type Argv = readonly (string | null)[];

export interface ClientCall {
  readonly name: string;
  readonly client: SqlClient;
  readonly argv: Argv;
  readonly command: SimpleCommand;
  /** Names that the text around the command may give a value. */
  readonly assigned: Names;
}

export interface ClientArguments {
  readonly texts: string[];
  /** What hides SQL, one sentence; absent = all of it can be seen. */
  why?: string;
  /** Standard input is read: by default, or because an option says so. */
  stdin: "read" | "not read" | "forced";
}

export function readArguments(call: ClientCall, from: number): ClientArguments {
  const { client, argv } = call;
  const found: ClientArguments = { texts: [], stdin: "read" };
  let words = 0;
  let optionsOver = false;
  const isSql = () => client.words === "firstSql" || (client.words === "sql" && words > 0);
  for (let at = from; at < argv.length; at++) {
    const word = argv[at];
    if (word === null || word === undefined) {
      if (!isPlainWord(call, at))
        found.why ??= "A variable or substitution among the arguments cannot be seen.";
      else if (isSql()) found.why ??= "The SQL is in a variable or substitution and cannot be seen.";
      words++;
    } else if (word === "--" && !optionsOver) optionsOver = true;
    else if (!optionsOver && isOption(word, client)) at = option(found, call, at);
    else {
      if (client.meta === "sqlplus" && word.startsWith("@"))
        found.why ??= "The SQL is in a script file and cannot be seen.";
      if (isSql()) {
        found.texts.push(word);
        stop(found);
      }
      words++;
    }
  }
  return found;
}

/** Microsoft's clients take `/Q` for `-Q`. */
function isOption(word: string, client: SqlClient): boolean {
  return (word.length > 1 && word.startsWith("-")) || (client.meta === "sqlcmd" && /^\/[A-Za-z]/.test(word));
}

function stop(found: ClientArguments): void {
  if (found.stdin === "read") found.stdin = "not read";
}

/** Reads one option; gives the index of the last word it took. */
function option(found: ClientArguments, { client, argv, name: program }: ClientCall, at: number): number {
  let word = argv[at] ?? "";
  if (word.startsWith("/")) word = `-${word.slice(1)}`;
  // PowerShell's parameters are of any case.
  if (program.startsWith("invoke-")) word = word.toLowerCase();
  if (/^(-\?|--help|--version)$/.test(word) || (word === "-V" && !client.valued.includes("-V"))) stop(found);
  const { name, value, takes } = splitOption(word, client);
  const given = value ?? (takes ? argv[at + 1] : undefined);
  const last = value === undefined && takes ? at + 1 : at;
  if (client.sql.includes(name)) {
    if (typeof given === "string") found.texts.push(given);
    else found.why ??= "The SQL is in a variable or substitution and cannot be seen.";
    if (!client.startup.includes(name)) stop(found);
  } else if (client.file.includes(name)) {
    if (given === "-" || given === "/dev/stdin") found.stdin = "forced";
    else found.why ??= "The SQL is in a file and cannot be seen.";
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

/** `$NAME`, `${NAME}`, `${NAME:-text}` at the start of a word. */
const VARIABLE = /^\$(?:(\w+)|\{(\w+)(?::?-[\w/.+~:][^}$]*)?\})/;

/**
 * True for an expansion that is one word and no option: it begins as plain text, or it is one variable that this
 * text does not set itself (`psql "$DATABASE_URL"`), or what a program that prints no options of its own gives.
 */
function isPlainWord({ argv, client, command, assigned }: ClientCall, at: number): boolean {
  const whole = command.words[command.words.length - argv.length + at];
  if (whole === undefined) return false;
  const word = behindOption(whole, client);
  const bare = word.replace(/^"([\s\S]*)"$/, "$1");
  const quoted = bare !== word;
  if (/\$\{?[@*]|\[@\]/.test(bare)) return false;
  if (quoted && /^[\w/.+~:]/.test(bare)) return true;
  if (quoted && /^\$\((?!\s*(?:echo|printf|base64|xxd|rev|tr)\b)/.test(bare)) return true;
  const found = VARIABLE.exec(bare);
  const name = found?.[1] ?? found?.[2];
  if (found === null || name === undefined || /^\d/.test(name)) return false;
  return (quoted || found[0] === bare) && !assigned.has(name);
}

/** `-p$PASSWORD`, `--host=$HOST`: the value of an option that takes no SQL. */
function behindOption(word: string, client: SqlClient): string {
  const [option = "", name = ""] = /^(--?[\w-]+?)=?(?=["$])/.exec(word) ?? [];
  const takes = option.startsWith("--")
    ? option.endsWith("=") && ![...client.sql, ...client.file].some((long) => long.startsWith(name))
    : option === `-${client.swallows}` || client.valued.includes(option);
  return takes ? word.slice(option.length) : word;
}

export interface Names {
  has(name: string): boolean;
}

/** Names that stand in the text without a `$`: whatever gives a variable its value names it so. */
export function assignedNames(text: string): Names {
  let names: ReadonlySet<string> | undefined;
  return {
    // Read only where a client's argument holds a variable: a long text mostly holds none.
    has(name) {
      names ??= new Set([...text.matchAll(/(?<![\w$]|\$\{)\w+/g)].map(([word]) => word));
      return names.has(name);
    },
  };
}
