/** Walks a bash syntax tree with the working folders each command may run in. Knows no program but `cd` and its kind. */
import {
  type Command,
  forEachChild,
  type PipelineNode,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from "unbash";
import type { Shell } from "../call";
import { bashTree } from "../shell/bashTree";
import { isStdin, isWindowsShell, type SimpleCommand, UNKNOWN_COMMAND } from "../shell/command";
import { nestedTexts } from "../shell/nested";
import { shellLoad } from "../shell/parse";
import { isTooMuch, newLimit, take } from "../shell/readLimit";
import { rememberLast } from "../shell/rememberLast";
import { readRedirects } from "../shell/words";
import { effectiveArgv } from "../shell/wrappers";
import { joinFolder } from "./changeFolder";
import { readFlat } from "./flatCommands";
import type { Located, LocatedCommand, Run } from "./locatedCommand";
import {
  redirectWords,
  suppliedWords,
  textOf,
  wordsOf,
  wordsToElsewhere,
  wrapperFolder,
} from "./locatedWords";
import { type After, afterCommand, merge, START, type State, whole } from "./shellState";
import { expandWord, UNKNOWN } from "./shellWords";
import { assignmentsOf } from "./treeAssignments";
import { withStdin, withUnknownInput } from "./treeInput";

const MAX_DEPTH = 6;

export const locateCommands = rememberLast(readCommands);

function readCommands(text: string, shell: Shell): Located {
  const out: LocatedCommand[] = [];
  const limit = newLimit();
  const functions = new Map<string, string>();
  readText(text, { out, limit, shell, depth: 0, functions }, START);
  return { commands: out, cut: limit.cut, functions };
}

function readText(text: string, run: Run, state: State): void {
  const load = shellLoad(text, run.shell);
  if ("tooMuch" in load || run.depth > MAX_DEPTH || !take(run.limit, "text", load.length)) {
    run.limit.cut = true;
    return;
  }
  if (isWindowsShell(run.shell)) {
    readFlat(text, run, state);
    return;
  }
  try {
    list(bashTree(text).commands, state, { ...run, source: text });
  } catch (error) {
    // A text that overflows the stack is not one anyone wrote; the shell guards judge it as unreadable.
    if (!(error instanceof RangeError)) throw error;
    run.limit.cut = true;
  }
}

function list(statements: readonly Statement[], state: State, run: Run): After {
  let now: State | null = state;
  let last: After = { ok: state, fail: null };
  for (const statement of statements) {
    if (now === null || run.limit.cut) break;
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
      return visit(node.command, state, withStdin(run, node.redirects));
    case "Script":
      return list(node.commands, state, node.source === undefined ? run : { ...run, source: node.source });
    case "CompoundList":
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
    case "ProcessSubstitution":
      // What is written to `>(..)` is not known here.
      apart(node, state, node.operator === ">" ? withUnknownInput(run) : run);
      return { ok: state, fail: state };
    case "Function":
      run.functions?.set(node.name.text, (run.source ?? "").slice(node.body.pos, node.body.end));
      apart(node, state, withUnknownInput(run));
      return { ok: state, fail: state };
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
    if (on.run.limit.cut) break;
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
    if (run.limit.cut) break;
    if (node.type === "Command") before = simple(node, { state, run, pipedFrom: before }).command;
    else {
      visit(
        node,
        state,
        before === undefined ? run : { ...run, stdin: { pipedFrom: before, redirects: [] } },
      );
      before = UNKNOWN_COMMAND;
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
  const given = [...(node.name ? [node.name] : []), ...node.args].map((arg) => ({
    text: arg.text,
    words: wordsOf(arg, variables),
  }));
  const words = given.flatMap((arg) => arg.words);
  const written = given.flatMap((arg) => arg.words.map(() => arg.text));
  const { redirects: flat, heredoc } = readRedirects(node.redirects);
  const command: SimpleCommand = {
    argv: words.map(({ text }) => (text.includes(UNKNOWN) ? null : text)),
    words: written,
    assignments: node.prefix.flatMap((item) => assignmentsOf(item, variables)),
    raw: "",
    ...(flat.some(isStdin) || on.pipedFrom !== undefined ? {} : run.stdin),
    redirects: [...flat, ...(flat.some(isStdin) ? [] : (run.stdin?.redirects ?? []))],
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
    ...(run.outer === undefined ? {} : { outer: run.outer }),
    ...(run.source === undefined ? {} : { source: run.source }),
  });
  const outer = { command, ...(run.outer === undefined ? {} : { outer: run.outer }) };
  for (const inner of elsewhere === undefined ? nestedTexts(command, run.shell) : [])
    readText(inner.text, { ...run, shell: inner.shell, depth: run.depth + 1, outer }, state);
  const after = afterCommand(node, argv, { state, command });
  if (after.ok !== null && isTooMuch(after.ok)) run.limit.cut = true;
  return { ...after, command };
}

function redirected(redirects: readonly Redirection[], state: State, run: Run): void {
  const read = redirectWords(redirects, state.variables);
  const command: SimpleCommand = { argv: [], words: [], assignments: [], raw: "", redirects: [] };
  run.out.push({ argv: [], globs: new Set(), folders: state.folders, redirects: read, command });
}
