/** Reads PowerShell and cmd texts into commands with the folders they may run in. Knows no program but those that change the folder. */
import { parseShell } from "../shell/parse";
import { isTooMuch, take } from "../shell/readLimit";
import { changedFolder } from "./changeFolder";
import type { Run } from "./locatedCommand";
import { changed, type State } from "./shellState";
import { UNKNOWN } from "./shellWords";
import { windowsWord } from "./windowsWords";

/** PowerShell and cmd have no tree here: a change of folder holds for all that follows. */
export function readFlat(text: string, run: Run, start: State): void {
  let state = start;
  const read = parseShell(text, run.shell);
  if (!read.ok && read.cut) run.limit.cut = true;
  for (const command of read.commands) {
    if (!take(run.limit, "commands", 1) || !take(run.limit, "words", command.argv.length)) return;
    const argv = command.argv.map((word, i) => windowsWord(word, command.words[i] ?? ""));
    const globs = new Set(argv.filter((word) => /[*?]/.test(word)));
    const redirects = command.redirects.map(({ op, target }) => ({
      op,
      word: {
        text: target === null ? UNKNOWN : windowsWord(target, target),
        glob: false,
        home: target?.startsWith("~") ?? false,
      },
    }));
    const outer = run.outer === undefined ? {} : { outer: run.outer };
    run.out.push({ argv, globs, folders: state.folders, redirects, command, ...outer });
    state = changed(state, changedFolder(argv));
    if (isTooMuch(state)) {
      run.limit.cut = true;
      return;
    }
  }
}
