/** Finds the shell text that a command hands to another shell (`sh -c`, `eval`, `ssh`, `find -exec`, a pipe into sh). */
import type { Shell } from "../call";
import { programName, type SimpleCommand } from "./command";
import { printedBy, written, xargsTexts } from "./nestedPrinted";
import { calledText, gitTexts, parallelTexts } from "./nestedRunners";
import { joined, type NestedText, quote } from "./nestedText";
import { encodedTexts } from "./powershellEncoded";
import { stdinText } from "./stdin";
import { effectiveArgv, isSplitString } from "./wrappers";

const POSIX_SHELLS: Readonly<Record<string, Shell>> = {
  sh: "sh",
  bash: "bash",
  zsh: "zsh",
  dash: "sh",
  ash: "sh",
  ksh: "sh",
  mksh: "sh",
  rbash: "bash",
  fish: "sh",
  csh: "sh",
  tcsh: "sh",
};

export function nestedTexts(command: SimpleCommand, shell: Shell): readonly NestedText[] {
  const direct = viaArgv(command.argv, command, shell);
  const argv = effectiveArgv(command);
  const wrapped = argv === command.argv ? [] : viaArgv(argv, command, shell);
  return [...direct, ...wrapped];
}

function viaArgv(
  argv: readonly (string | null)[],
  command: SimpleCommand,
  shell: Shell,
): readonly NestedText[] {
  const name = programName(argv[0]) ?? "";
  const posix = Object.hasOwn(POSIX_SHELLS, name) ? POSIX_SHELLS[name] : undefined;
  if (posix !== undefined) return shellBody(argv, command, posix);
  switch (name) {
    case "start-process":
    case "saps":
      return joined(
        argv.slice(1).filter((word) => !/^-[a-z]+$/i.test(word ?? "")),
        shell,
      );
    case "eval":
    case "watch":
    case "invoke-expression":
    case "iex":
      return [...joined(argv.slice(1), shell), ...printed(argv, command, shell)];
    case ".":
    case "source":
      return /^(?:\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0|-)$/.test(argv[1] ?? "")
        ? fromStdin(command, shell)
        : printed(argv, command, shell);
    case "xargs":
      return xargsTexts(argv, command).map((text) => ({ text, shell: "sh" }));
    case "parallel":
    case "rush":
    case "rust-parallel":
      return parallelTexts(argv, shell);
    case "git":
      return gitTexts(argv);
    case "npx":
    case "npm":
    case "pnpm":
    case "bunx":
      return calledText(argv);
    case "at":
    case "batch":
      return fromStdin(command, "sh");
    case "trap":
      return joined(argv.slice(1, 2), shell);
    case "ssh": {
      const inner = effectiveArgv({ argv });
      return inner === argv ? fromStdin(command, "sh") : joined(inner, "sh");
    }
    case "su":
    case "script":
    case "flock":
    case "runuser":
    case "sg":
    case "vagrant":
      return afterOption(argv, /^-[a-z]*c$|^--command$/, "sh");
    case "nix-shell":
    case "nix":
      return afterOption(argv, /^--run$|^--command$/, "sh");
    case "fly":
    case "flyctl":
      return afterOption(argv, /^-C$|^--command$/, "sh");
    case "gcloud":
      return afterOption(argv, /^--command$/, "sh");
    case "hyperfine":
    case "tmux":
    case "screen":
    case "watchexec":
      return argv
        .slice(1)
        .flatMap((word) => (word !== null && /\s/.test(word) ? [{ text: word, shell }] : []));
    case "env":
      return splitString(argv);
    case "sudo":
    case "doas":
      return loginShell(argv, command);
    case "find":
      return findExec(argv);
    case "pwsh":
    case "powershell":
      return [
        ...afterOption(argv, /^[-/]c(o(m(m(a(nd?)?)?)?)?)?$/i, "pwsh"),
        ...encodedTexts(argv).map((text) => ({ text, shell: "pwsh" as const })),
      ];
    case "cmd":
      return afterOption(argv, /^\/[ckr]$/i, "cmd");
    default:
      return [];
  }
}

/** What a word between `$(` and `)` prints is run. */
function printed(
  argv: readonly (string | null)[],
  command: SimpleCommand,
  shell: Shell,
): readonly NestedText[] {
  return argv.flatMap((word, at) =>
    word === null && at > 0 ? printedBy(written(argv, at, command)).map((text) => ({ text, shell })) : [],
  );
}

/** `-c` may stand among other letters, and options may follow it: the first word that is no option is the text. */
function shellBody(
  argv: readonly (string | null)[],
  command: SimpleCommand,
  shell: Shell,
): readonly NestedText[] {
  let sawC = false;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word === null || word === undefined) {
      return printedBy(written(argv, at, command)).map((text) => ({ text, shell }));
    }
    if (/^[-+][A-Za-z]+$/.test(word)) {
      sawC ||= word.startsWith("-") && word.includes("c");
      if (/[oO]$/.test(word)) at++;
    } else if (word === "--rcfile" || word === "--init-file") at++;
    else if (!word.startsWith("--") && !/^(?:-|\/dev\/stdin|\/dev\/fd\/0)$/.test(word))
      return sawC ? [{ text: word, shell }] : [];
  }
  return fromStdin(command, shell);
}

function fromStdin(command: SimpleCommand, shell: Shell): readonly NestedText[] {
  const stdin = stdinText(command);
  return stdin.kind === "text" ? stdin.texts.map((text) => ({ text, shell })) : [];
}

/** `sudo -i` and `sudo -s` without a command start a shell. */
function loginShell(argv: readonly (string | null)[], command: SimpleCommand): readonly NestedText[] {
  const starts = argv.some((word) => /^-[a-zA-Z]*[is]$|^--(?:login|shell)$/.test(word ?? ""));
  return starts && effectiveArgv({ argv }) === argv ? fromStdin(command, "sh") : [];
}

function splitString(argv: readonly (string | null)[]): readonly NestedText[] {
  const at = argv.findIndex(isSplitString);
  if (at < 0) return [];
  const own = (argv[at] ?? "").replace(/^-[a-z0]*S|^--split-string=?/, "");
  const words = own === "" ? argv.slice(at + 1) : [own, ...argv.slice(at + 1)];
  return joined(
    [words[0] ?? null, ...words.slice(1).map((word) => (word === null ? null : quote(word)))],
    "sh",
  );
}

function afterOption(argv: readonly (string | null)[], option: RegExp, shell: Shell): readonly NestedText[] {
  const at = argv.findIndex((word, index) => index > 0 && option.test(word?.split("=")[0] ?? ""));
  const own = /^--[\w-]+=([\s\S]*)$/.exec(argv[at] ?? "")?.[1];
  if (own !== undefined) return joined([own], shell);
  return at < 0 ? [] : joined(argv.slice(at + 1, shell === "sh" ? at + 2 : undefined), shell);
}

/** `find -exec cmd {} \;`: the words are quoted again, so that nothing in them is read as shell. */
function findExec(argv: readonly (string | null)[]): readonly NestedText[] {
  const out: NestedText[] = [];
  for (let at = 1; at < argv.length; at++) {
    if (!/^-(exec|ok)(dir)?$/.test(argv[at] ?? "")) continue;
    let end = at + 1;
    while (end < argv.length && argv[end] !== ";" && argv[end] !== "+") end++;
    const words = argv
      .slice(at + 1, end)
      .map((word) => (word === null || word === "{}" ? '"$UNKNOWN"' : quote(word)));
    if (words.length > 0) out.push({ text: words.join(" "), shell: "sh" });
    at = end;
  }
  return out;
}
