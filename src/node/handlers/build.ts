/** Turns the rules of a configuration into rules that run, with every mistake at its place. Knows each kind of handler by its maker alone. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, type Problem, type Result } from "../../core/errors";
import type { Handler, HandlerAnswer, HookEvent, Rule } from "../../core/hookRules/types";
import { type Path, parseJsonText } from "../../core/rules/jsonText";
import { type Places, placesOf, tomlSpans } from "../../core/rules/locate";
import type { ConfigText } from "../../core/rules/parse";
import type { HandlerConfig } from "../../core/rules/schemaHandlers";
import { type HooksConfig, rulesIn } from "../../core/rules/schemaHooks";
import type { Log } from "../../ports";
import { environmentFor } from "./environment";
import { changedFile, digestOfAll, type FileDigests } from "./fileDigest";
import { type KeyProblem, nothing, type Prepared, type Surroundings, unfit } from "./prepare";
import { prepareCallable, type Servants } from "./prepareCallable";
import { prepareCommand } from "./prepareCommand";
import { prepareHttp } from "./prepareHttp";
import { type FoundPython, findPython } from "./python";

export interface HandlerSource {
  readonly hooks: HooksConfig;
  /** The text that `hooks` was read from: problems point into it. */
  readonly config: ConfigText;
  /** Absolute path of the configuration's folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where what callables print goes. */
  readonly log: Log;
  /** `{run_dir}`, absolute; default `<folder>/runs/<run id>`. */
  readonly runDir?: (runId: string) => string;
  /** Digest of all reached files that a person has accepted; with any other every handler of code is broken. Absent = those found now. */
  readonly accepted?: string;
  /** Set = no code is run or loaded, and every handler of code answers "broken" with these words. */
  readonly inert?: string;
  /** Default "problem": what runs files that no reader can list must name them. "allowed" = whoever runs the program answers for it, and for what the folder has on `PATH`. */
  readonly unlisted?: "problem" | "allowed";
}

export interface ReachedRule {
  readonly name: string;
  /** Absolute path → SHA-256, or "absent". */
  readonly files: FileDigests;
}

export interface Reach {
  readonly rules: readonly ReachedRule[];
  readonly files: FileDigests;
  /** 64 hex digits over all files; the configuration's own text is not in it. */
  readonly digest: string;
}

export interface BuiltHandlers {
  /** In the order of the file. */
  readonly rules: readonly Rule[];
  readonly reach: Reach;
  /** Ends the processes of callables. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

interface PreparedHandler {
  readonly config: HandlerConfig;
  /** Of the handler in the configuration. */
  readonly path: Path;
  readonly name: string;
  readonly prepared: Prepared;
}

/** Never rejects. Runs the person's code (modules are loaded) unless `inert`. */
export async function buildHandlers(given: HandlerSource): Promise<Result<BuiltHandlers>> {
  const source = await atRealFolder(given);
  const servants: Servants = new Map();
  const close = async () => {
    await Promise.all([...servants.values()].map(({ servant }) => servant.close()));
  };
  const all = await prepareAll(source, servants);
  const reach = reachOfAll(source, all);
  const inert = source.inert ?? otherFiles(source, reach);
  const problems = all.flatMap((one) => one.prepared.problems.map((key) => [one, key] as const));
  if (problems.length === 0 && inert === undefined) {
    for (const one of all) for (const key of (await one.prepared.load?.()) ?? []) problems.push([one, key]);
  }
  if (problems.length > 0) {
    await close();
    return { ok: false, problems: located(source.config, problems) };
  }
  return { ok: true, value: { rules: rulesOf(source, all, inert), reach, close } };
}

/** What a person is asked to trust. Runs no code of theirs; never rejects. */
export async function reachOfHandlers(given: HandlerSource): Promise<Result<Reach>> {
  const source = await atRealFolder(given);
  const all = await prepareAll(source, new Map());
  const problems = all.flatMap((one) => one.prepared.problems.map((key) => [one, key] as const));
  return problems.length > 0
    ? { ok: false, problems: located(source.config, problems) }
    : { ok: true, value: reachOfAll(source, all) };
}

async function atRealFolder(source: HandlerSource): Promise<HandlerSource> {
  return { ...source, folder: await realpath(source.folder).catch(() => source.folder) };
}

function otherFiles({ accepted }: HandlerSource, { digest }: Reach): string | undefined {
  if (accepted === undefined || accepted === digest) return undefined;
  return "the files that the rules reach are not those that a person accepted";
}

