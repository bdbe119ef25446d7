/** Which files a terminal text runs: scripts, scripts of a package, recipes, tests, git's hooks. Judges nothing, reads no file. */
import type { Shell } from "../call";
import { inFolder } from "../paths/changeFolder";
import { locateCommands } from "../paths/commandTree";
import type { LocatedCommand } from "../paths/locatedCommand";
import { UNKNOWN } from "../paths/shellWords";
import { programName } from "../shell/command";
import { type ExecutedFile, isShell } from "./executedFile";
import { loaded, otherRunner } from "./otherRunners";

const CODE =
  /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|tsx|ts-node|ts-node-dev|nodemon|ruby|perl|php|lua[\d.]*|rscript|julia|groovy|java|pwsh|powershell|osascript|elixir|scala|swift|kotlin)$/;
const VALUED =
  /^(?:-[WXmcCeEprIOo]|--(?:import|require|loader|experimental-loader|config|rcfile|init-file|env-file|conditions|eval|print|command|watch-path|ext|exec|tsconfig|project|allow-\w+))$/;
const NO_SCRIPT = /^(?:-[a-zA-Z]*[ce]|--eval|--print|-p|-pe|--version|-V|--help|-h|--check)$/;
const TESTERS =
  /^(?:pytest|py\.test|vitest|jest|mocha|ava|tape|jasmine|playwright|rspec|phpunit|nose2|tox|unittest)$/;
const PACKAGERS = /^(?:npm|pnpm|yarn|bun)$/;
const GIT_RUNS_HOOKS =
  /^(?:commit|push|merge|rebase|checkout|switch|am|pull|cherry-pick|revert|gc|clone|worktree|receive-pack|stash)$/;

export type Executed =
  | ExecutedFile
  /** Every test below the folder that a runner would find; paths narrow it. */
  | { readonly tests: readonly string[]; readonly folder: string; readonly narrowed: "by path" | "by text" }
  /** Git's hooks of the repository at the folder. */
  | { readonly hooks: string };

export function executedFiles(text: string, shell: Shell): readonly Executed[] {
  return locateCommands(text, shell).commands.flatMap((located) =>
    // In a container or on another machine other files lie.
    located.elsewhere === undefined ? byFolder(located) : [],
  );
}

function byFolder(located: LocatedCommand): readonly Executed[] {
  const folders = located.folders.filter((folder) => folder !== null);
  const found = run(located);
  return folders.flatMap((folder) => found.map((one) => placed(one, folder)));
}

function placed(one: Executed, folder: string): Executed {
  if ("hooks" in one) return { hooks: inFolder(one.hooks, folder) };
  if ("tests" in one) {
    const named = one.narrowed === "by path" ? one.tests.map((path) => inFolder(path, folder)) : one.tests;
    return { ...one, tests: named, folder: inFolder(one.folder, folder) };
  }
  return { ...one, path: inFolder(one.path, folder) };
}

function run({ argv, command }: LocatedCommand): readonly Executed[] {
  const [first = ""] = argv;
  const name = programName(first) ?? "";
  const args = argv.slice(1);
  const other = otherRunner(name, args);
  if (other !== undefined) return other;
  if (isShell(name)) return script(args, { how: { kind: "shell" }, command });
  if (CODE.test(name)) return [...code(name, args, command), ...loaded(name, args, command)];
  if (TESTERS.test(name)) return [tests(name, args)];
  if (/^(?:npx|bunx|pnpx)$/.test(name)) {
    const at = args.findIndex((word) => !word.startsWith("-"));
    return at < 0
      ? []
      : run({ argv: args.slice(at), command, globs: new Set(), folders: [""], redirects: [] });
  }
  if (PACKAGERS.test(name)) return packaged(name, args);
  if (/^(?:g?make|gmake)$/.test(name)) return [made(args)];
  if (name === "git") return hooked(args);
  if (name === "go" && args[0] === "run")
    return args
      .slice(1)
      .filter((word) => /\.go$/.test(word))
      .map((path) => ({ path, how: { kind: "code", interpreter: "go" } }));
  if (name === "pm2" || name === "forever")
    return args.slice(1, 2).map((path) => ({ path, how: { kind: "program" } }));
  // Named by its place: the file itself is what runs.
  return /[/\\]|\.(?:py|sh|bash|ps1|bat|cmd)$/i.test(first) && !first.includes(UNKNOWN)
    ? [{ path: first, how: { kind: "program" } }]
    : [];
}

