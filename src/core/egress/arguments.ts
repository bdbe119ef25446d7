/** Splits a program's words into options with their values and operands. Knows no program. */

export interface Spec {
  /** Letters that take a value. */
  readonly short?: string;
  /** Long options (or `-name` of programs without letters) that take the next word. */
  readonly long?: string;
}

export interface Option {
  readonly name: string;
  readonly value: string | undefined;
}

export interface ReadArguments {
  readonly operands: readonly string[];
  readonly options: readonly Option[];
}

export function readArguments(args: readonly string[], { short = "", long = "" }: Spec): ReadArguments {
  const valued = new Set(long.split(" "));
  const operands: string[] = [];
  const options: Option[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") operands.push(word);
    else if (valued.has(word)) options.push({ name: word, value: args[++at] });
    else if (word.startsWith("--") || word.includes("=")) {
      const [, name = word, value] = /^(--?[^=]+)=(.*)$/s.exec(word) ?? [];
      options.push({ name, value });
    } else at += letters(word, { short, next: args[at + 1], options });
  }
  return { operands, options };
}

/** `-sSLo file`, `-XPOST`: the first letter that takes a value takes the rest of the word, or the next one. */
function letters(
  word: string,
  on: { readonly short: string; readonly next: string | undefined; readonly options: Option[] },
): 0 | 1 {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    if (!on.short.includes(letter)) {
      on.options.push({ name: `-${letter}`, value: undefined });
      continue;
    }
    const own = word.slice(at + 1);
    on.options.push({ name: `-${letter}`, value: own === "" ? on.next : own });
    return own === "" ? 1 : 0;
  }
  return 0;
}
