/** Walks a bash syntax tree with the working folders each command may run in. Knows no program but `cd` and its kind. */
import {
  type Command,
  forEachChild,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from "unbash";
import type { Shell } from "../call";
import { type SimpleCommand, UNKNOWN_COMMAND } from "../shell/command";
import { nestedTexts } from "../shell/nested";
import { MAX_SHELL_TEXT, parseShell } from "../shell/parse";
import { isTooMuch, newLimit, type ReadLimit, take } from "../shell/readLimit";
import { readRedirects } from "../shell/words";
import { effectiveArgv } from "../shell/wrappers";
import { changedFolder, joinFolder } from "./changeFolder";
import {
  redirectWords,
  suppliedWords,
  textOf,
  wordsOf,
  wordsToElsewhere,
  wrapperFolder,
} from "./locatedWords";
import { type After, afterCommand, changed, merge, START, type State, whole } from "./shellState";
import { expandWord, isWindowsShell, UNKNOWN, type WordText } from "./shellWords";
import { windowsWord } from "./windowsWords";

export interface LocatedCommand {
  /** Wrappers such as sudo and env taken off. A `\u0001` stands for a piece nobody can tell; a quoted `~` begins with `./`. */
  readonly argv: readonly string[];
  /** Set when it runs in a container or on another machine: the words in front of it. */
  readonly elsewhere?: readonly string[];
  /** Words of `argv` that hold an unquoted wildcard. */
  readonly globs: ReadonlySet<string>;
  /** Folders it may run in: "" = where the text starts, null = nobody can tell. */
  readonly folders: readonly (string | null)[];
  readonly redirects: readonly { readonly op: string; readonly word: WordText }[];
  readonly command: SimpleCommand;
}

interface Run {
  readonly out: LocatedCommand[];
  readonly limit: ReadLimit;
  readonly shell: Shell;
  readonly depth: number;
}

const MAX_DEPTH = 6;
/** As in the flat reading: nesting times length stays bounded. */
const MAX_WORK = 2_600_000;

export interface Located {
  readonly commands: readonly LocatedCommand[];
  /** The text was too long or too deep to be read through. */
  readonly cut: boolean;
}

export function locateCommands(text: string, shell: Shell): Located {
  const out: LocatedCommand[] = [];
  const limit = newLimit();
  readText(text, { out, limit, shell, depth: 0 }, START);
  return { commands: out, cut: limit.cut };
}

function readText(text: string, run: Run, state: State): void {
  if (!take(run.limit, "text", text.length)) return;
  if (text.length > MAX_SHELL_TEXT || run.depth > MAX_DEPTH) {
    run.limit.cut = true;
    return;
  }
  if (isWindowsShell(run.shell)) {
    readFlat(text, run, state);
    return;
  }
  const openers = text.match(/[$<>]\(|`|<<|\$\{|\(/g)?.length ?? 0;
  if (openers * text.length > MAX_WORK) {
    run.limit.cut = true;
    return;
  }
  try {
    list(parse(text).commands, state, run);
  } catch (error) {
    // A text that overflows the stack is not one anyone wrote; the shell guards judge it as unreadable.
    if (!(error instanceof RangeError)) throw error;
    run.limit.cut = true;
  }
}

/** PowerShell and cmd have no tree here: a change of folder holds for all that follows. */
function readFlat(text: string, run: Run, start: State): void {
  let state = start;
  for (const command of parseShell(text, run.shell).commands) {
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
    run.out.push({ argv, globs, folders: state.folders, redirects, command });
    state = changed(state, changedFolder(argv));
    if (isTooMuch(state)) {
      run.limit.cut = true;
      return;
    }
  }
}

function list(statements: readonly Statement[], state: State, run: Run): After {
  let now: State | null = state;
  let last: After = { ok: state, fail: null };
  for (const statement of statements) {
    if (now === null) break;
    if (statement.background) visit(statement.command, now, run);
    else last = visit(statement.command, now, run);
    now = statement.background ? now : merge(last.ok, last.fail);
  }
  return { ok: merge(last.ok, null), fail: last.fail };
}

function visit(node: SyntaxNode, state: State, run: Run): After {
  if (run.limit.cut) return { ok: state, fail: null };
  switch (node.type) {
    case "AndOr":
      return andOr(node.commands, node.operators, { state, run });
    case "Pipeline":
      return pipeline(node.commands, state, run);
    case "Command":
      return simple(node, { state, run });
    case "Redirected":
      redirected(node.redirects, state, run);
      return visit(node.command, state, run);
    case "CompoundList":
    case "Script":
      return list(node.commands, state, run);
    case "Subshell":
      list(node.body.commands, state, run);
      return { ok: state, fail: state };
    case "BraceGroup":
      return list(node.body.commands, state, run);
    case "Statement":
      return list([node], state, run);
    case "If":
      return branches(node, state, run);
    case "For":
    case "Select":
      return loop(node, state, run);
    case "While":
      return list([...node.clause.commands, ...node.body.commands], state, run);
    default:
      // Subshells, functions, substitutions and the rest run apart: what they change stays in there.
      apart(node, state, run);
      return { ok: state, fail: state };
  }
}

function apart(node: SyntaxNode, state: State, run: Run): void {
  forEachChild(node, (child) => void visit(child, state, run));
}

function andOr(
  nodes: readonly PipelineNode[],
  operators: readonly ("&&" | "||")[],
  on: { state: State; run: Run },
): After {
  let after: After = { ok: on.state, fail: null };
  for (const [i, node] of nodes.entries()) {
    const operator = i === 0 ? "&&" : operators[i - 1];
    const from = operator === "&&" ? after.ok : after.fail;
    if (from === null) continue;
    const next = visit(node, from, on.run);
    after =
      operator === "&&"
        ? { ok: next.ok, fail: merge(after.fail, next.fail) }
        : { ok: merge(after.ok, next.ok), fail: next.fail };
  }
  return after;
}

function pipeline(nodes: readonly PipelineNode[], state: State, run: Run): After {
  let before: SimpleCommand | undefined;
  for (const node of nodes) {
    if (node.type === "Command") before = simple(node, { state, run, pipedFrom: before }).command;
    else {
      visit(node, state, run);
      before = undefined;
    }
  }
  return { ok: state, fail: state };
}

function branches(node: SyntaxNode & { type: "If" }, state: State, run: Run): After {
  let tested: State | null = state;
  let end: State | null = null;
  for (const arm of [node, ...node.elif]) {
    if (tested === null) break;
    const test = list(arm.clause.commands, tested, run);
    if (test.ok !== null) end = merge(end, whole(list(arm.then.commands, test.ok, run)));
    tested = test.fail ?? test.ok;
  }
  if (tested !== null) end = merge(end, node.else ? whole(list(node.else.commands, tested, run)) : tested);
  return { ok: end, fail: end };
}

function loop(node: SyntaxNode & { type: "For" | "Select" }, state: State, run: Run): After {
  const values = (node.wordlist ?? []).flatMap((word) => expandWord(word, state.variables));
  for (const word of node.wordlist ?? []) visit(word, state, run);
  const known = values.length > 0 && values.length <= 8 ? values : null;
  const inside = { ...state, variables: new Map(state.variables).set(node.name.text, known) };
  const end = merge(state, whole(list(node.body.commands, inside, run)));
  return { ok: end, fail: end };
}

function simple(
  node: Command,
  on: { state: State; run: Run; pipedFrom?: SimpleCommand | undefined },
): After & { command: SimpleCommand } {
  const { state, run } = on;
  const { variables } = state;
  // What was cut asks anyway: the rest is not worth a second.
  if (!take(run.limit, "commands", 1) || !take(run.limit, "words", node.suffix.length + node.prefix.length))
    return { ok: state, fail: null, command: UNKNOWN_COMMAND };
  for (const item of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix])
    visit(item, state, run);
  const words = [...(node.name ? [node.name] : []), ...node.args].flatMap((arg) => wordsOf(arg, variables));
  const { redirects: flat, heredoc } = readRedirects(node.redirects);
  const command: SimpleCommand = {
    argv: words.map(({ text }) => (text.includes(UNKNOWN) ? null : text)),
    words: words.map(({ text }) => text),
    assignments: [],
    raw: "",
    redirects: flat,
    ...(heredoc === undefined ? {} : { heredoc }),
    ...(on.pipedFrom === undefined ? {} : { pipedFrom: on.pipedFrom }),
  };
  const full = words.map(textOf);
  const behind = effectiveArgv({ argv: full });
  if (behind[0] === null) run.limit.cut = true;
  const argv = behind.flatMap((word) => (word === null ? suppliedWords(command) : [word]));
  const globs = new Set(words.filter(({ glob }) => glob).map(textOf));
  const elsewhere = wordsToElsewhere(full);
  const moved = wrapperFolder(full, argv.length);
  run.out.push({
    argv,
    ...(elsewhere === undefined ? {} : { elsewhere }),
    globs,
    folders: moved === undefined ? state.folders : state.folders.map((from) => joinFolder(from, moved)),
    redirects: redirectWords(node.redirects, variables),
    command,
  });
  for (const inner of elsewhere === undefined ? nestedTexts(command, run.shell) : [])
    readText(inner.text, { ...run, shell: inner.shell, depth: run.depth + 1 }, state);
  const after = afterCommand(node, argv, state);
  if (after.ok !== null && isTooMuch(after.ok)) run.limit.cut = true;
  return { ...after, command };
}

function redirected(redirects: readonly Redirection[], state: State, run: Run): void {
  const read = redirectWords(redirects, state.variables);
  const command: SimpleCommand = { argv: [], words: [], assignments: [], raw: "", redirects: [] };
  run.out.push({ argv: [], globs: new Set(), folders: state.folders, redirects: read, command });
}
