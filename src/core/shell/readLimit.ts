/** How much of one terminal text is read: what is over it is not read at all, and the text counts as cut. Knows no shell. */

/** Characters of the text and of all texts inside it together, in UTF-16 units. */
const MAX_TEXT = 98_304;
const MAX_COMMANDS = 500;
/** Words of all commands together. */
const MAX_WORDS = 4000;
/** Names that one text gives a value. */
const MAX_VARIABLES = 200;
/** As long as a path of Linux may be. */
const MAX_FOLDER = 4096;

/** What is said of a text that is over it. */
export const TOO_MUCH = "too many commands or words to be read";

export interface ReadLimit {
  /** True once anything was left unread. */
  cut: boolean;
  text: number;
  commands: number;
  words: number;
}

export function newLimit(): ReadLimit {
  return { cut: false, text: MAX_TEXT, commands: MAX_COMMANDS, words: MAX_WORDS };
}

/** False, and the text counts as cut, when the rest of the limit is smaller than `amount`. */
export function take(limit: ReadLimit, what: "text" | "commands" | "words", amount: number): boolean {
  limit[what] -= amount;
  if (limit[what] >= 0) return true;
  limit.cut = true;
  return false;
}

/** True for more variables, or a longer folder, than a text may leave behind. */
export function isTooMuch(state: {
  readonly folders: readonly (string | null)[];
  readonly variables: ReadonlyMap<string, unknown>;
}): boolean {
  return (
    state.variables.size > MAX_VARIABLES ||
    state.folders.some((folder) => folder !== null && folder.length > MAX_FOLDER)
  );
}
