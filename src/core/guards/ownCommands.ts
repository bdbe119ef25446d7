/** Commands that change governance without naming a protected file: our own binary, the editor's, git config, code in a word. */

import type { LocatedCommand } from "../paths/locatedCommand";
import { ownArguments } from "../paths/ownProgram";
import { PROTECTED_WORDS } from "../paths/protectedPlaces";
import { programName } from "../shell/command";

const EDITORS =
  /^(code|code-insiders|codium|vscodium|cursor|windsurf|code-server|openvscode-server|code-tunnel)$/;
const EDITOR_FLAGS =
  /^--(install|uninstall|disable|enable)-extensions?\b|^--(add-mcp|extensions-dir|user-data-dir|profile)\b/;
const INTERPRETERS =
  /^(python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|ruby|perl|php|lua\d*|osascript|pwsh|powershell|rscript|julia|groovy|scala|swift|ex|ed|awk|gawk|jshell)$/;
/** Settings of git that name a program to run. */
const GIT_KEYS =
  /^(core\.(hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy|worktree|attributesfile)|alias\.|filter\.|diff\..*(command|textconv)|difftool\.|mergetool\.|merge\..*driver|credential\.|include(if)?\.|sequence\.editor|gpg\..*program|gpg\.program|init\.templatedir|protocol\.|uploadpack\.|receive\.|interactive\.difffilter|pager\.|url\.)/i;
/** Code that changes files, as far as words can tell. */
const CHANGES =
  /\b(write|writefile|writefilesync|append|appendfile|unlink|unlinksync|remove|rename|renamesync|rmtree|rm|rmdir|rmsync|truncate|copy|copyfile|move|dump|chmod|symlink|replace|touch|spawn|exec|execsync|system|popen|subprocess|put_contents|file_put_contents|set-content|out-file|remove-item)|['"][rwax]\+?b?\+?['"]\s*\)|['"](w|a|x|wb|ab|w\+|a\+|r\+)['"]|>>?\s*['"]/i;
/** A folder that holds protected files, alone in quotes. */
const PROTECTED_FOLDER =
  /["'`]((?:[\w.~-]*\/)*\.(?:claude|vscode|git|husky|githooks|cursor|codex|gemini|qwen|opencode|copilot|clinerules|countersign))\/?["'`]/;
const TAKES =
  /\b(?:rename(?:Sync|s)?|os\.replace|shutil\.move|move(?:Sync)?|rmtree|rm(?:Sync|dirSync|dir|_rf|_r)?|removedirs|remove(?:Sync)?|symlink(?:Sync)?|copytree|cpSync|mv|FileUtils)\b/;
/** Programs that write a protected place without naming it. */
const WRITERS: Readonly<Record<string, RegExp>> = {
  "pre-commit": /^(install|init-templatedir)\b/,
  lefthook: /^(install|add)\b/,
  husky: /^(init|install|add|set)\b/,
  direnv: /^(allow|permit|grant)\b/,
  crontab: /^(?!-l$)./,
  at: /^(?!-(l|c)\b)./,
  batch: /^/,
  systemctl: /^(--user )?(enable|link|edit|set-property)\b/,
  launchctl: /^(load|bootstrap|enable|submit)\b/,
  schtasks: /^[/-](create|change)\b/i,
  claude:
    /^(mcp (add|remove)|config (set|add|remove)|plugin (install|enable|disable|uninstall)|update|install)/,
  codex: /^mcp (add|remove)/,
  gemini: /^(mcp (add|remove)|extensions (install|enable|disable|uninstall|link))/,
  copilot: /^(mcp|plugin) /,
};
const GIT_WRITERS = /^(lfs (install|uninstall)|(init|clone) .*--template\b)/;
const READ_ONLY = new Set(["judge", "explain", "verify", "hello-hooks", "doctor", "help", "version"]);

/** What a person is asked, or undefined when nothing of the kind happens. */
export function riskyCommand({ argv, command }: LocatedCommand): string | undefined {
  const name = programName(argv[0]) ?? "";
  const own = ownArguments(argv);
  if (own !== undefined) return ownRisk(own);
  if (EDITORS.test(name)) {
    const flag = argv.find((word) => EDITOR_FLAGS.test(word));
    return flag === undefined
      ? undefined
      : `Run ${name} ${flag}: it changes which extensions the editor runs.`;
  }
  if (name === "git") return gitRisk(argv);
  const [program, words] = runBy(name, argv);
  if (Object.hasOwn(WRITERS, program) && WRITERS[program]?.test(words.join(" ")))
    return `Run ${[program, ...words].join(" ").slice(0, 80)}: it arranges what will run later, or what governs agents.`;
  if (INTERPRETERS.test(name)) {
    const code = [...argv.slice(1), command.heredoc ?? ""].join("\n");
    if (PROTECTED_WORDS.test(code) && CHANGES.test(code))
      return `Run ${name} code that names a protected file (${PROTECTED_WORDS.exec(code)?.[0] ?? ""}) and changes files.`;
    const taken = TAKES.test(code) ? PROTECTED_FOLDER.exec(code)?.[1] : undefined;
    if (taken !== undefined)
      return `Run ${name} code that names ${taken}, which holds protected files, and moves or removes folders.`;
  }
  return undefined;
}

/** `npx husky init` is husky. */
function runBy(name: string, argv: readonly string[]): readonly [string, readonly string[]] {
  const words = argv.slice(1);
  if (!/^(npx|bunx|pnpx|pnpm|yarn|uvx|pipx)$/.test(name)) return [name, words];
  const at = words.findIndex((word) => !word.startsWith("-") && !/^(exec|dlx|run)$/.test(word));
  return [programName(words[at]?.replace(/(?<=.)@[\w.-]+$/, "")) ?? "", words.slice(at + 1)];
}

function ownRisk(args: readonly string[]): string | undefined {
  const says = (text: string) => `Run countersign ${text}: it changes what governs agents.`;
  if (args.some((word) => word.startsWith("--trust-config"))) return says("--trust-config");
  const [verb, second, third] = args.filter((word) => !word.startsWith("-"));
  if (verb === undefined) {
    const odd = args.find((word) => !/^(-h|--help|-v|-V|--version)$/.test(word));
    return odd === undefined ? undefined : says(odd);
  }
  if (READ_ONLY.has(verb)) return undefined;
  if (verb === "card" && second === "source" && third === "doctor") return undefined;
  if (/^(list|status|show|search|diff|validate|check)$/.test(second ?? "")) return undefined;
  return says([verb, second].filter((word) => word !== undefined).join(" "));
}

function gitRisk(argv: readonly string[]): string | undefined {
  if (GIT_WRITERS.test(argv.slice(1).join(" ")))
    return `Run git ${argv.slice(1, 3).join(" ")}: it puts hooks into repositories, which run later.`;
  const at = argv.indexOf("config");
  if (at > 0) {
    const rest = argv.slice(at + 1);
    if (rest.some((word) => /^(--get|--get-all|--get-regexp|--list|-l|get|list|--show-origin)$/.test(word)))
      return undefined;
    const words = rest.filter((word) => !word.startsWith("-") && !/^(set|unset|add|replace-all)$/.test(word));
    const key = words.find((word) => GIT_KEYS.test(word));
    const sets =
      words.length > 1 ||
      rest.some((word) => /^(--unset|--unset-all|--add|--replace-all|unset|set|--edit|-e)$/.test(word));
    if (rest.some((word) => word === "--edit" || word === "-e"))
      return "Edit git's settings, which can run programs later.";
    if (key !== undefined && sets) return `Set ${key} in git's settings: git runs what it names later.`;
  }
  return undefined;
}
