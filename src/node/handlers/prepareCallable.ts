/** Checks a callable's configuration, reads its files, and makes it ready to be asked. Knows nothing of rules. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { messageOf } from "../../core/errors";
import type { HandlerAnswer, HookEvent } from "../../core/hookRules/types";
import { nearest } from "../../core/rules/suggest";
import { callablePlan } from "./callable";
import { filteredEnvironment } from "./environment";
import { eventText } from "./eventText";
import type { FileDigests } from "./fileDigest";
import { exportsOf, readModuleGraph } from "./moduleGraph";
import { type KeyProblem, type Prepared, type Surroundings, unfit } from "./prepare";
import { pythonPlan, scanPython } from "./python";
import { createServant, type Servant, type ServantPlan } from "./servant";

/** One process for each module, whichever of its functions are handlers: what the module remembers is one. */
export type Servants = Map<
  string,
  { readonly servant: Servant; readonly files: FileDigests; readonly missing: FindMissing }
>;

/** Says that a function is surely not there, without running the module; undefined = it may be. */
type FindMissing = (fn: string) => { readonly message: string; readonly suggestion?: string } | undefined;

/** Milliseconds for a module to load. */
const LOAD_LIMIT = 15_000;

export async function prepareCallable(
  target: string,
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
    known = { servant: createServant(plan.plan), files: plan.files, missing: plan.missing };
    servants.set(module, known);
  }
  const { servant, files } = known;
  const absent = known.missing(fn);
  if (absent !== undefined) return unfit({ path: ["target"], ...absent });
  return {
    problems: [],
    // What the folder gains is not imported: the process is told which files it may take.
    reached: { files, watched: new Map() },
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
  | { readonly plan: ServantPlan; readonly files: FileDigests; readonly missing: FindMissing }
  | KeyProblem;

async function planScript(module: string, { folder, env, log }: Surroundings): Promise<Planned> {
  const graph = await readModuleGraph(folder, module);
  if (!graph.ok) return problem(graph.message);
  const { entry, modules } = graph;
  const plan = callablePlan({ name: module, folder, entry, modules, env: filteredEnvironment(env), log });
  const names = exportsOf(modules.find(({ path }) => path === entry)?.code ?? "");
  return {
    plan,
    files: new Map(modules.map(({ path, digest }) => [path, digest])),
    missing: (fn) => missingFrom(module, fn, names),
  };
}

async function planPython(module: string, around: Surroundings): Promise<Planned> {
  const { folder, log } = around;
  const env = filteredEnvironment(around.env);
  const python = await around.python();
  if (!python.ok) return problem(python.message);
  const { program } = python;
  const scan = await scanPython({ program, kind: "module", name: module, folder, env });
  if (!scan.ok) return problem(scan.message);
  try {
    const hashes = await Promise.all(
      scan.files.map(async (path) => [path, sha256(await readFile(path))] as const),
    );
    const files = Object.fromEntries(hashes);
    const { names } = scan;
    return {
      plan: pythonPlan({ program, module, files, folder, env, log }),
      files: new Map(hashes),
      missing: (fn) => missingFrom(module, fn, names),
    };
  } catch (error) {
    return problem(messageOf(error));
  }
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
