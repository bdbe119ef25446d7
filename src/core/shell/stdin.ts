/** Finds the text a command is given on standard input. Knows the few programs that print what they are told. */
import { isStdin, programName, type SimpleCommand } from "./command";
import { effectiveArgv } from "./wrappers";

/** absent: the terminal; unknown: a file, a variable or a program; text: exactly one of these. */
export type StdinText =
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" }
  | { readonly kind: "text"; readonly texts: readonly string[] };

const UNKNOWN: StdinText = { kind: "unknown" };
const MAX_PIPE = 8;

export function stdinText(command: SimpleCommand, depth = 0): StdinText {
  const inputs = command.redirects.filter(isStdin);
  const last = inputs.at(-1);
  if (last !== undefined) {
    if (last.target === "/dev/null") return { kind: "text", texts: [""] };
    if (!last.op.startsWith("<<")) return UNKNOWN;
    return last.target === null ? UNKNOWN : { kind: "text", texts: [last.target] };
  }
  if (command.pipedFrom === undefined) return { kind: "absent" };
  return depth > MAX_PIPE ? UNKNOWN : printedText(command.pipedFrom, depth + 1);
}

function printedText(command: SimpleCommand, depth: number): StdinText {
  const argv = effectiveArgv(command);
  const args: string[] = [];
  for (const arg of argv.slice(1)) {
    if (arg === null) return UNKNOWN;
    args.push(arg);
  }
  switch (programName(argv[0])) {
    case "echo":
    case "write-output":
      return echoText(args);
    case "printf":
      return printfText(args);
    case "yes":
      return { kind: "text", texts: [args.join(" ")] };
    case "base64":
    case "xxd":
    case "rev": {
      const given = args.every((arg) => arg.startsWith("-")) ? stdinText(command, depth) : UNKNOWN;
      return given.kind === "text" ? turned(programName(argv[0]) ?? "", args, given.texts) : UNKNOWN;
    }
    case "cat":
    case "tee": {
      const plain = args.every((arg) => arg.startsWith("-"));
      if (programName(argv[0]) === "cat" && !plain) return UNKNOWN;
      const own = stdinText(command, depth);
      return own.kind === "absent" ? UNKNOWN : own;
    }
    default:
      return UNKNOWN;
  }
}

/** What decoders and `rev` make of a text. */
function turned(name: string, args: readonly string[], texts: readonly string[]): StdinText {
  if (name === "rev")
    return { kind: "text", texts: texts.map((text) => text.split("\n").map(reversed).join("\n")) };
  const decodes = name === "xxd" ? /^-\w*r/ : /^(?:-\w*[dD]|--decode)/;
  if (!args.some((arg) => decodes.test(arg))) return UNKNOWN;
  const decoded = texts.map((text) => (name === "xxd" ? fromHex(text) : fromBase64(text)));
  return decoded.every((text) => text !== undefined) ? { kind: "text", texts: decoded } : UNKNOWN;
}

function reversed(line: string): string {
  return [...line].reverse().join("");
}

function fromHex(text: string): string | undefined {
  const digits = text.replace(/\s/g, "");
  if (!/^([0-9a-f]{2})+$/i.test(digits)) return undefined;
  return digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

/** Bytes beyond ASCII become one letter each: no command word needs them. */
function fromBase64(text: string): string | undefined {
  const letters = text.replace(/\s/g, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(letters) && letters.length % 4 !== 1 ? atob(letters) : undefined;
}

/** Whether echo reads escapes depends on the shell: both readings are given. */
function echoText(args: readonly string[]): StdinText {
  let from = 0;
  while (/^-[neE]+$/.test(args[from] ?? "")) from++;
  const text = args.slice(from).join(" ");
  return { kind: "text", texts: text.includes("\\") ? [text, unescapeC(text)] : [text] };
}

function printfText(args: readonly string[]): StdinText {
  const [format, ...values] = args[0] === "--" ? args.slice(1) : args;
  if (format === undefined) return UNKNOWN;
  let index = 0;
  let unsure = format.startsWith("-");
  const round = () =>
    unescapeC(
      format.replace(/%(.)/g, (whole, kind: string) => {
        if (kind === "%") return "%";
        if (kind !== "s" && kind !== "b") unsure = true;
        const value = values[index++] ?? "";
        return kind === "s" ? value.replaceAll("\\", "\\\\") : kind === "b" ? value : whole;
      }),
    );
  let text = round();
  // The format is used again while values are left over.
  for (let turn = 0; index > 0 && index < values.length; turn++) {
    if (turn > 1000) return UNKNOWN;
    text += round();
  }
  return unsure ? UNKNOWN : { kind: "text", texts: [text] };
}

const C_ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

function unescapeC(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|(0?[0-7]{1,3})|(c[\s\S]*)|([\s\S]))/g,
    (whole, hex?: string, u4?: string, u8?: string, octal?: string, stop?: string, char?: string) => {
      const code = hex ?? u4 ?? u8;
      if (code !== undefined) return codePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 255);
      if (stop !== undefined) return "";
      return C_ESCAPES[char ?? ""] ?? whole;
    },
  );
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
