/** SQL as it was found in a terminal text. Knows no client; judges only whether a text is plainly dangerous. */
import { classifySql } from "../sql/classify";

export interface CommandSql {
  readonly text: string;
  /** Program name without folder and ending. */
  readonly client: string;
  /** A dialect's name, or "unknown". */
  readonly dialect: string;
  /** Set when the SQL, or part of it, cannot be seen; `text` is then what can be shown instead. */
  readonly dynamic?: true;
  /** What hides it, or what the program does by its own words; one sentence. */
  readonly why?: string;
  /** Set when the program's own words do it: nothing is hidden. */
  readonly acts?: true;
}

export function hidden(
  client: string,
  dialect: string,
  { text, why }: { text: string; why: string },
): CommandSql {
  return { text, client, dialect, dynamic: true, why };
}

export function isDangerous(text: string): boolean {
  const { verdict, unparseable } = classifySql(text);
  return verdict !== "allow" && !unparseable;
}
