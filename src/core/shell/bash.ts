/** Flattens a bash text into simple commands through its syntax tree. Knows nothing of what any command does. */
import {
  type Assignment,
  type Command,
  forEachChild,
  type PipelineNode,
  type Redirection,
  type SyntaxNode,
} from "unbash";
import { TOO_DEEP } from "./bashLoad";
import { bashTree } from "./bashTree";
import { isStdin, type SimpleCommand, UNKNOWN_COMMAND } from "./command";
import { type ReadLimit, TOO_MUCH, take } from "./readLimit";
import { expandWord, readRedirects, wordText } from "./words";

const MAX_NODES = 400_000;

export interface Flattened {
  readonly commands: readonly SimpleCommand[];
  /** Absent when the text could be read as a whole. */
  readonly problem?: string;
}

interface Stdin {
  readonly heredoc?: string;
  readonly redirects?: readonly SimpleCommand["redirects"][number][];
  readonly pipedFrom?: SimpleCommand;
}

interface Visit {
  readonly node: SyntaxNode;
  readonly source: string;
  readonly stdin: Stdin;
}

/** What a body inherits when nobody can tell what it will be given. */
const UNKNOWN_STDIN: Stdin = { pipedFrom: UNKNOWN_COMMAND };

/** For a text whose `bashLoad` is not too much. */
export function flattenBash(text: string, limit: ReadLimit): Flattened {
  try {
    return walk(bashTree(text), text, limit);
  } catch {
    // The parser recurses in a few places; a text that overflows the stack is not a command anyone wrote.
    limit.cut = true;
    return { commands: [], problem: TOO_DEEP };
  }
}

/** A walk with its own stack: the tree of a long expression is as deep as the expression is long. */
function walk(script: SyntaxNode, text: string, limit: ReadLimit): Flattened {
  const commands: SimpleCommand[] = [];
  const stack: Visit[] = [{ node: script, source: text, stdin: {} }];
  let problem: string | undefined;
  let rewired = false;
  for (let count = 0; stack.length > 0; count++) {
    if (count > MAX_NODES) {
      limit.cut = true;
      return { commands, problem: TOO_MUCH };
    }
    const visit = stack.pop();
    if (visit === undefined) break;
    const { node } = visit;
    if (node.type === "Script" && node.errors?.[0] !== undefined) problem ??= node.errors[0].message;
    if (node.type === "Command") {
      if (!take(limit, "commands", 1) || !take(limit, "words", node.suffix.length + node.prefix.length))
        return { commands, problem: TOO_MUCH };
      const command = simpleCommand(node, visit);
      if (command.argv[0] === "exec" && command.argv.length === 1 && feedsStdin(command)) rewired = true;
      commands.push(command);
    }
    const children = childVisits(visit);
    for (let i = children.length - 1; i >= 0; i--) {
      const child = children[i];
      if (child !== undefined) stack.push(child);
    }
  }
  const all = rewired ? commands.map(withUnknownStdin) : commands;
  return problem === undefined ? { commands: all } : { commands: all, problem };
}

function childVisits(visit: Visit): readonly Visit[] {
  const { node } = visit;
  if (node.type === "Pipeline") return pipelineVisits(node.commands, visit);
  const source = node.type === "Script" ? (node.source ?? visit.source) : visit.source;
  let stdin = visit.stdin;
  if (node.type === "Function" || node.type === "Coproc") stdin = UNKNOWN_STDIN;
  if (node.type === "Redirected") stdin = stdinOf(node.redirects) ?? stdin;
  // Substitutions inside a word inherit nothing that could be SQL for them in practice, but the body does.
  const out: Visit[] = [];
  // What is written to `>(..)` is not known here.
  forEachChild(node, (child) => {
    const written = node.type === "ProcessSubstitution" && node.operator === ">";
    out.push({ node: child, source, stdin: written ? UNKNOWN_STDIN : stdin });
  });
  return out;
}

function pipelineVisits(nodes: readonly PipelineNode[], visit: Visit): readonly Visit[] {
  let stdin = visit.stdin;
  return nodes.map((node) => {
    const here: Visit = { node, source: visit.source, stdin };
    stdin = { pipedFrom: node.type === "Command" ? simpleCommand(node, here) : UNKNOWN_COMMAND };
    return here;
  });
}

function stdinOf(redirections: readonly Redirection[]): Stdin | undefined {
  const { redirects, heredoc } = readRedirects(redirections);
  const inputs = redirects.filter(isStdin);
  if (inputs.length === 0) return undefined;
  return heredoc === undefined ? { redirects: inputs } : { redirects: inputs, heredoc };
}

function feedsStdin(command: SimpleCommand): boolean {
  return command.redirects.some(isStdin);
}

function withUnknownStdin(command: SimpleCommand): SimpleCommand {
  if (feedsStdin(command) || command.pipedFrom !== undefined) return command;
  return { ...command, pipedFrom: UNKNOWN_COMMAND };
}

function simpleCommand(node: Command, visit: Visit): SimpleCommand {
  const argv: (string | null)[] = [];
  const words: string[] = [];
  const add = (texts: readonly (string | null)[], word: string) => {
    for (const text of texts) {
      argv.push(text);
      words.push(word);
    }
  };
  if (node.name) add(expandWord(node.name), node.name.text);
  for (const arg of node.args) {
    if (arg.type === "Word") add(expandWord(arg), arg.text);
    else add([assignmentText(arg)], arg.text);
  }
  const own = readRedirects(node.redirects);
  const inherit = own.redirects.some(isStdin) ? {} : visit.stdin;
  const assignments = node.prefix
    .filter((item): item is Assignment => item.type === "Assignment")
    .map((item) => ({ name: item.name, value: item.value.type === "Word" ? wordText(item.value) : null }));
  return {
    argv,
    words,
    assignments,
    raw: visit.source.slice(node.pos, node.end),
    ...own,
    redirects: [...own.redirects, ...(inherit.redirects ?? [])],
    ...(inherit.heredoc === undefined ? {} : { heredoc: inherit.heredoc }),
    ...(inherit.pipedFrom === undefined ? {} : { pipedFrom: inherit.pipedFrom }),
  };
}

function assignmentText(item: Assignment): string | null {
  if (item.index !== undefined || item.value.type !== "Word") return null;
  const value = wordText(item.value);
  return value === null ? null : `${item.name}${item.append ? "+=" : "="}${value}`;
}
