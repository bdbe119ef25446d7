/** Finds programs that do away with data by their own words, without SQL. Their rows are data; judges nothing. */
import { type DatabaseTool, HARMLESS_WORDS } from "./databaseTool";
import { CLOUD_TOOLS } from "./databaseToolsCloud";
import { MIGRATION_TOOLS } from "./databaseToolsMigration";
import { SERVER_TOOLS } from "./databaseToolsServer";

export const DATABASE_TOOLS: readonly DatabaseTool[] = [...SERVER_TOOLS, ...MIGRATION_TOOLS, ...CLOUD_TOOLS];

const ANY_PROGRAM = new RegExp(DATABASE_TOOLS.map((tool) => tool.program.source).join("|"));

/** Words that hold blanks are texts and say nothing here; behind `--` stands no option. */
export function findDatabaseTool(program: string, words: readonly string[]): DatabaseTool | undefined {
  if (!isDatabaseTool(program)) return undefined;
  const plain = (words[0] === "--" ? words.slice(1) : words).filter((word) => !/\s/.test(word));
  const dashes = plain.indexOf("--");
  const options = dashes < 0 ? plain : plain.slice(0, dashes);
  return DATABASE_TOOLS.find(
    ({ program: name, acts, first, unless }) =>
      name.test(program) &&
      acts.some((wanted) => standInOrder(wanted, first === undefined ? plain : firstWord(plain, first))) &&
      !plain.some((word) => HARMLESS_WORDS.test(word)) &&
      !options.some((word) => unless?.test(word) === true),
  );
}

/** Their words may come on standard input as well. */
export const READS_WORDS = /^(?:redis|valkey|keydb)-cli$/;

/** What a package runner is told to run. */
function firstWord(words: readonly string[], valued: RegExp): readonly string[] {
  const found = words.find(
    (word, at) => !valued.test(words[at - 1] ?? "") && !/^(?:-.*|run|run-script|exec|task)$/.test(word),
  );
  return found === undefined ? [] : [found];
}

/** True for a program that some row speaks of. */
export function isDatabaseTool(program: string): boolean {
  return ANY_PROGRAM.test(program);
}

/** Others may stand between them: options before and behind a verb. */
function standInOrder(wanted: readonly RegExp[], words: readonly string[]): boolean {
  let from = 0;
  return wanted.every((pattern) => {
    const at = words.findIndex((word, index) => index >= from && pattern.test(word));
    from = at + 1;
    return at >= 0;
  });
}