async function prepareAll(source: HandlerSource, servants: Servants): Promise<readonly PreparedHandler[]> {
  const { folder, unlisted = "problem" } = source;
  const runDir = source.runDir ?? ((id: string) => join(folder, "runs", id));
  let python: Promise<FoundPython> | undefined;
  const around: Surroundings = {
    folder,
    env: source.env,
    python() {
      python ??= environmentFor({ env: source.env, folder, unlisted }).then((env) => findPython({ env }));
      return python;
    },
    log: source.log,
    unlisted,
    runPlace: ({ run_id }) => ({ id: run_id, dir: runDir(run_id) }),
  };
  const all: PreparedHandler[] = [];
  for (const { event, index, name: ruleName, rule } of rulesIn(source.hooks)) {
    for (const [place, config] of rule.handlers.entries()) {
      const name = config.name ?? ruleName;
      const prepared = await prepare(config, name, { servants, around });
      all.push({ config, path: ["hooks", event, index, "handlers", place], name, prepared });
    }
  }
  return all;
}

async function prepare(
  config: HandlerConfig,
  name: string,
  { servants, around }: { readonly servants: Servants; readonly around: Surroundings },
): Promise<Prepared> {
  try {
    switch (config.type) {
      case "command":
        return await prepareCommand(config, name, around);
      case "http":
        return prepareHttp(config, name, around);
      case "callable":
        return await prepareCallable(config, servants, around);
      case "deny": {
        const reason = config.reason ?? `denied by rule ${name}`;
        return { problems: [], reached: nothing, run: () => Promise.resolve({ kind: "deny", reason }) };
      }
      default:
        return unfit({ path: [], message: `there is no handler ${String(config satisfies never)}` });
    }
  } catch (error) {
    return unfit({ path: [], message: `it cannot be built: ${messageOf(error)}` });
  }
}

function reachOfAll(source: HandlerSource, all: readonly PreparedHandler[]): Reach {
  const rules = rulesIn(source.hooks).map(({ event, index, name }) => {
    const own = all.filter(({ path }) => path[1] === event && path[2] === index);
    return { name, files: new Map(own.flatMap(({ prepared }) => [...prepared.reached.files])) };
  });
  const files = new Map(all.flatMap(({ prepared }) => [...prepared.reached.files]));
  return { rules, files, digest: digestOfAll(files, source.folder) };
}

function rulesOf(
  source: HandlerSource,
  all: readonly PreparedHandler[],
  inert: string | undefined,
): readonly Rule[] {
  return rulesIn(source.hooks).map(({ event, index, name, rule }): Rule => {
    const { matcher, vendor, arg, before = false } = rule;
    const own = all.filter(({ path }) => path[1] === event && path[2] === index);
    return {
      name,
      event,
      before,
      handlers: own.map((one) => handlerOf(one, inert)),
      ...(matcher === undefined ? {} : { matcher }),
      ...(vendor === undefined ? {} : { vendor }),
      ...(arg === undefined ? {} : { arg }),
    };
  });
}

function handlerOf({ config, name, prepared }: PreparedHandler, inert: string | undefined): Handler {
  if (config.type === "deny") return { name, kind: "deny", run: prepared.run };
  const timeoutMs = config.timeout === undefined ? DEFAULT_TIMEOUT_MS : config.timeout * 1000;
  return {
    name,
    kind: config.type,
    timeoutMs,
    ...(config.async === undefined ? {} : { async: config.async }),
    ...(config.on_error === undefined ? {} : { onError: config.on_error }),
    changed: async () => inert ?? sinceTrusted(await changedFile(prepared.reached)),
    run: (event, signal) =>
      inert === undefined
        ? runTrusted(prepared, event, { signal, timeoutMs })
        : Promise.resolve({ kind: "broken", why: inert }),
  };
}

const sinceTrusted = (changed: string | undefined): string | undefined =>
  changed === undefined ? undefined : `${changed} since it was trusted`;

/** Its own limit too, so that no process outlives it whoever calls. */
async function runTrusted(
  prepared: Prepared,
  event: HookEvent,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<HandlerAnswer> {
  const changed = sinceTrusted(await changedFile(prepared.reached));
  if (changed !== undefined) return { kind: "broken", why: changed };
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException("too slow", "TimeoutError")), timeoutMs);
  try {
    return await prepared.run(event, AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function located(
  config: ConfigText,
  problems: readonly (readonly [PreparedHandler, KeyProblem])[],
): readonly Problem[] {
  const places = placesIn(config);
  return problems.map(
    ([{ path }, { path: keys, message, suggestion }]): Problem => ({
      code: "config.missing",
      file: config.file,
      ...places.value([...path, ...keys]),
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    }),
  );
}

function placesIn({ text, format }: ConfigText): Places {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (format === "toml") return placesOf(plain, tomlSpans(plain));
  const read = parseJsonText(plain);
  return placesOf(plain, read.ok ? read.spans : new Map());
}
