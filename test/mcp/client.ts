/** A client written by hand: starts the built server as a process and speaks newline-delimited JSON-RPC with it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const project = resolve(import.meta.dirname, "../..");

export interface Reply {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The whole build in a folder of its own; returns its path. */
export function buildProduct(): string {
  const folder = mkdtempSync(join(tmpdir(), "cs-built-"));
  const built = spawnSync(process.execPath, [join(project, "esbuild.mjs"), folder], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(built.stderr);
  return folder;
}

export interface Place {
  readonly base: string;
  readonly home: string;
  readonly root: string;
  remove(): void;
}

/** A home folder and a project that has a data folder. */
export function makePlace(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cs-mcp-")));
  const [home, root] = [join(base, "home"), join(base, "project")];
  mkdirSync(home);
  mkdirSync(join(root, ".countersign"), { recursive: true, mode: 0o700 });
  return { base, home, root, remove: () => rmSync(base, { recursive: true, force: true }) };
}

export interface Client {
  /** Each line of standard output, parsed; a line that is no JSON fails the test. */
  readonly heard: readonly Reply[];
  readonly stderr: () => string;
  raw(text: string | Uint8Array): void;
  send(method: string, params?: unknown, id?: string | number): void;
  /** Sends and waits for the answer to it. */
  ask(method: string, params?: unknown): Promise<Reply>;
  answerTo(id: string | number | null): Promise<Reply>;
  call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<ToolAnswer>;
  initialize(version?: string, name?: string): Promise<Reply>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the reading end of the server's standard output. */
  deafen(): void;
  /** Closes standard input and waits; the exit code, or the signal's name. */
  end(): Promise<number | string>;
  ended(): Promise<number | string>;
}

export interface ToolAnswer {
  readonly isError: boolean;
  /** The text of the result, as JSON. */
  readonly said: Record<string, unknown>;
}

export interface StartOptions {
  readonly built: string;
  readonly place: Place;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly nodeArgs?: readonly string[];
  /** What is started in the place of the server: its script and arguments. */
  readonly program?: readonly string[];
}

export function startServer({ built, place, cwd, env = {}, nodeArgs = [], program }: StartOptions): Client {
  const script = program ?? [join(built, "mcp.js")];
  const child: ChildProcess = spawn(process.execPath, [...nodeArgs, ...script], {
    cwd: cwd ?? place.root,
    env: { HOME: place.home, USERPROFILE: place.home, PATH: "", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const heard: Reply[] = [];
  const waiting = new Set<() => void>();
  let [stdout, stderr] = ["", ""];
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (stdout + chunk).split("\n");
    stdout = lines.pop() ?? "";
    for (const line of lines) heard.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const ended = new Promise<number | string>((done) => {
    child.on("close", (code, signal) => done(code ?? signal ?? "lost"));
  });
  let nextId = 1;
  const client: Client = {
    heard,
    stderr: () => stderr,
    raw: (text) => void child.stdin?.write(text),
    send: (method, params, id) =>
      client.raw(
        `${JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params })}\n`,
      ),
    ask(method, params) {
      const id = nextId++;
      client.send(method, params, id);
      return client.answerTo(id);
    },
    answerTo: (id) =>
      new Promise((done, fail) => {
        const look = () => {
          const reply = heard.find((one) => one.id === id && one.method === undefined);
          if (reply === undefined) return;
          waiting.delete(look);
          done(reply);
        };
        waiting.add(look);
        void ended.then((how) => fail(new Error(`the server ended (${how}) without an answer: ${stderr}`)));
        look();
      }),
    async call(name, args, meta) {
      const reply = await client.ask("tools/call", {
        name,
        arguments: args,
        ...(meta === undefined ? {} : { _meta: meta }),
      });
      return toolAnswer(reply);
    },
    async initialize(version = "2025-11-25", name = "hand-made") {
      const clientInfo = { name, version: "1.0.0" };
      const reply = await client.ask("initialize", {
        protocolVersion: version,
        capabilities: {},
        clientInfo,
      });
      client.send("notifications/initialized");
      return reply;
    },
    deafen: () => void child.stdout?.destroy(),
    kill: (signal) => void child.kill(signal),
    end() {
      child.stdin?.end();
      return ended;
    },
    ended: () => ended,
  };
  return client;
}

export function toolAnswer(reply: Reply): ToolAnswer {
  const { content, isError } = reply.result ?? {};
  if (!Array.isArray(content)) throw new Error(`no tool result: ${JSON.stringify(reply)}`);
  return { isError: isError === true, said: JSON.parse(content[0].text) };
}
