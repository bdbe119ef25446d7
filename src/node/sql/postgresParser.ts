/** PostgreSQL's own parser, compiled to WebAssembly. Knows nothing of threads or time. */
import type { Parse, Says } from "./parseMessages";
import { onlyReads } from "./postgresTree";

/** Rejects when the WebAssembly file cannot be loaded. */
export async function postgresParser(): Promise<Parse> {
  const { loadModule, parseSync } = await import("libpg-query");
  await loadModule();
  const read = (text: string): Says => {
    try {
      return onlyReads(parseSync(text)) ? "reads" : "acts";
    } catch (error) {
      return refusal(error);
    }
  };
  // The first text takes ten times as long as the second.
  read("SELECT 1");
  return ({ text, filled }) => {
    // It would read up to the first NUL and no further; PostgreSQL takes none at all.
    if (text.includes("\0")) return "refuses-exact";
    if (text.trim() === "") return "reads";
    const said = read(text);
    if (said !== "refuses-exact" || filled === undefined) return said;
    // What a driver will put there is not known, so that the best answer is none.
    const rest = read(filled);
    return rest === "reads" ? "refuses" : rest;
  };
}

/** What it says when it is out of room: no word about the grammar. */
const NO_ROOM = /^(memory exhausted|out of memory|stack depth limit|invalid memory alloc)/;

/**
 * Anything but the parser's own refusal leaves its memory in an unknown state. Throwing ends the thread, and the text has no opinion.
 */
function refusal(error: unknown): Says {
  if (!(error instanceof Error) || error.name !== "SqlError") throw error;
  return NO_ROOM.test(error.message) ? "refuses" : "refuses-exact";
}