function script(
  args: readonly string[],
  { how, command }: { readonly how: ExecutedFile["how"]; readonly command: LocatedCommand["command"] },
): readonly ExecutedFile[] {
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (NO_SCRIPT.test(word)) return [];
    if (VALUED.test(word)) at++;
    else if (!word.startsWith("-")) break;
  }
  const path = args[at];
  if (path !== undefined) return path.includes(UNKNOWN) || /^[a-z]+:\/\//i.test(path) ? [] : [{ path, how }];
  return fromInput(command).map((file) => ({ path: file, how }));
}

/** `bash < x.sh`, `cat x.sh | bash` */
function fromInput(command: LocatedCommand["command"]): readonly string[] {
  const given = command.redirects.flatMap(({ op, target }) =>
    op === "<" && target !== null ? [target] : [],
  );
  const piped = command.pipedFrom;
  const printed =
    piped !== undefined && programName(piped.argv[0]) === "cat"
      ? piped.argv.slice(1).filter((word) => word !== null && !word.startsWith("-"))
      : [];
  return [...given, ...printed].filter((word) => word !== null);
}

function code(
  name: string,
  args: readonly string[],
  command: LocatedCommand["command"],
): readonly Executed[] {
  const interpreter = /^(?:tsx|ts-node|ts-node-dev|nodemon|nodejs|deno|bun)$/.test(name) ? "node" : name;
  const how = { kind: "code", interpreter } as const;
  const module = args.indexOf("-m");
  if (/^py/.test(name) && module >= 0)
    return pythonModule(args[module + 1] ?? "", args.slice(module + 2), how);
  const own =
    name === "deno" || name === "bun"
      ? args.filter((word, at) => at > 0 || !/^(?:run|test|x|eval)$/.test(word))
      : args;
  if (name === "bun" && /^run$/.test(args[0] ?? "") && !/[./\\]/.test(args[1] ?? ""))
    return packaged("bun", args);
  if (/^(?:node|deno|bun)$/.test(name) && args.some((word) => /^(?:--test|test)$/.test(word)))
    return [tests(name, args)];
  const file = args.findIndex((word) => /^-(?:f|file)$/i.test(word));
  if (/^(?:pwsh|powershell)$/.test(name) && file >= 0)
    return args.slice(file + 1, file + 2).map((path) => ({ path, how }));
  return script(own, { how, command });
}

function pythonModule(
  module: string,
  rest: readonly string[],
  how: ExecutedFile["how"],
): readonly Executed[] {
  if (TESTERS.test(module)) return [tests(module, rest)];
  if (!/^[\w.]+$/.test(module)) return [];
  const path = module.replaceAll(".", "/");
  return [`${path}.py`, `${path}/__main__.py`].map((file) => ({ path: file, how }));
}

const VALUED_TEST =
  /^(?:-[kmncopWrtc]|--(?:maxfail|tb|config|rootdir|cov|cov-report|durations|project|reporter|testNamePattern|grep|environment|root|dir|timeout|pool))$/;

/** pytest takes paths; the runners of JavaScript take a part of the path. */
function tests(name: string, args: readonly string[]): Executed {
  const named: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (VALUED_TEST.test(word)) at++;
    else if (!word.startsWith("-") && !(at === 0 && /^(?:run|watch|dev|related|bench|list|test)$/.test(word)))
      named.push(word);
  }
  const narrowed = /^(?:pytest|py\.test|nose2|unittest|rspec|phpunit)$/.test(name) ? "by path" : "by text";
  const known = named.some((word) => word.includes(UNKNOWN)) ? [] : named;
  return { tests: known.map((word) => word.replace(/::.*$/s, "")), folder: ".", narrowed };
}

