/** Destructive SQL in the words of programs that are no database client: whole statements, and code. */
import type { Argv } from "./clientArguments";
import type { SimpleCommand } from "./command";
import { type CommandSql, hidden, isDangerous } from "./commandSql";
import { isPlainStatement } from "./plainStatement";
import { DATABASE_SHELLS, INTERPRETERS, sqlInCode } from "./sqlInCode";
import { stdinText } from "./stdin";

/** These read, print, store, format or test texts and run none of them. */
export const TEXT_TOOLS = new Set(
  (
    "wc head tail sort uniq tr cut fold diff comm tee pbcopy xclip xsel clip less more bat batcat nl od xxd base64 sha256sum " +
    "md5sum shasum say notify-send code vim nano emacs llm claude codex gemini aider ollama sqlfluff sqlfmt pg_format " +
    "sql-formatter sqlformat prettier countersign vitest jest mocha ava tap pytest playwright cypress go cargo ctest rspec " +
    "phpunit pest select-string sls set-content sc add-content ac out-file write-error write-warning write-verbose new-item " +
    "set-clipboard findstr find fd mkdir touch rm mv cp ln chmod : true false export declare local set if while for case"
  ).split(" "),
);

/** What follows one of these is for people, or a pattern. */
const PROSE_OPTION =
  /^--?(?:m|t|k|n|message|title|body|description|desc|note|notes|comment|name|grep|filter|pattern|value|prompt|subject|text|label|tag|reason|search|match|testNamePattern)(?:=|$)/i;

const MAX_GIVEN = 50;

/** The words and standard input, as far as they can be seen. */
export function seenTexts(argv: Argv, command: SimpleCommand): readonly string[] {
  const stdin = stdinText(command);
  const words = argv.slice(1).flatMap((word) => word ?? []);
  return [...words, ...(stdin.kind === "text" ? stdin.texts : [])];
}

export function given(name: string, texts: readonly string[]): CommandSql[] {
  const [first] = texts;
  if (first !== undefined && texts.length > MAX_GIVEN)
    return [hidden(name, "unknown", { text: first, why: "There are too many statements to be read." })];
  return texts.filter(isDangerous).map((text) => ({ text, client: name, dialect: "unknown" }));
}

/** A program that nobody knows is given a whole statement: what it does with it is plain enough. */
export function plainStatements(name: string, argv: Argv, command: SimpleCommand): CommandSql[] {
  const words = argv.map((word, at) => (PROSE_OPTION.test(argv[at - 1] ?? "") || at === 0 ? null : word));
  const texts = seenTexts(words, command)
    .filter((text) => !PROSE_OPTION.test(text))
    .map((text) => text.replace(/^--?[\w-]+=/, ""));
  return given(name, texts.filter(isPlainStatement));
}

/** Code in the words or on standard input of an interpreter. */
export function sqlOfCode(name: string, argv: Argv, command: SimpleCommand): CommandSql[] {
  if (!INTERPRETERS.test(name) && !DATABASE_SHELLS.test(name)) return [];
  return seenTexts(argv, command)
    .filter((text) => /\s/.test(text) || !/\.\w{1,4}$/.test(text))
    .flatMap((text): CommandSql[] => {
      const { statements, call } = sqlInCode(text, name);
      const sql = statements.map(
        (one): CommandSql =>
          isDangerous(one)
            ? { text: one, client: name, dialect: "unknown" }
            : hidden(name, "unknown", { text: one, why: "The code builds a statement that changes data." }),
      );
      const why = `The code removes or changes rows, tables or databases by ${call}.`;
      return sql.length > 0 || call === undefined
        ? sql
        : [hidden(name, "unknown", { text: command.raw, why })];
    });
}

/** `$X "DROP TABLE t"`: no one can tell what runs, but a destructive statement among the words is one. */
export function sqlForUnknownProgram(argv: Argv, command: SimpleCommand): CommandSql[] {
  const words = argv.slice(1).flatMap((word) => word?.replace(/^(?:--[\w-]+=|-[A-Za-z](?=[A-Z]))/, "") ?? []);
  const stdin = stdinText(command);
  const texts = [...words, ...(stdin.kind === "text" ? stdin.texts : [])];
  return texts
    .filter((text) => /\s/.test(text) && isDangerous(text))
    .map((text) => ({ text, client: "unknown", dialect: "unknown" }));
}
