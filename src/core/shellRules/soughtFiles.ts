/** Tells from the words of `find` whether it can only find what nobody would miss. Knows no file system. */
import { inFolder } from "../paths/changeFolder";
import { programName } from "../shell/command";
import { isUnknown } from "./commandWords";
import { isDisposable, isDisposableName } from "./disposable";

const REMOVERS = /^(rm|rmdir|unlink|shred|srm|trash)$/;

/** Index of the word that removes, below zero if there is none. */
export function removingWord(argv: readonly string[]): number {
  return argv.findIndex(
    (word, at) =>
      word === "-delete" ||
      (/^-(exec|ok)(dir)?$/.test(word) && REMOVERS.test(programName(argv[at + 1]) ?? "")),
  );
}

/** A name that it asks for before it removes, or starts in places of no worth. */
export function findTakesLittle(argv: readonly string[], folders: readonly (string | null)[]): boolean {
  if (programName(argv[0]) !== "find") return false;
  const first = argv.findIndex(
    (word, at) => at > 0 && /^[-(!]/.test(word) && !/^-(H|L|P|O\d?|D)$/.test(word),
  );
  const starts = argv.slice(1, first < 0 ? undefined : first).filter((word) => !word.startsWith("-"));
  const from = starts.length === 0 ? ["."] : starts;
  const little = from.every((start) =>
    folders.every((folder) => folder !== null && isDisposable(inFolder(start, folder), { taken: "deep" })),
  );
  if (little) return true;
  // All over the disk a name says nothing of whose it is.
  if (from.some((start) => /^([/~]|\.\.(\/|$))/.test(start) || isUnknown(start))) return false;
  const acts = removingWord(argv);
  const tests = argv.slice(first < 0 ? argv.length : first, acts < 0 ? undefined : acts);
  // Another branch of the expression may remove anything.
  if (tests.some((word) => /^(-o|-or|!|-not|,)$/.test(word) || isUnknown(word))) return false;
  return tests.some((word, at) => asksForLeftovers(word, tests[at + 1] ?? ""));
}

function asksForLeftovers(test: string, value: string): boolean {
  if (test === "-empty") return true;
  if (/^-i?name$/.test(test)) return isDisposableName(value) && !/^[*.?]*$/.test(value);
  return (
    /^-i?(path|wholename)$/.test(test) &&
    value.split("/").some((name) => name !== "*" && isDisposableName(name))
  );
}
