/** Recognises our own command line, however it is started. Knows nothing of what it does. */
import { programName } from "../shell/command";

/** The arguments of our own binary, however it is started; undefined = it is another program. */
export function ownArguments(argv: readonly string[]): readonly string[] | undefined {
  // A runner of packages may be taken off already and leave its version: `countersign@latest`.
  const name = (programName(argv[0]) ?? "").replace(/(?<=.)@[\w.-]+$/, "");
  if (name === "countersign") return argv.slice(1);
  const runner = /^(npx|bunx|pnpx|npm|pnpm|yarn|bun|node|nodejs|deno|tsx)$/.test(name);
  if (!runner) return undefined;
  const at = argv.findIndex(
    (word, i) =>
      i > 0 &&
      /^(.*[/\\])?countersign(@[\w.-]+)?(\.c?js)?$|countersign.*[/\\](?:cli|uninstall)\.c?js$|^(\.[/\\])?dist[/\\]cli\.c?js$/i.test(
        word,
      ),
  );
  if (at < 0) return undefined;
  // `npm install countersign` starts nothing.
  if (/^(npm|pnpm|yarn|bun)$/.test(name) && !/^(exec|x|dlx|run)$/.test(argv[1] ?? "")) return undefined;
  // The program that takes our hooks out needs no word for it.
  return /uninstall\.c?js$/i.test(argv[at] ?? "") ? ["uninstall", ...argv.slice(at + 1)] : argv.slice(at + 1);
}
