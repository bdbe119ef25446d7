/** Entry of `countersign`: picks the command. Holds no logic of any command. */
import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";
import { CountersignError, hintOf, messageOf } from "../core/errors";
import type { Io, Run } from "./io";
import { didYouMean, unknownOption } from "./options";
import { reexecuteWhereNeeded } from "./runtime";

interface Command {
  readonly summary: string;
  /** Whether the command writes records, so that it needs a runtime with SQLite. */
  readonly needsSqlite: "yes" | "no";
  load(): Promise<Run>;
}

const commands: Readonly<Record<string, Command>> = {
  judge: {
    summary: "judge calls given as JSON lines on standard input; runs and asks nothing",
    needsSqlite: "no",
    load: async () => (await import("./judge")).runJudge,
  },
  explain: {
    summary: "judge one call and show which hook or rule said what",
    needsSqlite: "no",
    load: async () => (await import("./explain")).runExplain,
  },
  config: {
    summary: "check a configuration, name its digest, show what it puts in force",
    needsSqlite: "no",
    load: async () => (await import("./config")).runConfig,
  },
  init: {
    summary: "write a commented gateway-hooks.toml to start from",
    needsSqlite: "no",
    load: async () => (await import("./init")).runInit,
  },
  verify: {
    summary: "verify an audit log: FILE or FOLDER [--json]",
    needsSqlite: "no",
    load: async () => (await import("./verify")).runVerify,
  },
  audit: {
    summary: "the key of an audit log, and a checkpoint to keep elsewhere: key | checkpoint",
    needsSqlite: "yes",
    load: async () => (await import("./audit")).runAudit,
  },
  export: {
    summary: "write or send the records of an audit log: FILE or FOLDER --format json|csv|otlp",
    needsSqlite: "no",
    load: async () => (await import("./export")).runExport,
  },
  "hello-hooks": {
    summary: "run the self-check scenarios: [--keep DIR]",
    needsSqlite: "yes",
    load: async () => (await import("./helloHooks")).runHelloHooks,
  },
  mcp: {
    summary: "put the MCP servers you use behind the chain: proxy | wrap | unwrap | status",
    needsSqlite: "no",
    load: async () => (await import("./mcp")).runMcp,
  },
  card: {
    summary: "policies in TypeScript, packed in cards: new | source | push | install | trust | list",
    needsSqlite: "no",
    load: async () => (await import("./card")).runCard,
  },
  write: {
    summary: "give agents the skills, MCP servers and hooks of this workspace's cards",
    needsSqlite: "no",
    load: async () => (await import("./write")).runWrite,
  },
  doctor: {
    summary: "what is wrong with cards, configuration and agents here, and how to mend it",
    needsSqlite: "no",
    load: async () => (await import("./doctor")).runDoctor,
  },
  agents: {
    summary: "govern agents outside the editor: status | install | uninstall",
    needsSqlite: "no",
    load: async () => (await import("./agents")).runAgents,
  },
  hook: {
    summary: "answer one hook call of an agent: --agent NAME",
    needsSqlite: "no",
    load: async () => hookRun((await import("./hook")).runHook),
  },
};

async function main(): Promise<number> {
  const [name, ...argv] = process.argv.slice(2);
  if (name === undefined) {
    process.stderr.write(`countersign: name a command\n\n${usage()}`);
    return 2;
  }
  if (name === "help" || name === "--help" || name === "-h") {
    process.stdout.write(usage());
    return 0;
  }
  if (name === "--version") {
    process.stdout.write(`${(await import("../version")).version}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`countersign: ${unknown(name)}\n\n${usage()}`);
    return 2;
  }
  if (command.needsSqlite === "yes") {
    const elsewhere = reexecuteWhereNeeded();
    if (elsewhere !== undefined) return elsewhere;
  }
  const run = await command.load();
  return run(argv, processIo());
}

/** The hook client is shared with the plugin and writes through streams. */
function hookRun(run: typeof import("./hook").runHook): Run {
  return (argv, io) => run(argv, { ...io, stdout: { write: io.stdout }, stderr: { write: io.stderr } });
}

function unknown(name: string): string {
  if (name.startsWith("-")) return unknownOption(name, ["version", "help"]);
  return `there is no command "${name}"${didYouMean(name, Object.keys(commands))}`;
}

function usage(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`);
  return `usage: countersign <command> [options]\n\n${rows.join("\n")}\n\ncountersign <command> --help tells more; countersign --version prints the version.\n`;
}

function processIo(): Io {
  return {
    stdout: (text) => {
      if (!process.stdout.write(text)) return new Promise((resolve) => process.stdout.once("drain", resolve));
    },
    stderr: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    get lines() {
      return inputLines();
    },
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
  };
}

/** A line reader waits for ever when its input fails: an input that was never read must not count as judged. */
async function* inputLines(): AsyncGenerator<string> {
  // Node takes a folder for an empty input.
  if (fstatSync(0).isDirectory()) throw new CountersignError("usage", "standard input is a folder");
  const reader = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  let failure: Error | undefined;
  process.stdin.on("error", (error) => {
    failure = error;
    reader.close();
  });
  yield* reader;
  if (failure !== undefined) throw failure;
}

// A reader that has seen enough (`| head`) is no failure to report.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 2));

main().then(
  (code) => {
    process.exitCode = code;
    // The hook's answer is out; an open standard input must not keep the agent waiting.
    if (process.argv[2] === "hook") process.exit(code);
  },
  (error: unknown) => {
    process.stderr.write(`countersign: ${messageOf(error)}${hintOf(error)}\n`);
    process.exitCode = 2;
  },
);
