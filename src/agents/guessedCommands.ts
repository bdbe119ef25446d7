/** Commands out of the arguments of a tool nobody knows, told by the names of the tool and of its arguments. Judges nothing. */
import { type Args, type CommandFacet, isPlainObject, type Shell } from "../core/call";
import { commandText, commandTextOf } from "./commandText";
import { cellTexts } from "./notebookText";
import { plainName, wordsOf } from "./toolTables";

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Under these any tool takes a command; in their plain spelling. */
const NAMES = list(`
  command cmd script commands shellcommand commandline argv shellcmd bashcommand bashcmd terminalcommand cmdline shellscript
  bashscript commandtext commandstring commandstorun shellcode`);
/** Under these a tool that is a shell takes one; others mean text by them. */
const SHELL_NAMES = list(
  "bash sh shell zsh powershell pwsh code input text line lines stdin keys chars data exec execute run",
);
/** A program, with its words beside it. */
const PROGRAM_NAMES = list("program executable exe binary command cmd file");
const WORD_NAMES = list("args arguments argv params parameters commandargs commandarguments");
/** Words of a tool's name, its server's included, that speak of a shell. */
const SHELL_WORDS = list(
  "shell bash zsh terminal cmd command commands commander process powershell pwsh ssh tmux",
);
const RUN_WORDS = list("run exec execute eval evaluate interpreter repl");
const SHELLS = /^(?:\S*[/\\])?(?:ba|z|da|k|fi)?sh$|^(?:\S*[/\\])?(?:cmd|pwsh|powershell)(?:\.exe)?$/i;
/** Programs whose own tools take the rest of the command line. */
const PROGRAMS = list("kubectl helm docker podman git gh terraform tofu pulumi aws az gcloud npm redis psql");
/** The language that words of a tool's name, or its own argument, stand for. */
const LANGUAGES: readonly (readonly [pattern: RegExp, interpreter: string])[] = [
  [/^(?:python\d*|py|ipython|jupyter|notebook|kernel|ide)$/i, "python3"],
  [/^(?:node|nodejs|js|javascript|ts|typescript|deno|bun)$/i, "node"],
  [/^(?:ruby|rb|irb)$/i, "ruby"],
  [/^(?:perl|pl)$/i, "perl"],
  [/^php$/i, "php"],
  [/^r(?:script)?$/i, "Rscript"],
];
/** Code for a page is no code for this machine. */
const IN_PAGE = list("browser playwright puppeteer chrome chromium selenium page figma");
const MAX_DEPTH = 8;

export function guessedCommands(toolName: string, args: Args, shell: Shell): readonly CommandFacet[] {
  const tool = toolOf(toolName);
  const found = inObject("", args, { tool, depth: 0 });
  const named = ofProgram(tool, args, found);
  return [...found, ...named].map((one) => ({ ...one, shell }));
}

interface Tool {
  readonly words: readonly string[];
  readonly isShell: boolean;
}

function toolOf(toolName: string): Tool {
  const words = wordsOf(toolName);
  return { words, isShell: words.some((word) => SHELL_WORDS.has(word)) };
}

type Found = Pick<CommandFacet, "arg" | "text">;
interface On {
  readonly tool: Tool;
  readonly depth: number;
}

function inObject(arg: string, args: Args, on: On): readonly Found[] {
  const words = Object.entries(args).find(([name]) => WORD_NAMES.has(plainName(name)))?.[1];
  return Object.entries(args).flatMap(([name, value]): readonly Found[] => {
    const inner = arg === "" ? name : `${arg}.${name}`;
    const plain = plainName(name);
    const text = textOf(plain, value, { args, words, on });
    if (text !== undefined) return text.map((one) => ({ arg: inner, text: one }));
    if (on.depth >= MAX_DEPTH) return [];
    const deeper = { ...on, depth: on.depth + 1 };
    if (isPlainObject(value)) return inObject(inner, value, deeper);
    return Array.isArray(value)
      ? value.flatMap((item: unknown) => (isPlainObject(item) ? inObject(inner, item, deeper) : []))
      : [];
  });
}

interface Beside {
  readonly args: Args;
  readonly words: unknown;
  readonly on: On;
}

/** Undefined = under this name stands no command. */
function textOf(plain: string, value: unknown, { args, words, on }: Beside): readonly string[] | undefined {
  const { tool } = on;
  if (plain === "code" || plain === "script" || plain === "source") {
    const code = codeText(value, args, tool);
    if (code !== undefined) return code;
  }
  if (PROGRAM_NAMES.has(plain) && Array.isArray(words) && words !== value && isProgram(plain, value, tool))
    return commandTextOf(value, words);
  // The words of a program beside them.
  if (
    plain === "argv" &&
    Object.keys(args).some((name) => /^(?:program|executable|exe|binary)$/.test(plainName(name)))
  )
    return [];
  if (NAMES.has(plain))
    return commandText({ [plain]: value, ...(words === value ? {} : { args: words }) }, plain);
  if (!tool.isShell || !SHELL_NAMES.has(plain)) return undefined;
  if (typeof value === "string" && SHELLS.test(value)) return undefined;
  return typeof value === "string" || Array.isArray(value)
    ? commandText({ [plain]: value }, plain)
    : undefined;
}

