/** The command line about cards, run in this process in folders of its own; a window, and a registry, where a test wants one. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Run } from "../../src/cli/io";
import type { TrustPrompt } from "../../src/core/cards/trustRequest";
import { startBroker } from "../../src/node/broker";
import { createCardConsents } from "../../src/node/cards/cardConsents";
import { createTrustDoor, isForTrustDoor, type TrustRecord } from "../../src/node/cards/trustDoor";
import { writeLocator } from "../../src/node/locator";
import { quietLog } from "../core/fixtures";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function say(
  run: Run,
  argv: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string | undefined>> },
): Promise<Said> {
  const said = { out: "", err: "" };
  const code = await run(argv, {
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
    lines: (async function* () {})(),
    stdin: (async function* () {})(),
    env: { ...process.env, ...env },
    cwd,
  });
  return { code, ...said };
}

export interface Window {
  readonly prompts: TrustPrompt[];
  readonly records: TrustRecord[];
  /** Titles and lines of changes that a person was asked to agree to. */
  readonly changes: { readonly title: string; readonly lines: readonly string[] }[];
  close(): Promise<void>;
}

/** A window that has `root` open and whose person answers every dialog so. The broker and its door are the real ones. */
export async function openWindow({
  home,
  root,
  folder,
  agrees,
}: {
  readonly home: string;
  readonly root: string;
  readonly folder: string;
  readonly agrees: boolean;
}): Promise<Window> {
  const [prompts, records, changes]: [TrustPrompt[], TrustRecord[], Window["changes"]] = [[], [], []];
  const door = createTrustDoor({
    dataFolderOf: async (asked) => (asked === root ? join(root, ".countersign") : undefined),
    consents: createCardConsents({ home }),
    confirm: async (prompt) => {
      prompts.push(prompt);
      return agrees;
    },
    record: async (record) => {
      records.push(record);
    },
    onChanged: () => undefined,
    now: Date.now,
  });
  const broker = await startBroker({
    handle: async (request, ctx) => {
      if (isForTrustDoor(request)) return door(request, ctx);
      changes.push(JSON.parse(request.payload));
      return { stdout: JSON.stringify({ kind: "answer", agreed: agrees }) };
    },
    log: quietLog,
    folder,
  });
  writeLocator(home, { pid: process.pid, folders: [root], ...broker });
  return { prompts, records, changes, close: () => broker.close() };
}

export interface Registry {
  readonly url: string;
  /** Lines of an `.npmrc` that lets its user publish. */
  readonly npmrc: string;
  close(): void;
}

const project = join(import.meta.dirname, "../..");

/** A real registry on loopback, with one user. */
export async function startRegistry(folder: string): Promise<Registry> {
  const installed = spawnSync(process.execPath, [join(project, "scripts/cardRegistry.mjs")], {
    encoding: "utf8",
  });
  if (installed.status !== 0) throw new Error(installed.stderr);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "config.yaml");
  writeFileSync(
    config,
    "storage: ./storage\nauth: { htpasswd: { file: ./htpasswd } }\npackages: { '**': { access: $all, publish: $authenticated } }\nlog: { type: stdout, level: error }\n",
  );
  const port = await freePort();
  const program = join(project, ".card-registry/node_modules/verdaccio/bin/verdaccio");
  const child = spawn(process.execPath, [program, "--config", config, "--listen", `127.0.0.1:${port}`], {
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}/`;
  await answers(url, child);
  const body = JSON.stringify({ name: "author", password: "a-long-password", email: "author@example.com" });
  const made = await fetch(`${url}-/user/org.couchdb.user:author`, {
    method: "PUT",
    body,
    headers: { "content-type": "application/json" },
  });
  const { token } = (await made.json()) as { token: string };
  return {
    url,
    npmrc: `@acme:registry=${url}\n//127.0.0.1:${port}/:_authToken=${token}\n`,
    close: () => void child.kill("SIGKILL"),
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the registry ended with ${child.exitCode}`);
    const up = await fetch(`${url}-/ping`).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    await setTimeout(100);
  }
  throw new Error("the registry did not start");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
