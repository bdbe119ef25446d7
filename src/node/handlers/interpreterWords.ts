/** Which of an interpreter's words are scripts, code, or loaded beside them. Knows nothing of files. */
import type { SimpleCommand } from "../../core/shell/command";
import { FILTERS, isPlainFilter, NODES, PYTHONS, SHELLS } from "./programKinds";

type Argv = readonly (string | null)[];

/** Words are as written: relative paths are the sink's to place. */
export interface CodeSink {
  /** It runs what cannot be listed. */
  unclear(why?: string): void;
  shellText(text: string, shell: "sh" | "bash"): Promise<void>;
  shellFile(word: string): Promise<void>;
  nodeText(text: string): Promise<void>;
  nodeFile(word: string): Promise<void>;
  python(kind: "file" | "main" | "code", word: string): Promise<void>;
  /** Read by nobody here: only its bytes count. */
  plainFile(word: string): Promise<void>;
}

export interface Interpreted {
  readonly name: string;
  readonly rest: Argv;
  readonly command: SimpleCommand;
}

export async function readInterpreter(given: Interpreted, sink: CodeSink): Promise<void> {
  const { name } = given;
  if (SHELLS.test(name)) return readShell(given, sink);
  if (PYTHONS.test(name)) return readPython(given, sink);
  if (name === "node") return readNode(given, sink);
  if (FILTERS.test(name)) return readFilter(given, sink);
  for (const word of given.rest) {
    if (typeof word === "string" && /^[^-].*\.\w+$/.test(word)) await sink.plainFile(word);
  }
  sink.unclear(`what ${name} loads cannot be read`);
  if (NODES.test(name)) {
    const script = given.rest.find((word) => typeof word === "string" && !/^-|^run$/.test(word));
    if (typeof script === "string") await sink.nodeFile(script);
  }
}

/** What comes on standard input, where the words name no code. */
async function readInput(
  { command }: Interpreted,
  sink: CodeSink,
  read: { readonly file: (word: string) => Promise<void>; readonly text: (text: string) => Promise<void> },
): Promise<void> {
  const { heredoc, redirects } = command;
  const input = redirects.findLast(({ op, fd = 0 }) => op.startsWith("<") && fd === 0);
  if (input?.op === "<" && input.target !== null) return read.file(input.target);
  if (heredoc !== undefined && input?.target !== null) return read.text(heredoc);
  sink.unclear();
}

async function readShell(given: Interpreted, sink: CodeSink): Promise<void> {
  const { name, rest } = given;
  const shell = name === "sh" || name === "dash" ? "sh" : "bash";
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === null || word === undefined) return sink.unclear();
    const next = rest[at + 1];
    if (word === "--rcfile" || word === "--init-file") {
      if (typeof next === "string") await sink.shellFile(next);
      else sink.unclear();
      at++;
    } else if (/^[-+][a-zA-Z]*[oO]$/.test(word)) at++;
    else if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word)) {
      const text = rest.slice(at + 1).find((one) => one === null || !/^[-+]/.test(one));
      return typeof text === "string" ? sink.shellText(text, shell) : sink.unclear();
    } else if (/^-[a-zA-Z]*[sil]/.test(word) && !word.startsWith("--")) {
      if (/[il]/.test(word)) sink.unclear();
      if (word.includes("s")) break;
    } else if (word.startsWith("--rcfile=") || word.startsWith("--init-file=") || word === "--login") {
      sink.unclear();
    } else if (word === "--" || word === "-") {
      const script = rest[at + 1];
      if (script === undefined) break;
      return typeof script === "string" ? sink.shellFile(script) : sink.unclear();
    } else if (!/^[-+]/.test(word)) return sink.shellFile(word);
  }
  await readInput(given, sink, {
    file: (word) => sink.shellFile(word),
    text: (text) => sink.shellText(text, shell),
  });
}

