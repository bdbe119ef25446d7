/** Strips the programs that only run another one (sudo, env, xargs, docker exec, ...). Knows their options, not what they run. */
import { programName, type SimpleCommand } from "./command";

type Argv = readonly (string | null)[];

interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued: string;
  /** Words of its own before the command: `timeout 5 cmd` has one. */
  readonly operands?: number;
  /** First words after the name that must be there: `docker exec`. */
  readonly verbs?: readonly string[];
  /** `NAME=value` words may stand before the command. */
  readonly assignments?: boolean;
}

const CONTAINER_EXEC =
  "--profile --project-directory --ansi --parallel -e --env --env-file -u --user -w --workdir --detach-keys -c --container -n --namespace --context --index -f --file -p --project-name -H --host -v --volume --mount --network --name --platform --entrypoint -l --label --add-host --pod-running-timeout";

/** One row for each wrapper; options written `--name=value` need no row. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --role --type",
    assignments: true,
  },
  doas: { valued: "-u -C" },
  env: { valued: "-u -C -S --unset --chdir", assignments: true },
  nohup: { valued: "" },
  time: { valued: "-f -o --format --output" },
  command: { valued: "" },
  builtin: { valued: "" },
  exec: { valued: "-a" },
  nice: { valued: "-n --adjustment" },
  ionice: { valued: "-c -n --class --classdata" },
  chrt: { valued: "-T -P -D", operands: 1 },
  taskset: { valued: "", operands: 1 },
  setsid: { valued: "" },
  stdbuf: { valued: "-i -o -e --input --output --error" },
  unbuffer: { valued: "" },
  timeout: { valued: "-k -s --kill-after --signal", operands: 1 },
  gtimeout: { valued: "-k -s --kill-after --signal", operands: 1 },
  xargs: {
    valued:
      "-a -d -E -I -i -J -L -n -P -R -s --arg-file --delimiter --max-args --max-procs --replace --max-lines",
  },
  strace: { valued: "-e -o -p -s -u -E -a -P -S -I -O" },
  ltrace: { valued: "-e -o -p -s -u -n -a" },
  caffeinate: { valued: "-t -w" },
  chroot: { valued: "--userspec --groups", operands: 1 },
  unshare: { valued: "" },
  nsenter: { valued: "-t --target" },
  flock: { valued: "-w -E --timeout --conflict-exit-code", operands: 1 },
  runuser: { valued: "-u -g -G --user --group" },
  busybox: { valued: "" },
  toybox: { valued: "" },
  winpty: { valued: "" },
  dotenv: { valued: "-e -f" },
  "dotenv-cli": { valued: "-e" },
  direnv: { valued: "", verbs: ["exec"], operands: 1 },
  op: { valued: "--env-file --account", verbs: ["run"] },
  doppler: { valued: "-p -c -t --project --config --token", verbs: ["run"] },
  docker: {
    valued: CONTAINER_EXEC,
    verbs: ["exec", "container exec", "compose exec", "compose run", "run"],
    operands: 1,
  },
  podman: {
    valued: CONTAINER_EXEC,
    verbs: ["exec", "container exec", "compose exec", "compose run", "run"],
    operands: 1,
  },
  nerdctl: { valued: CONTAINER_EXEC, verbs: ["exec", "compose exec", "run"], operands: 1 },
  "docker-compose": { valued: CONTAINER_EXEC, verbs: ["exec", "run"], operands: 1 },
  kubectl: { valued: CONTAINER_EXEC, verbs: ["exec"], operands: 1 },
  oc: { valued: CONTAINER_EXEC, verbs: ["exec"], operands: 1 },
  ssh: { valued: "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w", operands: 1 },
  gosu: { valued: "", operands: 1 },
  "su-exec": { valued: "", operands: 1 },
  rlwrap: { valued: "-f -H -s -D -b -c -C -q -S -t -w" },
  pkexec: { valued: "--user" },
  proxychains: { valued: "-f" },
  proxychains4: { valued: "-f" },
  "systemd-run": { valued: "-p -u --unit --property --slice --uid --gid" },
  uv: { valued: "--with --python --project", verbs: ["run", "tool run"] },
  poetry: { valued: "-C --directory", verbs: ["run"] },
  pipenv: { valued: "", verbs: ["run"] },
  bundle: { valued: "", verbs: ["exec"] },
  railway: { valued: "-s -e --service --environment", verbs: ["run"] },
  "aws-vault": { valued: "--duration", verbs: ["exec"], operands: 1 },
  mise: { valued: "", verbs: ["exec", "x"] },
  wsl: { valued: "-d -u --distribution --user --cd" },
};

const MAX_WRAPPERS = 16;

/**
 * The words of the program that finally runs; `xargs` adds a null for what it appends. Behind more wrappers than anyone
 * writes the first word is null: nobody can tell what runs.
 */
