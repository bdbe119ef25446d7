/** The SQL of one database client's call: its arguments, its standard input, its own commands taken out. Judges nothing. */
import { type Argv, type ClientCall, readArguments } from "./clientArguments";
import { takeClientCommands } from "./clientCommands";
import { type CommandSql, hidden } from "./commandSql";
import type { SqlClient } from "./sqlClient";
import { stdinText } from "./stdin";

/** Index behind the words that make the program a client; 0 = they are missing. */
export function behindVerbs(client: SqlClient, argv: Argv): number {
  let from = 1;
  for (const verb of client.verbs ?? []) {
    const any = verb.split("|");
    const at = argv.findIndex((word, index) => index >= from && word !== null && any.includes(word));
    if (at < 0) return 0;
    from = at + 1;
  }
  return from;
}

export function sqlOfClient(call: ClientCall, from: number): CommandSql[] {
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
