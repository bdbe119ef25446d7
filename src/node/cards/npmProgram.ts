/**
 * The user's own npm program, which knows their registries, tokens, proxies and one-time passwords: no secret of theirs passes through
 * us. It is handed and asked for one packed file; what that holds is checked by whoever asked.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_PACKED_BYTES, shown } from "../../core/cards/cardFiles";
import { parseCardName } from "../../core/cards/cardName";
import { messageOf } from "../../core/errors";
import { packedName } from "./packedCard";

export interface NpmOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where npm looks for a `.npmrc` of the project. */
  readonly cwd: string;
  /** Address of a registry; absent = what `.npmrc` says. */
  readonly registry?: string;
}

export type NpmAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

const MAX_OUTPUT = 1024 * 1024;
const MOST_MS = 120_000;
/** Nothing of a package runs, and nothing is asked on the terminal or told to anybody. */
const QUIET = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=error",
  "--json",
];

export async function npmPublish(
  packed: { readonly name: string; readonly version: string; readonly bytes: Uint8Array },
  options: NpmOptions & { readonly access?: string; readonly tag?: string },
): Promise<NpmAnswer<undefined>> {
  return withFolder(async (folder) => {
    const file = join(folder, packedName(packed));
    await writeFile(file, packed.bytes, { flag: "wx", mode: 0o600 });
    const access = options.access === undefined ? [] : [`--access=${options.access}`];
    const tag = options.tag === undefined ? [] : [`--tag=${options.tag}`];
    const done = await runNpm(
      ["publish", file, ...QUIET, ...access, ...tag, ...registryWords(packed.name, options)],
      options,
    );
    return done.ok ? { ok: true, value: undefined } : done;
  });
}

/** The packed card that the registry gives for `spec`, its bytes as they came. */
export async function npmFetch(
  card: string,
  range: string | undefined,
  options: NpmOptions,
): Promise<NpmAnswer<Uint8Array>> {
  return withFolder(async (folder) => {
    const spec = range === undefined ? card : `${card}@${range}`;
    const words = ["pack", spec, ...QUIET, `--pack-destination=${folder}`, ...registryWords(card, options)];
    const done = await runNpm(words, options);
    if (!done.ok) return done;
    const [file, ...more] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
    if (file === undefined || more.length > 0)
      return { ok: false, why: `npm gave no single package for ${shown(spec)}` };
    const path = join(folder, file);
    if ((await stat(path)).size > MAX_PACKED_BYTES)
      return { ok: false, why: "packed it is larger than 16 MiB" };
    return { ok: true, value: await readFile(path) };
  });
}

/** A scope's own registry in `.npmrc` outranks `--registry`: whoever names one means it for this card. */
function registryWords(card: string, { registry }: NpmOptions): readonly string[] {
  const handle = parseCardName(card)?.handle;
  if (registry === undefined) return [];
  return [`--registry=${registry}`, ...(handle === undefined ? [] : [`--${handle}:registry=${registry}`])];
}

async function withFolder<T>(act: (folder: string) => Promise<NpmAnswer<T>>): Promise<NpmAnswer<T>> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-npm-"));
  try {
    return await act(folder);
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runNpm(words: readonly string[], { env, cwd }: NpmOptions): Promise<NpmAnswer<string>> {
  return new Promise((resolve) => {
    const windows = process.platform === "win32";
    // There npm is a script of the shell's: nothing may mean more than itself to it.
    if (windows && words.some((word) => /["%\r\n]/.test(word)))
      return resolve({ ok: false, why: "a word for npm has characters that the shell would read" });
    const child = spawn(
      windows ? "npm.cmd" : "npm",
      windows ? words.map((word) => `"${word}"`) : [...words],
      {
        cwd,
        env: { ...env },
        stdio: ["ignore", "pipe", "pipe"],
        shell: windows,
        timeout: MOST_MS,
      },
    );
    const said = { out: "", err: "" };
    const keep = (key: "out" | "err") => (chunk: Buffer) => {
      if (said[key].length < MAX_OUTPUT) said[key] += chunk.toString("utf8");
    };
    child.stdout.on("data", keep("out"));
    child.stderr.on("data", keep("err"));
    child.once("error", (error) =>
      resolve({ ok: false, why: `npm cannot be started: ${messageOf(error)}; it comes with Node` }),
    );
    child.once("close", (code) =>
      resolve(code === 0 ? { ok: true, value: said.out } : { ok: false, why: complaint(said, code) }),
    );
  });
}

/** npm says what went wrong as JSON, and once more in lines. */
function complaint(
  { out, err }: { readonly out: string; readonly err: string },
  code: number | null,
): string {
  try {
    const value: unknown = JSON.parse(out);
    const { error } = value as { error?: { code?: unknown; summary?: unknown } };
    if (typeof error?.summary === "string")
      return shown(`${String(error.code ?? "")} ${error.summary}`.trim());
  } catch {
    // The lines say it.
  }
  const line = err.split("\n").find((text) => /npm (?:error|ERR!)/.test(text) && !/code E/.test(text));
  return shown(line?.replace(/^npm (?:error|ERR!) ?/, "") ?? `npm ended with ${code ?? "a signal"}`);
}
