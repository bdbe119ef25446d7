/** Checks a callable's configuration, reads its files, and makes it ready to be asked. Knows nothing of rules. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { messageOf } from "../../core/errors";
import type { HandlerAnswer, HookEvent } from "../../core/hookRules/types";
import type { HandlerConfig } from "../../core/rules/schemaHandlers";
import { nearest } from "../../core/rules/suggest";
import { callablePlan } from "./callable";
import { unlistedProblem, withDeclared } from "./declaredReach";
import { environmentFor } from "./environment";
import { eventText } from "./eventText";
import { digestOf, type FileDigests } from "./fileDigest";
import { exportsOf, readModuleGraph } from "./moduleGraph";
import { type KeyProblem, nothing, type Prepared, type Surroundings, unfit } from "./prepare";
import { pythonPlan, scanPython } from "./python";
import { createServant, type Servant, type ServantPlan } from "./servant";

/** One process for each module, whichever of its functions are handlers: what the module remembers is one. */
export type Servants = Map<
  string,
  {
    readonly servant: Servant;
    readonly files: FileDigests;
    readonly missing: FindMissing;
    readonly unlisted: readonly string[];
  }
>;

/** Says that a function is surely not there, without running the module; undefined = it may be. */
type FindMissing = (fn: string) => { readonly message: string; readonly suggestion?: string } | undefined;

/** Milliseconds for a module to load. */
const LOAD_LIMIT = 15_000;

type CallableConfig = Extract<HandlerConfig, { type: "callable" }>;

export async function prepareCallable(
  { target, reaches }: CallableConfig,
  servants: Servants,
  around: Surroundings,
): Promise<Prepared> {
  const at = target.lastIndexOf(":");
  const [module, fn] = [target.slice(0, at), target.slice(at + 1)];
  let known = servants.get(module);
  if (known === undefined) {
    const plan = /^\.{1,2}\//.test(module)
      ? await planScript(module, around)
      : await planPython(module, around);
    if ("message" in plan) return unfit(plan);
    const { files, missing, unlisted } = plan;
    known = { servant: createServant(plan.plan), files, missing, unlisted };
    servants.set(module, known);
  }
  const { servant, files } = known;
  const absent = known.missing(fn);
  if (absent !== undefined) return unfit({ path: ["target"], ...absent });
  const named = await withDeclared({ ...nothing, files }, { reaches, folder: around.folder });
  if ("message" in named) return unfit(named);
  const unlisted = reaches === undefined && around.unlisted === "problem" ? known.unlisted : [];
  if (unlisted.length > 0) return unfit(unlistedProblem("target", unlisted));
  return {
    problems: [],
    // What the folder gains is not imported: the process is told which files it may take.
    reached: named,
    async load() {
      const why = await servant.load(fn, AbortSignal.timeout(LOAD_LIMIT));
      return why === undefined ? [] : [problem(why)];
    },
    run: (event, signal) => ask(servant, fn, { event, signal }),
  };
}

async function ask(
  servant: Servant,
  fn: string,
  { event, signal }: { readonly event: HookEvent; readonly signal: AbortSignal },
): Promise<HandlerAnswer> {
  const text = eventText(event);
  if (!text.ok) return { kind: "broken", why: text.why };
  const answer = await servant.ask(fn, text.text, signal);
  const isOther = answer.kind === "failed" && answer.why.includes("is not among the files that were read");
  return isOther ? { kind: "broken", why: answer.why } : answer;
}

const problem = (message: string): KeyProblem => ({ path: ["target"], message });

type Planned =
  | {
      readonly plan: ServantPlan;
      readonly files: FileDigests;
      readonly missing: FindMissing;
      /** What it runs that cannot be listed. */
      readonly unlisted: readonly string[];
    }
  | KeyProblem;

async function planScript(module: string, around: Surroundings): Promise<Planned> {
  const { folder, log } = around;
  const graph = await readModuleGraph(folder, module);
  if (!graph.ok) return problem(graph.message);
  const { entry, modules } = graph;
  const inside = await environmentFor(around);
  const plan = callablePlan({ name: module, folder, entry, modules, env: inside, log });
  const names = exportsOf(modules.find(({ path }) => path === entry)?.code ?? "");
  return {
    plan,
    files: new Map([
      ...(await Promise.all(graph.links.map(async (path) => [path, await digestOf(path)] as const))),
      ...modules.map(({ path, digest }) => [path, digest] as const),
    ]),
    // Its process reads no file and starts none.
    unlisted: [],
    missing: (fn) => missingFrom(module, fn, names),
  };
}

async function planPython(module: string, around: Surroundings): Promise<Planned> {
  const { folder, log } = around;
  const env = await environmentFor(around);
  const python = await around.python();
  if (!python.ok) return problem(python.message);
  const { program } = python;
  const scan = await scanPython({ program, kind: "module", name: module, folder, env });
  if (!scan.ok) return problem(scan.message);
  if (scan.files.length === 0) return problem(noPython(module));
  try {
    const hashes = await Promise.all(
      scan.files.map(async (path) => [path, sha256(await readFile(path))] as const),
    );
    const files = Object.fromEntries(hashes);
    const { names, links, unlisted } = scan;
    const linked = await Promise.all(links.map(async (path) => [path, await digestOf(path)] as const));
    return {
      plan: pythonPlan({ program, module, files, folder, env, log }),
      files: new Map([...linked, ...hashes]),
      unlisted: unlisted.map((why) => why.replace(`${folder}/`, "")),
      missing: (fn) => missingFrom(module, fn, names),
    };
  } catch (error) {
    return problem(messageOf(error));
  }
}

function noPython(module: string): string {
  return `there is no module ${module} of Python below the configuration's folder; a file of TypeScript or JavaScript is named by its path: ./${module}.ts`;
}

function missingFrom(
  module: string,
  fn: string,
  names: readonly string[] | undefined,
): ReturnType<FindMissing> {
  if (names === undefined || names.includes(fn)) return undefined;
  const near = nearest(fn, names);
  const known = names.length === 0 ? "it exports no function" : `it exports ${names.slice(0, 10).join(", ")}`;
  return {
    message: `there is no function ${fn} in ${module}: ${known}`,
    ...(near === undefined ? {} : { suggestion: `did you mean ${module}:${near}?` }),
  };
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
