/** Programs that run text in the words behind one of their options, by that option. Pure data with one reading. */
import { programName, type SimpleCommand } from "../shell/command";
import { stdinText } from "../shell/stdin";

const FOREIGN: Readonly<Record<string, RegExp>> = {
  lua: /^-e$/,
  luajit: /^-e$/,
  texlua: /^-e$/,
  emacs: /^--?(?:eval|execute)$/,
  emacsclient: /^(?:-e|--eval)$/,
  vim: /^(?:-c|--cmd|-S)$|^\+/,
  nvim: /^(?:-c|--cmd|-l)$|^\+/,
  vi: /^-c$|^\+/,
  ex: /^-c$|^\+/,
  view: /^-c$|^\+/,
  gvim: /^-c$|^\+/,
  rscript: /^-e$/,
  r: /^-e$/,
  julia: /^(?:-e|-E|--eval)$/,
  octave: /^--eval$/,
  matlab: /^-(?:r|batch)$/,
  gnuplot: /^-e$/,
  elixir: /^(?:-e|--eval)$/,
  iex: /^(?:-e|--eval)$/,
  erl: /^-(?:eval|run|s)$/,
  clojure: /^(?:-e|--eval|-M|-X)$/,
  clj: /^(?:-e|--eval)$/,
  bb: /^(?:-e|--eval)?$/,
  lein: /^(?:-e|run)$/,
  racket: /^(?:-e|--eval)$/,
  guile: /^-c$/,
  sbcl: /^--eval$/,
  clisp: /^-x$/,
  ecl: /^-?-eval$/,
  scheme: /^--eval$/,
  csi: /^-e$/,
  janet: /^-e$/,
  ocaml: /^-e$/,
  ghc: /^-e$/,
  runghc: /^-e$/,
  stack: /^-e$/,
  groovy: /^-e$/,
  kotlin: /^-e$/,
  kotlinc: /^-e$/,
  scala: /^-e$/,
  jshell: /^$/,
  swift: /^-e$/,
  nim: /^--eval/,
  crystal: /^eval$/,
  dart: /^-e$/,
  tclsh: /^-c$/,
  wish: /^$/,
  expect: /^-c$/,
  osascript: /^-e$/,
  m4: /^$/,
  xonsh: /^-c$/,
  elvish: /^-c$/,
  nu: /^(?:-c|--commands)$/,
  deno: /^eval$/,
  raku: /^-\w*e$/,
  awk: /^$/,
  bpython: /^-c$/,
  ipython: /^-c$/,
  sage: /^-c$/,
  node: /^(?:-e|-p|--eval|--print)$/,
  bun: /^(?:-e|--eval)$/,
};

/** Code in the words and on standard input, or none for a program that is no such. */
export function foreignCode(argv: readonly string[], command: SimpleCommand): readonly string[] {
  const own = programName(argv[0]) ?? "";
  const name = Object.hasOwn(FOREIGN, own) ? own : own.replace(/[\d.]+$/, "");
  const option = Object.hasOwn(FOREIGN, name) ? FOREIGN[name] : undefined;
  if (option === undefined) return [];
  const words = argv.slice(1).filter((word, at) => {
    const before = argv[at] ?? "";
    if (option.test(before) && at > 0) return true;
    return /^[-+]/.test(word)
      ? /^(?:--eval=|\+)/.test(word) && option.test(word.replace(/=.*$/s, ""))
      : name === "bb" && /[\s(]/.test(word);
  });
  const stdin = stdinText(command);
  return [...words, ...(stdin.kind === "text" ? stdin.texts : [])];
}
