/** A command that is only a set of words, each with a command of its own behind it. Knows none of them. */
import type { Io, Run } from "./io";
import { didYouMean } from "./options";

export function subcommands(
  name: string,
  usage: string,
  words: Readonly<Record<string, () => Promise<Run>>>,
): Run {
  return async (argv, io: Io) => {
    const [word = "--help", ...rest] = argv;
    if (word === "--help" || word === "-h") {
      io.stdout(usage);
      return argv.length === 0 ? 2 : 0;
    }
    const load = Object.hasOwn(words, word) ? words[word] : undefined;
    if (load === undefined) {
      const near = didYouMean(word, Object.keys(words));
      io.stderr(`countersign ${name}: there is no "${word}"${near}\n\n${usage}`);
      return 2;
    }
    return (await load())(rest, io);
  };
}