export function effectiveArgv(command: Pick<SimpleCommand, "argv">): Argv {
  let argv: Argv = command.argv;
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const inner = unwrap(argv);
    if (inner === null) return argv;
    argv = inner;
  }
  return unwrap(argv) === null ? argv : [null, ...argv.slice(1)];
}

function unwrap(argv: Argv): Argv | null {
  const name = programName(argv[0]);
  const wrapper = name === null ? undefined : Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined || name === null) return null;
  // `command -v psql` only looks the name up.
  if (name === "command" && /^-[pvV]*[vV]/.test(argv[1] ?? "")) return null;
  const valued = new Set(wrapper.valued.split(" "));
  let at = skipOptions(argv, 1, valued);
  if (wrapper.verbs !== undefined) {
    const verb = behindVerb(argv, at, { verbs: wrapper.verbs, valued });
    if (verb === null) return null;
    at = skipOptions(argv, verb, valued);
  }
  for (let i = 0; i < (wrapper.operands ?? 0); i++) at = skipOptions(argv, at + 1, valued);
  if (wrapper.assignments) while (/^\w+=/.test(argv[at] ?? "")) at = skipOptions(argv, at + 1, valued);
  if (argv[at - 1] !== "--" && argv[at] === "--") at++;
  const rest = argv.slice(at);
  // `env -S "psql -c x"` carries a whole command in one word, which is read as a shell text of its own.
  if (name === "env" && argv.slice(1, at).some(isSplitString)) return null;
  if (name !== "xargs") return rest.length === 0 ? null : rest;
  return rest.length === 0 ? null : xargsWords(argv.slice(1, at), rest);
}

/** Index behind the verb; options may stand between its words (`docker compose -f x exec`). */
function behindVerb(
  argv: Argv,
  from: number,
  { verbs, valued }: { readonly verbs: readonly string[]; readonly valued: ReadonlySet<string> },
): number | null {
  for (const verb of verbs) {
    let at = from;
    const words = verb.split(" ");
    const found = words.every((word, index) => {
      if (index > 0) at = skipOptions(argv, at, valued);
      return argv[at++] === word;
    });
    if (found) return at;
  }
  return null;
}

/** `-S text`, `-Stext`, `-vS text`, `--split-string=text` */
export function isSplitString(word: string | null | undefined): boolean {
  return /^-[a-z0]*S|^--split-string\b/.test(word ?? "");
}

function skipOptions(argv: Argv, from: number, valued: ReadonlySet<string>): number {
  let at = from;
  while (at < argv.length) {
    const word = argv[at];
    if (word === "--") return at + 1;
    if (word === null || word === undefined || word.length < 2 || !word.startsWith("-")) return at;
    at += valued.has(word) ? 2 : 1;
  }
  return at;
}

/** With `-I {}` the placeholder stands for text nobody can see; without it that text is appended. */
function xargsWords(options: Argv, rest: Argv): Argv {
  const index = options.findIndex((word) => /^-[Ii]|^--replace/.test(word ?? ""));
  if (index < 0) return [...rest, null];
  const option = options[index] ?? "";
  const placeholder =
    option.replace(/^-[Ii]|^--replace=?/, "") || (option === "-I" ? options[index + 1] : "{}") || "{}";
  return rest.map((word) => (word?.includes(placeholder) ? null : word));
}