async function readPython(given: Interpreted, sink: CodeSink): Promise<void> {
  const { rest } = given;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === null || word === undefined) return sink.unclear();
    const [, code] = /^-[BbdEIOqsSuvPx]*c(.*)$/s.exec(word) ?? [];
    const [, module] = /^-[BbdEIOqsSuvPx]*m(.*)$/s.exec(word) ?? [];
    if (code !== undefined || module !== undefined) {
      const value = (code ?? module) || rest[at + 1];
      if (typeof value !== "string") return sink.unclear();
      return sink.python(code !== undefined ? "code" : "main", value);
    }
    if (/^-[WX]$/.test(word)) at++;
    else if (/^-[WX].|^-[BbdEIOqsSuvPx]+$/.test(word)) continue;
    else if (word === "-") break;
    else if (word.startsWith("-")) return word === "--version" || word === "-V" ? undefined : sink.unclear();
    else return sink.python("file", word);
  }
  await readInput(given, sink, {
    file: (word) => sink.python("file", word),
    text: (text) => sink.python("code", text),
  });
}

const NODE_FLAGS =
  /^--(?:no-[\w-]+|enable-source-maps|trace-[\w-]+|throw-deprecation|pending-deprecation|permission|allow-[\w-]+(?:=.*)?|max-[\w-]+=.*|stack-trace-limit=.*|input-type=[\w-]+|experimental-(?!(?:loader|config|default-config|sea|import)\b)[\w-]+|unhandled-rejections=\w+|use-[\w-]+|preserve-symlinks(?:-main)?|expose-gc|harmony[\w-]*|test-[\w-]+(?:=.*)?|strip-types|use-strict|frozen-intrinsics|disable-[\w-]+(?:=.*)?)$/;

async function readNode(given: Interpreted, sink: CodeSink): Promise<void> {
  const { rest } = given;
  let code = false;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === null || word === undefined) return sink.unclear();
    const [, option = "", value] =
      /^(-r|--require|--import|--loader|--experimental-loader)(?:=(.*))?$/s.exec(word) ?? [];
    const [, inline] = /^(?:--eval|--print)=(.*)$/s.exec(word) ?? [];
    if (option !== "") {
      const file = value ?? rest[++at];
      if (typeof file !== "string" || !/^(?:\.{0,2}[\\/]|file:)/.test(file)) sink.unclear();
      else await sink.nodeFile(file.replace(/^file:\/\//, ""));
    } else if (/^(?:-e|-p|-pe|--eval|--print)$/.test(word) || inline !== undefined) {
      const text = inline ?? rest[++at];
      if (typeof text !== "string") return sink.unclear();
      code = true;
      await sink.nodeText(text);
    } else if (word === "-" || word === "--") {
      const script = rest[at + 1];
      if (word === "-" || script === undefined) break;
      return code ? undefined : typeof script === "string" ? sink.nodeFile(script) : sink.unclear();
    } else if (/^(?:-v|--version|-h|--help)$/.test(word)) return;
    else if (word === "-c" || word === "--check" || word === "-i") continue;
    else if (word.startsWith("-")) {
      if (!NODE_FLAGS.test(word)) return sink.unclear();
    } else return code ? undefined : sink.nodeFile(word);
  }
  if (code) return;
  await readInput(given, sink, {
    file: (word) => sink.nodeFile(word),
    text: (text) => sink.nodeText(text),
  });
}

async function readFilter({ name, rest }: Interpreted, sink: CodeSink): Promise<void> {
  let code: string | null | undefined;
  let hasFile = false;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (typeof word === "string" && /^(?:-f|--file|--from-file|-[a-zA-Z]*f)$/.test(word)) {
      const file = rest[++at];
      hasFile = true;
      if (typeof file !== "string") return sink.unclear();
      await sink.plainFile(file);
      sink.unclear(`what ${name} runs by ${file} cannot be read`);
    } else if (
      typeof word === "string" &&
      /^(?:--file=|--from-file=|-L|--library-path|-l|--load|-i$|--include)/.test(word)
    ) {
      if (name === "jq" || !/^-i/.test(word)) return sink.unclear();
    } else if (word === "-e" && /sed$/.test(name)) {
      const text = rest[++at];
      if (typeof text !== "string" || !isPlainFilter(name, text)) return sink.unclear();
      code ??= text;
    } else if (/^(?:-v|-F|--arg|--argjson|--slurpfile|--rawfile|--indent)$/.test(word ?? "")) {
      at += /^--(?:arg|argjson|slurpfile|rawfile)$/.test(word ?? "") ? 2 : 1;
    } else if (code === undefined && !hasFile && (word === null || !/^-./.test(word ?? ""))) code = word;
  }
  if (!hasFile && (code === null || (code !== undefined && !isPlainFilter(name, code)))) sink.unclear();
}