const LIFECYCLE: Readonly<Record<string, readonly string[]>> = {
  install: ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"],
  test: ["pretest", "test", "posttest"],
  start: ["prestart", "start", "poststart"],
  stop: ["prestop", "stop", "poststop"],
  restart: ["prerestart", "restart", "postrestart"],
  publish: ["prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"],
  pack: ["prepack", "prepare", "postpack"],
  version: ["preversion", "version", "postversion"],
};
const SHORT: Readonly<Record<string, string>> = {
  i: "install",
  ci: "install",
  add: "install",
  t: "test",
  tst: "test",
  rebuild: "install",
};
const OWN_VERBS =
  /^(?:view|info|show|ls|list|outdated|audit|config|login|logout|whoami|init|create|search|cache|exec|x|dlx|help|why|link|unlink|remove|rm|uninstall|up|update|upgrade|dedupe|set|get|pkg|fund|ping|doctor|explain|docs|home|bugs|repo|star|team|token|access|dist-tag|deprecate|unpublish|owner|org|profile|hook|workspaces|workspace|plugin|policies|node|npm|store|patch|approve-builds|env|setup|build)$/;

function packaged(name: string, args: readonly string[]): readonly Executed[] {
  let folder = "";
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") break;
    if (/^(?:-C|--prefix|--cwd|--dir)$/.test(word)) folder = args[++at] ?? "";
    else if (/^(?:--prefix|--cwd|--dir)=/.test(word)) folder = word.replace(/^[^=]*=/, "");
    else if (/^(?:-w|--workspace|--filter|-F)$/.test(word)) at++;
    else if (!word.startsWith("-")) words.push(word);
  }
  const [given = name === "yarn" ? "install" : "", second] = words;
  const verb = (Object.hasOwn(SHORT, given) ? SHORT[given] : undefined) ?? given;
  const runs = /^(?:run|run-script|rum|urn)$/.test(verb) ? second : undefined;
  // yarn, pnpm and bun take a script's name for a command.
  const script =
    runs ?? (name !== "npm" && !OWN_VERBS.test(verb) && !Object.hasOwn(LIFECYCLE, verb) ? verb : undefined);
  const scripts =
    script !== undefined && script !== ""
      ? [`pre${script}`, script, `post${script}`]
      : Object.hasOwn(LIFECYCLE, verb)
        ? (LIFECYCLE[verb] ?? [])
        : [];
  if (scripts.length === 0) return [];
  return [
    {
      path: folder === "" ? "package.json" : `${folder.replace(/\/$/, "")}/package.json`,
      how: { kind: "package", scripts },
    },
  ];
}

function made(args: readonly string[]): Executed {
  let folder = "";
  let file: string | undefined;
  const targets: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (/^(?:-C|--directory)$/.test(word)) folder = args[++at] ?? "";
    else if (/^(?:-f|--file|--makefile)$/.test(word)) file = args[++at];
    else if (/^-[jIloW]$/.test(word)) at++;
    else if (!word.startsWith("-") && !/^\w+[:?+]?=/.test(word)) targets.push(word);
  }
  return { path: inFolder(file ?? "Makefile", folder), how: { kind: "make", targets } };
}

function hooked(args: readonly string[]): readonly Executed[] {
  const at = args.indexOf("-C");
  const folder = at >= 0 ? (args[at + 1] ?? ".") : ".";
  const verb = args.find((word, i) => !word.startsWith("-") && !/^(?:-C|-c)$/.test(args[i - 1] ?? ""));
  return GIT_RUNS_HOOKS.test(verb ?? "") && !args.some((word) => /^(?:-n|--no-verify)$/.test(word))
    ? [{ hooks: folder }]
    : [];
}
