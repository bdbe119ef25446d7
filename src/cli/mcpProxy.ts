/** `countersign mcp proxy`: what the proxy is told on its command line, and this process's streams for it. Holds no logic of the proxy. */
import { homedir } from "node:os";
import { basename } from "node:path";
import { redactedLog } from "../core/audit/redactedLog";
import { CountersignError } from "../core/errors";
import type { ProxyTarget } from "../mcp/proxy/run";
import { stderrLog } from "../node/ports";
import type { Io } from "./io";
import { type Asked, answerUsage, readOptions } from "./options";
import { reexecuteWhereNeeded } from "./runtime";

const USAGE = `usage: countersign mcp proxy [--name NAME] -- COMMAND [ARGUMENT…]
       countersign mcp proxy [--name NAME] --url URL [--header-env VARIABLE,…]

Speaks for an MCP server on standard input and output; its tool calls are judged first.
  --name NAME            what you call the server; default: the command's or the host's name
  --url URL              a server that is reached by Streamable HTTP: https, or http on this machine
  --header-env VARIABLE  sends the header that the environment variable holds as "Name: value"; several with commas between
`;

const LINE = {
  name: "mcp proxy",
  usage: USAGE,
  texts: ["name", "url", "header-env"],
  words: Number.POSITIVE_INFINITY,
} as const;
type Line = Asked<"name" | "url" | "header-env", never>;

export async function runMcpProxy(argv: readonly string[], io: Io): Promise<number> {
  const cut = argv.indexOf("--");
  const [ours, command] = cut < 0 ? [argv, []] : [argv.slice(0, cut), argv.slice(cut + 1)];
  const asked = readOptions(ours, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const target = targetOf(asked, command, io.env);
  if (typeof target === "string") return answerUsage({ kind: "wrong", why: target }, LINE, io);
  const elsewhere = reexecuteWhereNeeded();
  if (elsewhere !== undefined) return elsewhere;
  const name = serverName(
    asked.values.name ?? (target.kind === "stdio" ? basename(target.command) : target.url.host),
  );
  const write = takeStandardOutput();
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  process.stdout.on("error", () => stop.abort());
  const { runProxy } = await import("../mcp/proxy/run");
  const code = await runProxy(
    { stdin: process.stdin, ...write, stop: stop.signal, log: redactedLog(stderrLog) },
    { name, target, cwd: io.cwd, home: homedir(), env: io.env },
  );
  await write.drained();
  // The client may keep standard input open; the server is gone.
  process.exit(code);
}

function targetOf(asked: Line, command: readonly string[], env: Io["env"]): ProxyTarget | string {
  const { url, "header-env": headerEnv } = asked.values;
  const [stray] = asked.words;
  if (stray !== undefined) return `unexpected argument "${stray}"; the server's command stands behind --`;
  const [program, ...args] = command;
  if ((program === undefined) === (url === undefined))
    return "name either the server's command, behind --, or its --url";
  if (program !== undefined) return { kind: "stdio", command: program, args };
  const read = readUrl(url ?? "");
  if (typeof read === "string") return read;
  const headers = headersOf(headerEnv, env);
  return typeof headers === "string" ? headers : { kind: "http", url: read, headers };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** What the headers carry goes over the network: only where nobody can read it on the way. */
function readUrl(text: string): URL | string {
  if (!URL.canParse(text)) return `"${text}" is no address`;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    return "a password does not belong in an address; use --header-env";
  if (url.protocol === "https:") return url;
  if (url.protocol === "http:" && LOOPBACK.test(url.hostname)) return url;
  return `${url.protocol}//${url.host} is neither https nor on this machine`;
}

function headersOf(names: string | undefined, env: Io["env"]): Record<string, string> | string {
  const headers: Record<string, string> = {};
  for (const name of names?.split(",") ?? []) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)$/.exec(env[name] ?? "");
    if (match === null) return `the environment variable ${name} holds no "Name: value"`;
    headers[(match[1] ?? "").toLowerCase()] = match[2] ?? "";
  }
  return headers;
}

/** As it stands in tools' names: `mcp__<name>__<tool>`. */
function serverName(given: string): string {
  const name = given
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .replace(/_{2,}/g, "_")
    .slice(0, 100);
  if (name === "" || name === "_")
    throw new CountersignError("usage", `"${given}" cannot be a server's name`);
  return name;
}

/** A library that prints would break the protocol: whatever is not one of our messages goes to standard error. */
function takeStandardOutput(): { write(line: Buffer | string): boolean; drained(): Promise<void> } {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = process.stderr.write.bind(process.stderr);
  return {
    write: (line) => write(line),
    drained: () =>
      stdout.writableNeedDrain && !stdout.destroyed
        ? new Promise((resolve) => {
            stdout.once("drain", resolve);
            stdout.once("close", resolve);
          })
        : Promise.resolve(),
  };
}