const isProgram = (plain: string, value: unknown, tool: Tool): boolean =>
  typeof value === "string" &&
  (plain !== "file" || tool.isShell || tool.words.some((word) => RUN_WORDS.has(word)));

/** Code as its interpreter would be given it in a terminal; empty = it is for nobody here. */
function codeText(value: unknown, args: Args, { words, isShell }: Tool): readonly string[] | undefined {
  if (typeof value !== "string") return undefined;
  const said = Object.entries(args).find(([name]) =>
    /^(?:language|lang|languageid|interpreter|kernel|runtime)$/.test(plainName(name)),
  )?.[1];
  const told = typeof said === "string" ? [said.replace(/[\d.]+$/, ""), said] : words;
  const interpreter = LANGUAGES.find(([pattern]) => told.some((word) => pattern.test(word)))?.[1];
  if (interpreter !== undefined && !words.some((word) => IN_PAGE.has(word)))
    return asCode(value, interpreter);
  if (typeof said === "string")
    return /^(?:(?:ba|z)?sh|shell|shellscript|pwsh|powershell)$/i.test(said) ? [value] : [];
  if (isShell) return undefined;
  // What runs code and says no language mostly runs Python.
  const runs = words.some((word) => RUN_WORDS.has(word)) && !words.some((word) => IN_PAGE.has(word));
  return runs ? asCode(value, "python3") : undefined;
}

/** A program text, and what a notebook hands to others. */
export function asCode(text: string, interpreter: string): readonly string[] {
  return cellTexts(text, interpreter).commands;
}

/** `kubectl` with `args: "delete ns prod"`: the tool itself is the program. */
function ofProgram({ words }: Tool, args: Args, found: readonly Found[]): readonly Found[] {
  const program = words.findLast((word) => PROGRAMS.has(word));
  if (program === undefined) return [];
  const rest = Object.entries(args).filter(
    ([name]) => WORD_NAMES.has(plainName(name)) || NAMES.has(plainName(name)),
  );
  return rest.flatMap(([arg, value]) => {
    const [text] = commandText({ [arg]: value }, arg);
    if (text === undefined || text.trimStart().startsWith(program)) return [];
    return found.some((one) => one.text === `${program} ${text}`)
      ? []
      : [{ arg, text: `${program} ${text}` }];
  });
}

/** A cell's code is judged where it is put in: what runs it names the cell alone. */
export function cellCommands(args: Args, shell: Shell): readonly CommandFacet[] {
  if (Object.values(args).some((value) => value === "markdown")) return [];
  return Object.entries(args).flatMap(([arg, value]) => {
    if (!/^(?:newcode|newsource|source|code|content)$/.test(plainName(arg))) return [];
    const text = Array.isArray(value) ? value.join("\n") : value;
    return typeof text === "string" ? asCode(text, "python3").map((one) => ({ arg, text: one, shell })) : [];
  });
}

const DELETES = list("delete remove rm rmdir unlink trash");
const FOLDERS = list("directory directories folder folders dir rmdir tree recursive");
const FILES = list("file files fs filesystem path paths");

/** What takes a path away does what `rm -r` does, where the path may be a folder. */
export function deleteCommands(
  toolName: string,
  paths: readonly { readonly arg: string; readonly path: string }[],
  shell: Shell,
): readonly CommandFacet[] {
  const words = wordsOf(toolName);
  if (!words.some((word) => DELETES.has(word))) return [];
  const folder = words.some((word) => FOLDERS.has(word));
  if (!folder && words.length > 1 && !words.some((word) => FILES.has(word))) return [];
  return paths.flatMap(({ arg, path }) =>
    path.startsWith("\0") || path.length > 4096 || (!folder && isFileName(path))
      ? []
      : commandTextOf("rm", ["-rf", "--", path.replace(/^file:\/\//i, "")]).map((text) => ({
          arg,
          text,
          shell,
        })),
  );
}

/** A name with an ending, or one of those that are files without one. */
function isFileName(path: string): boolean {
  const name = path.split(/[/\\]/).at(-1) ?? "";
  return (
    /.\.[A-Za-z0-9_~-]{1,12}$/.test(name) ||
    /^\.(?!git$|github$|vscode$|idea$)\w+(?:rc|ignore|attributes|env|keep)?$|^(?:makefile|dockerfile|license|readme|changelog|procfile|gemfile|rakefile|justfile|jenkinsfile|vagrantfile|brewfile|codeowners|notice|authors|todo)$/i.test(
      name,
    )
  );
}
