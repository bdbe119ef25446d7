/** Every place on the network that a terminal text would reach. Judges nothing. */
import type { Shell } from "../call";
import { locateCommands } from "../paths/commandTree";
import type { LocatedCommand } from "../paths/locatedCommand";
import { UNKNOWN } from "../paths/shellWords";
import { isWindowsShell, programName } from "../shell/command";
import { parseShell } from "../shell/parse";
import { codeDestinations } from "./codeDestinations";
import { addressesIn, type Destination, toAddress, toHost } from "./destination";
import { gitDestinations } from "./gitDestinations";
import { hostDestinations } from "./hostPrograms";
import { hostOf } from "./hosts";
import { serviceDestinations } from "./servicePrograms";
import { WEB_PROGRAMS } from "./webPrograms";

/** An address among the words of these is text, or belongs to the account they are signed in to. */
const NO_CLIENTS = new Set(
  "echo printf print write-output write-host grep egrep fgrep rg ag ack sed gsed awk gawk mawk perl-rename jq yq test [ [[ export set declare local typeset env alias read true false cat head tail tee sort uniq cut tr diff cmp wc xargs basename dirname date sleep cd pushd mkdir touch rm cp mv ln chmod chown ls find tree git gh glab az aws gcloud gsutil gpg export-csv eval trap code cursor vim nano emacs less more man say notify-send logger expr let seq npm-check history".split(
    " ",
  ),
);
const INTERPRETERS =
  /^(python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua\d*|osascript|rscript|julia|groovy)$/;
/** Variables that lead programs to another host. */
const LEADS =
  /^(?:.*_)?(?:https?|all|ftp|socks)_proxy$|^(?:GOPROXY|(?:PIP|UV|POETRY)_.*(?:INDEX|REPOSITOR).*|NPM_CONFIG_REGISTRY|YARN_NPM_REGISTRY_SERVER|DOCKER_HOST|AWS_ENDPOINT_URL.*|CARGO_REGISTRIES_.*|RUSTUP_DIST_SERVER|HF_ENDPOINT|(?:OPENAI|ANTHROPIC)_(?:API_)?BASE(?:_URL)?)$/i;

export function commandDestinations(text: string, shell: Shell): readonly Destination[] {
  const { commands, cut } = locateCommands(text, shell);
  // What was not read through may reach anywhere.
  if (cut)
    return [
      toHost(null, {
        by: "a command",
        what: "send",
        shown: "too long or too deeply nested to be read through",
      }),
    ];
  const found = commands.flatMap((located) => ofCommand(located, shell));
  return [...found, ...assigned(text, shell)];
}

function ofCommand(located: LocatedCommand, shell: Shell): readonly Destination[] {
  const { argv, elsewhere, redirects, folders, command } = located;
  const devices = redirects.flatMap(({ word }) => device(word.text));
  // What ssh runs over there reaches out from there; the machine itself is the destination.
  const remote = elsewhere?.findIndex((word) => programName(word) === "ssh") ?? -1;
  if (elsewhere !== undefined && remote >= 0)
    return [...devices, ...(WEB_PROGRAMS.ssh?.(elsewhere.slice(remote + 1), "ssh") ?? [])];
  const program = programName(argv[0]) ?? "";
  const args = argv.slice(1);
  if (program === "git") return [...devices, ...gitDestinations(args, folders)];
  const web = Object.hasOwn(WEB_PROGRAMS, program) ? WEB_PROGRAMS[program] : undefined;
  if (web !== undefined) return [...devices, ...web(args, program)];
  const services = [...serviceDestinations(program, args), ...hostDestinations(program, args)];
  const endpoints = NO_CLIENTS.has(program) ? addressesIn(endpoint(args)) : addressesIn(args);
  const specs = NO_CLIENTS.has(program) ? [] : packageSpecs(args);
  const code = INTERPRETERS.test(program)
    ? codeDestinations([...args, command.heredoc ?? ""].join("\n"), program)
    : [];
  const dotNet =
    isWindowsShell(shell) &&
    /Net\.WebClient|HttpClient|Download(String|File)|Upload(String|File)/i.test(command.raw)
      ? codeDestinations(command.raw, "PowerShell")
      : [];
  const plain = [...endpoints, ...specs].map((address) => toAddress(address, { by: program }));
  return [...devices, ...services, ...plain, ...code, ...dotNet, ...modules(program, args)];
}

/** `exec 3<>/dev/tcp/host/80`: bash itself connects. */
function device(text: string): readonly Destination[] {
  const match = /^\/dev\/(?:tcp|udp)\/([^/]+)/.exec(text);
  return match === null ? [] : [toHost(hostOf(match[1] ?? ""), { by: "bash", what: "send", shown: text })];
}

/** `--endpoint-url https://…` of the clouds' own programs. */
function endpoint(args: readonly string[]): readonly string[] {
  return args.flatMap((word, at) => {
    if (/^--endpoint(-url)?$/.test(word)) return [args[at + 1] ?? ""];
    return /^--endpoint(-url)?=/.test(word) ? [word.replace(/^[^=]*=/, "")] : [];
  });
}

/** `git+https://…`, `name @ https://…`, `name=git+ssh://…` */
function packageSpecs(args: readonly string[]): readonly string[] {
  return args.flatMap((word) => {
    const spec =
      /(?:^|@\s*|=)((?:git|hg|svn|bzr)\+[a-z]+:\/\/\S+)/.exec(word)?.[1] ??
      /^\S+\s*@\s*(https?:\/\/\S+)/.exec(word)?.[1];
    return spec === undefined || word.startsWith(spec) ? [] : [spec];
  });
}

/** `go get example.com/pkg`: the first name of a module is a host. */
function modules(program: string, args: readonly string[]): readonly Destination[] {
  if (program !== "go" || !/^(get|install|run)$/.test(args[0] ?? "")) return [];
  return args.slice(1).flatMap((word) => {
    const host = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/[\w./-]+(?:@\S*)?$/i.exec(word)?.[1];
    return host === undefined || /\.go$/.test(host)
      ? []
      : [toHost(host.toLowerCase(), { by: "go", shown: word })];
  });
}

/** `HTTPS_PROXY=http://host cmd`, `export GOPROXY=https://host` */
function assigned(text: string, shell: Shell): readonly Destination[] {
  if (!/proxy|index|registr|docker_host|endpoint|dist_server|_base/i.test(text)) return [];
  const { commands } = parseShell(text, shell);
  return commands.flatMap(({ argv, assignments }) => {
    const exported = /^(export|declare|typeset|env|set|setx)$/.test(argv[0] ?? "")
      ? argv.slice(1).flatMap((word) => {
          const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word ?? "") ?? [];
          return name === undefined ? [] : [{ name, value: value ?? "" }];
        })
      : [];
    return [...assignments, ...exported].flatMap(({ name, value }) => {
      if (!LEADS.test(name) || value === "" || /^(off|direct|none)$/i.test(value ?? "")) return [];
      const shown = `${name}=${value ?? "…"}`;
      return [
        toHost(value === null || value.includes(UNKNOWN) ? null : hostOf(value.split(/[,|]/)[0] ?? ""), {
          by: name,
          what: "send",
          shown,
        }),
      ];
    });
  });
}
