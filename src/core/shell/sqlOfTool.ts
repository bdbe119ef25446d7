/** A program that does away with data by its own words, as SQL or as a sentence. Judges nothing. */
import type { Argv } from "./clientArguments";
import { programName, type SimpleCommand } from "./command";
import { type CommandSql, hidden } from "./commandSql";
import { findDatabaseTool, isDatabaseTool, READS_WORDS } from "./databaseTools";
import { stdinText } from "./stdin";

const MAX_PIPED = 200;

/** `docker run flyway/flyway clean`: the image's name is the program's. */
export function toolInImage(command: SimpleCommand): CommandSql[] {
  const { argv } = command;
  if (!/^(?:docker|podman|nerdctl|docker-compose)$/.test(programName(argv[0]) ?? "")) return [];
  for (const [at, word] of argv.entries()) {
    const name = programName(word?.replace(/[:@][\w.:-]+$/, ""));
    if (at > 1 && name !== null && isDatabaseTool(name)) {
      const found = sqlOfTool(name, argv.slice(at), command);
      if (found !== undefined) return found;
    }
  }
  return [];
}

export function sqlOfTool(name: string, argv: Argv, command: SimpleCommand): CommandSql[] | undefined {
  const stdin = READS_WORDS.test(name) ? stdinText(command) : undefined;
  const piped = stdin?.kind === "text" ? stdin.texts.flatMap((text) => text.split(/\s+/, MAX_PIPED)) : [];
  const words = [...argv.slice(1).map((word) => word ?? "x"), ...piped];
  const tool = findDatabaseTool(name, words);
  if (tool === undefined || words.includes("--help") || words.includes("--version")) return undefined;
  if ("why" in tool.does) {
    return [{ ...hidden(name, tool.dialect, { text: command.raw, why: tool.does.why }), acts: true }];
  }
  const target = words.filter((word) => !word.startsWith("-")).at(-1) ?? "x";
  const text = tool.does.sql.replace("%", () => target.replaceAll('"', ""));
  return [{ text, client: name, dialect: tool.dialect }];
}
