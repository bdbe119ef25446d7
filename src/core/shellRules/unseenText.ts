/** Tells when a command runs text that nobody can see: from the network, decoded, or out of a variable. Judges no text itself. */

import { isStdin, programName, type SimpleCommand } from "../shell/command";
import { stdinText } from "../shell/stdin";
import { effectiveArgv } from "../shell/wrappers";
import type { CommandWords } from "./commandWords";
import type { ReadCommand } from "./readCommands";
import { upstream } from "./removedFiles";

export const SHELLS = /^(?:ba|z|da|a|k|mk|fi|c|tc|rba)?sh$/;
const CODE = /^(?:python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|perl|php|lua|osascript|pwsh|powershell)$/;
/** What brings text from elsewhere or makes it readable. */
const BRINGS =
  /(?:^|[\s;|&(/])(?:curl|wget|fetch|http|https|xh|aria2c|lynx|nc|ncat|netcat|socat|telnet|ftp|sftp|scp|ssh|base64|base32|basenc|openssl|xxd|uudecode|gpg|gunzip|gzip|zcat|bzcat|xzcat|rev|tr|iwr|irm|invoke-webrequest|invoke-restmethod|curl\.exe|certutil|bitsadmin|dig|nslookup)(?:\s|$)/i;
/** Programs whose whole output is meant for the shell that starts them. */
const PREPARES =
  /\b(?:ssh-agent|keychain|direnv|brew|pyenv|rbenv|nodenv|goenv|jenv|asdf|mise|fnm|nvm|conda|mamba|micromamba|opam|luarocks|dircolors|lesspipe|starship|zoxide|atuin|thefuck|minikube|docker-machine|podman-machine|register-python-argcomplete|gh|kubectl|helm|npm|pnpm|poetry|uv|rustup|luarocks|perl|tmuxifier|fasd|hub|navi|fzf|zoxide|sheldon|antibody|resize|getopt|locale|gpg-agent|gnome-keyring-daemon|dbus-launch)\b/;

/** `curl … | sh`, `base64 -d | bash`: standard input is a program that nobody has seen. */
export function runsUnseenInput({ program, operands, options }: CommandWords, read: ReadCommand): boolean {
  const shell = SHELLS.test(program);
  if (!shell && !CODE.test(program)) return false;
  if (shell && options.some((word) => /^-\w*n\w*$/.test(word) && !/c/.test(word))) return false;
  if (
    options.some((word) => /^-\w*[cemEprRn]$|^--(eval|print|version|help|command)/.test(word)) &&
    !(shell && !/c/.test(options.join("")))
  )
    return false;
  const script = operands.filter(({ text }) => text !== "-" && text !== "/dev/stdin");
  if (script.length > 0 && !(shell && options.some((word) => /^-\w*s\w*$/.test(word)))) return false;
  const { command } = read.located;
  if (stdinText(command).kind !== "unknown") return false;
  const inputs = command.redirects.filter(isStdin);
  // A file is a program like any other; who wrote it is looked at elsewhere.
  if (inputs.length > 0) return inputs.some(({ op, target }) => op.startsWith("<<") || target === null);
  return !comesFromFile(command);
}

/** `cat a.sh | bash` */
function comesFromFile(command: SimpleCommand): boolean {
  const before = upstream(command);
  return (
    before.length > 0 &&
    before.every((one) => {
      const argv = effectiveArgv(one);
      const name = programName(argv[0]) ?? "";
      // What runs in a container or on another machine prints what is there.
      if (
        /^(?:docker|podman|nerdctl|kubectl|oc|ssh|docker-compose|wsl)$/.test(
          programName(one.argv.find((word) => !/^(?:sudo|doas|env)$/.test(word ?? "")) ?? null) ?? "",
        )
      )
        return false;
      return (
        /^(cat|head|tail|pv|envsubst)$/.test(name) &&
        (argv.length === 1 || argv.slice(1).every((word) => word !== null && !/^\/dev\/|^https?:/.test(word)))
      );
    })
  );
}

/** The word as it stands in the text: `"$(curl …)"`, `<(curl …)`. */
export function runsBrought({ program }: CommandWords, read: ReadCommand): boolean {
  const { words } = read.located.command;
  const runs =
    SHELLS.test(program) ||
    CODE.test(program) ||
    /^(?:eval|\.|source|iex|invoke-expression|exec|trap|sudo|su)$/.test(program);
  return runs && words.some((word) => /[<$]\(|`/.test(word) && BRINGS.test(word.replace(/[<$]\(|`/g, " ")));
}

/** A whole text that nobody can tell: `eval "$X"`, `sh -c "$X"`. */
export function runsUnknown({ program, words, options }: CommandWords, read: ReadCommand): boolean {
  const at = SHELLS.test(program)
    ? words.findIndex((_, i) => /^-\w*c$/.test(words[i - 1] ?? ""))
    : program === "eval" || program === "iex" || program === "invoke-expression"
      ? 0
      : -1;
  if (at < 0 || !/^\u0001+$/.test(words[at] ?? "")) return false;
  if (SHELLS.test(program) && options.length === 0) return false;
  const written = read.located.command.words.join(" ");
  return !(/[$]\(|`/.test(written) && (PREPARES.test(written) || /\$\(\s*(cat|<)\s/.test(written)));
}
