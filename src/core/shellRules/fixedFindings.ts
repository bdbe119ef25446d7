/** Findings about a whole text or a program's text, which no row of the table can name. Pure data. */
import type { ShellRule } from "./shellRule";

export type FindingRule = Pick<ShellRule, "id" | "reason" | "suggestion" | "onceOnly" | "verdict">;

export const UNREAD: FindingRule = {
  id: "run.unread",
  reason:
    "It is too long, too deep or misspelt to be read as a whole, so that nobody can tell all that it runs.",
  suggestion: "Write it in a plainer form, one command at a time.",
  onceOnly: true,
};

export const BOMB: FindingRule = {
  id: "run.bomb",
  reason: "It starts itself again and again until the machine stops.",
  suggestion: "Do not run it.",
  verdict: "deny",
};

export const FETCHED: FindingRule = {
  id: "run.fetched",
  reason: "It runs a program that has just been fetched and that nobody has seen.",
  suggestion: "Read the file first, then run it by a command of its own.",
  onceOnly: true,
};

export const CODE: FindingRule = {
  id: "run.code_removes",
  reason: "The program text removes whole folders or many files.",
  suggestion: "Name the files one by one.",
  onceOnly: true,
};

export const HIDDEN_CODE: FindingRule = {
  id: "run.code_hidden",
  reason: "The program text runs what nobody can tell from it.",
  suggestion: "Write the call itself, with its words.",
  onceOnly: true,
};
