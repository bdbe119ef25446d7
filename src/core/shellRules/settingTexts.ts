/** Texts that variables of the environment give to programs to run. Judges nothing. */
import type { LocatedCommand } from "../paths/locatedCommand";
import type { NestedText } from "../shell/nestedText";

const RUN_SETTINGS =
  /^(?:PS[0-4]|PROMPT_COMMAND|BASH_COMMAND|GIT_(?:SSH|SSH_COMMAND|PROXY_COMMAND|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS)|PAGER|EDITOR|VISUAL|FCEDIT|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|SUDO_EDITOR|KUBE_EDITOR|KUBECTL_EXTERNAL_DIFF|LESSOPEN|LESSCLOSE|MANPAGER|SYSTEMD_(?:PAGER|EDITOR)|PSQL_(?:PAGER|EDITOR)|AWS_PAGER|GH_(?:PAGER|EDITOR|BROWSER)|TAR_OPTIONS|FZF_DEFAULT_COMMAND|RSYNC_RSH|CVS_RSH|RUBYOPT|NPM_CONFIG_(?:EDITOR|SCRIPT_SHELL))$/i;

/** `PS4='$(rm -rf src)' bash -x a.sh`, `env GIT_EDITOR='rm -rf src' git commit` */
export function settingTexts({ command }: LocatedCommand, argv: readonly string[]): readonly NestedText[] {
  const sets = /^(export|declare|typeset|readonly|local|env)$/.test(argv[0] ?? "") ? argv.slice(1) : [];
  const wrapped = command.argv
    .slice(0, Math.max(0, command.argv.length - argv.length))
    .filter((word) => word !== null);
  const given = [...sets, ...wrapped].filter((word) => /^\w+=/.test(word));
  const set = [
    ...command.assignments.map(({ name, value }) => [name, value ?? ""] as const),
    ...given.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)] as const),
  ];
  return set.flatMap(([name, value]): readonly NestedText[] => {
    if (!RUN_SETTINGS.test(name) || value === "") return [];
    return /^PS\d$/.test(name)
      ? [{ text: `: <<COUNTERSIGN_END\n${value}\nCOUNTERSIGN_END\n`, shell: "bash" }]
      : [{ text: value.replace(/^\|{1,2}-?/, ""), shell: "bash" }];
  });
}
