/** A program that does away with data by its own words, as SQL or as a sentence. Judges nothing. */
import type { Argv } from "./clientArguments";
import { programName, type SimpleCommand } from "./command";
import { type CommandSql, hidden } from "./commandSql";
import { findDatabaseTool, isDatabaseTool, READS_WORDS } from "./databaseTools";
import { stdinText } from "./stdin";
import { type Values, wordsOf } from "./variables";

const MAX_PIPED = 200;

/** `docker run flyway/flyway clean`: the image's name is the program's. */
export function toolInImage(command: SimpleCommand): CommandSql[] {
  const { argv } = command;
  if (!/^(?:docker|podman|nerdctl|docker-compose)$/.test(programName(argv[0]) ?? "")) return [];
  for (const [at, word] of argv.entries()) {
    const name = programName(word?.replace(/[:@][\w.:-]+$/, ""));
    if (at > 1 && name !== null && isDatabaseTool(name)) {
      const found = sqlOfTool({ name, argv: argv.slice(at), command, values: new Map() });
      if (found !== undefined) return found;
    }
  }
  return [];
}

export interface ToolCommand {
  readonly name: string;
  readonly argv: Argv;
  readonly command: SimpleCommand;
  readonly values: Values;
}

/** The name of a task that ends in a variable. */
const OPEN_TASK = /^"?(?:[\w-]+:){0,3}(?:db|database|migrations?|migrate|schema)[:.]\$[{\w]/;
const HIDDEN_TASK = "The name of a database task is in a variable and cannot be seen.";
/** A script of Redis itself. */
const REDIS_SCRIPT = /\bredis\.p?call\s*\(\s*['"](?:flushall|flushdb)\b/i;

export function sqlOfTool(call: ToolCommand): CommandSql[] | undefined {
  const { name, command } = call;
  if (!isDatabaseTool(name)) return undefined;
  const raw = rawWords(call);
  for (const words of wordLists(call, raw)) {
    const tool = findDatabaseTool(name, words);
    if (tool === undefined || words.includes("--help") || words.includes("--version")) continue;
    if ("why" in tool.does)
      return [{ ...hidden(name, tool.dialect, { text: command.raw, why: tool.does.why }), acts: true }];
    const target = words.filter((word) => !word.startsWith("-")).at(-1) ?? "x";
    const text = tool.does.sql.replace("%", () => target.replaceAll('"', ""));
    return [{ text, client: name, dialect: tool.dialect }];
  }
  if (raw.some((word) => word !== undefined && OPEN_TASK.test(word)))
    return [{ ...hidden(name, "unknown", { text: command.raw, why: HIDDEN_TASK }), acts: true }];
  return undefined;
}

/** Of the words that cannot be seen: how they are written; undefined = it can be seen. */
function rawWords({ argv, command }: ToolCommand): readonly (string | undefined)[] {
  const from = command.words.length - argv.length;
  return argv.slice(1).map((word, at) => {
    const raw = word === null ? command.words[from + at + 1] : undefined;
    return raw?.includes("$") ? raw : undefined;
  });
}

/** The words as they are or may be, and each line of standard input where it is read for more. */
function wordLists(
  { name, argv, command, values }: ToolCommand,
  raw: readonly (string | undefined)[],
): readonly (readonly string[])[] {
  const given = argv.slice(1);
  const may = raw.map((word) => (word === undefined ? [] : wordsOf(word, values)));
  const turns = Math.max(1, ...may.map((each) => each.length));
  const lists = Array.from({ length: turns }, (_, turn) =>
    given.flatMap((word, at) => {
      const value = may[at]?.[Math.min(turn, (may[at]?.length ?? 1) - 1)];
      return word ?? value?.split(/\s+/) ?? "x";
    }),
  );
  if (!READS_WORDS.test(name)) return lists;
  const stdin = stdinText(command);
  const lines = stdin.kind === "text" ? stdin.texts.flatMap((text) => text.split(/[\n;]/, MAX_PIPED)) : [];
  return [
    ...lists.map((words) => (words.some((word) => REDIS_SCRIPT.test(word)) ? ["flushall"] : words)),
    ...lines.map((line) => line.trim().split(/\s+/)),
  ];
}
