/** The rules of configurations in force, built once per content: handlers that may run, and what cannot be built denies. Decides no trust itself. */
import { CountersignError, formatProblem, messageOf, type Problem } from "../core/errors";
import { type Background, createBackground } from "../core/hookRules/background";
import { brokenRules } from "../core/hookRules/brokenRules";
import { type CallRules, callRules } from "../core/hookRules/callRules";
import { type CompiledRules, compileRules } from "../core/hookRules/fires";
import type { DoorDefault } from "../core/hookRules/onError";
import type { RunDeps, Trust } from "../core/hookRules/ruleRun";
import { type RunEndRules, runEndRules } from "../core/hookRules/runEnd";
import type { Handler, HookEventName, Rule } from "../core/hookRules/types";
import { onlyDenies } from "../core/rules/ruleLists";
import { type HooksConfig, rulesIn } from "../core/rules/schemaHooks";
import { stableText } from "../core/values";
import type { Log } from "../ports";
import { type BuiltHandlers, buildHandlers, type HandlerSource } from "./handlers/build";
import { stampOf } from "./handlers/fileDigest";
import { nodeClock } from "./ports";

export interface RuleSource {
  /** Differs whenever rules or trust differ; absent = they are compared themselves. */
  readonly id?: string;
  readonly hooks: HooksConfig;
  /** Absolute: where relative paths of handlers start. */
  readonly folder: string;
  /** Where the rules were read, for problems. */
  readonly file?: { readonly file: string; readonly text: string };
  readonly trust: SourceTrust;
}

export type SourceTrust =
  /** The configuration was given by whoever runs the program: the library, `--run-handlers`. */
  | { readonly kind: "given" }
  /** Accepted by a person together with local files of this digest. */
  | { readonly kind: "accepted"; readonly reach: string }
  /** No code of it runs. */
  | { readonly kind: "inert"; readonly why: string };

export interface WorkspaceRules {
  /** The same object for the same content, so that a call judged twice asks its handlers once. Never rejects. */
  of(sources: readonly RuleSource[]): Promise<RulesInForce>;
  /** Waits for async handlers, at most `ms`, and ends the processes of handlers. */
  close(ms?: number): Promise<void>;
}

export interface WorkspaceRulesDeps {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onError: DoorDefault;
  readonly onLate?: RunDeps["onLate"];
}

export interface RulesInForce {
  /** Undefined = there are none. */
  readonly rules: CallRules | undefined;
  /** Those at the end of an agent's run; undefined = there are no rules at all. */
  readonly runEnd?: RunEndRules;
  /** Absolute paths of what they run: an agent's change of one is asked for. */
  readonly files: readonly string[];
}

interface Built extends RulesInForce {
  readonly handlers: readonly BuiltHandlers[];
  /** True where handlers are broken by what lies on disk: mended, they are to be built anew. */
  readonly mendable: boolean;
  /** Where it is mendable: what the files looked like, and when that was, in milliseconds. */
  readonly seen?: { readonly stamp: string; readonly at: number };
}

/** How long async handlers are waited for at the end. */
const CLOSE_MS = 5_000;
/** How long calls that are under way may still use handlers of a configuration that is no longer in force. */
const LINGER_MS = 120_000;

/** How long what could not be built is believed to be still so: without files to look at, and with them. */
const UNKNOWN_MS = 2_000;
const UNCHANGED_MS = 10_000;

/** Building anew starts processes: the same files would only fail again. */
async function isMended({ mendable, seen, handlers }: Built): Promise<boolean> {
  if (!mendable || seen === undefined) return mendable;
  const age = Date.now() - seen.at;
  if (handlers.length === 0) return age >= UNKNOWN_MS || age < 0;
  return age >= UNCHANGED_MS || age < 0 || (await stampOfAll(handlers)) !== seen.stamp;
}

const stampOfAll = async (handlers: readonly BuiltHandlers[]): Promise<string> =>
  (await Promise.all(handlers.map(({ reach }) => stampOf(reach)))).join("\n");

export function createWorkspaceRules(deps: WorkspaceRulesDeps): WorkspaceRules {
  const background = createBackground(nodeClock);
  let last: { readonly key: string; readonly built: Promise<Built> } | undefined;
  const retired = new Set<Promise<Built>>();
  const retire = (built: Promise<Built>): void => {
    retired.add(built);
    void nodeClock.timer(LINGER_MS).done.then(async () => {
      retired.delete(built);
      await closeBuilt(built);
    });
  };
  return {
    async of(sources) {
      const live = sources.filter(({ hooks }) => rulesIn(hooks).length > 0);
      const key = stableText(live.map((one) => [one.id ?? [one.hooks, one.trust], one.folder]));
      if (last?.key !== key || (await isMended(await last.built))) {
        if (last !== undefined) retire(last.built);
        last = { key, built: buildAll(live, deps, background) };
      }
      return last.built;
    },
    async close(ms = CLOSE_MS) {
      await background.drain(ms);
      const all = [...retired, ...(last === undefined ? [] : [last.built])];
      await Promise.all(all.map(closeBuilt));
      last = undefined;
      retired.clear();
    },
  };
}

export interface GivenRules {
  readonly rules: CallRules | undefined;
  close(): Promise<void>;
}

/** The library's way: the file is taken as given, and a handler that cannot be built throws a CountersignError here. */
export async function buildGivenRules(
  source: Omit<RuleSource, "trust">,
  deps: Pick<WorkspaceRulesDeps, "env" | "log" | "onLate">,
): Promise<GivenRules> {
  const background = createBackground(nodeClock);
  const given: RuleSource = { ...source, trust: { kind: "given" } };
  if (rulesIn(source.hooks).length === 0) return { rules: undefined, close: async () => undefined };
  const { rules, handlers, problems } = await buildSource(given, {
    ...deps,
    // Nobody is asked to trust a digest: whoever runs the program answers for what it runs.
    unlisted: "allowed",
  });
  if (problems.length > 0) {
    throw new CountersignError("config.missing", problems.map(formatProblem).join("\n"), {
      hint: "Mend the lines named and start again.",
    });
  }
  const { log, onLate } = deps;
  const run: RunDeps = {
    clock: nodeClock,
    log,
    onError: "record",
    background,
    ...(onLate === undefined ? {} : { onLate }),
  };
  return {
    rules: callRules(compiledOrDenying(rules, deps.log), run),
    async close() {
      await background.drain(CLOSE_MS);
      await handlers?.close();
    },
  };
}

async function closeBuilt(built: Promise<Built>): Promise<void> {
  const { handlers } = await built;
  await Promise.all(handlers.map((one) => one.close()));
}

async function buildAll(
  sources: readonly RuleSource[],
  deps: WorkspaceRulesDeps,
  background: Background,
): Promise<Built> {
  if (sources.length === 0) return { rules: undefined, files: [], handlers: [], mendable: false };
  const handlers: BuiltHandlers[] = [];
  const inert = new Map<Rule, Trust>();
  const rules: Rule[] = [];
  let mendable = false;
  for (const source of sources) {
    const built = await buildSource(source, deps);
    mendable ||= built.problems.length > 0 || holdsOtherFiles(source, built.handlers);
    if (built.handlers !== undefined) handlers.push(built.handlers);
    for (const rule of built.rules) {
      rules.push(rule);
      if (source.trust.kind === "inert") inert.set(rule, source.trust);
    }
  }
  const compiled = compiledOrDenying(rules, deps.log);
  const run = {
    clock: nodeClock,
    log: deps.log,
    onError: deps.onError,
    background,
    trusted: (rule: Rule): Trust => inert.get(rule) ?? { kind: "trusted" },
    ...(deps.onLate === undefined ? {} : { onLate: deps.onLate }),
  };
  const files = handlers.flatMap(({ reach }) => [...reach.files.keys()]);
  const built = { rules: callRules(compiled, run), runEnd: runEndRules(compiled, run), files, handlers };
  if (!mendable) return { ...built, mendable };
  return { ...built, mendable, seen: { stamp: await stampOfAll(handlers), at: Date.now() } };
}

const holdsOtherFiles = ({ trust }: RuleSource, handlers: BuiltHandlers | undefined): boolean =>
  trust.kind === "accepted" && handlers !== undefined && handlers.reach.digest !== trust.reach;

/** Rules of a file were checked where it was read; if one still cannot be compiled, nothing passes. */
function compiledOrDenying(rules: readonly Rule[], log: Log): CompiledRules {
  const compiled = compileRules(rules);
  if (compiled.ok) return compiled.value;
  const why = compiled.problems.map(formatProblem).join("; ");
  log.error(`rules: ${why}`);
  const refusing = (event: HookEventName): Rule => {
    const broken: Handler = { name: "rules", kind: "function", run: async () => ({ kind: "broken", why }) };
    return { name: "rules", event, before: true, handlers: [broken] };
  };
  const all = [refusing("pre_tool_call"), refusing("post_tool_call"), refusing("run_end")];
  return {
    rules: all,
    has: (event) => all.some((rule) => rule.event === event),
    of: (event) => all.filter((rule) => rule.event === event).map((rule) => ({ rule, fits: () => "yes" })),
  };
}

async function buildSource(
  source: RuleSource,
  deps: Pick<WorkspaceRulesDeps, "env" | "log"> & Pick<HandlerSource, "unlisted">,
): Promise<{
  readonly rules: readonly Rule[];
  readonly handlers?: BuiltHandlers;
  readonly problems: readonly Problem[];
}> {
  const { hooks, folder, trust, file } = source;
  // Nothing but denials: no file is looked at and no process is made.
  if (rulesIn(hooks).every(({ rule }) => onlyDenies(rule)))
    return { rules: brokenRules(hooks, ""), problems: [] };
  try {
    const built = await buildHandlers({
      hooks,
      folder,
      env: deps.env,
      log: deps.log,
      config: {
        file: file?.file ?? folder,
        text: file?.text ?? "",
        format: file?.file.endsWith(".json") === true ? "json" : "toml",
      },
      ...(trust.kind === "accepted" ? { accepted: trust.reach } : {}),
      ...(trust.kind === "inert" ? { inert: trust.why } : {}),
      ...(deps.unlisted === undefined ? {} : { unlisted: deps.unlisted }),
    });
    if (built.ok) return { rules: built.value.rules, handlers: built.value, problems: [] };
    const why = `it cannot be built: ${built.problems.map(formatProblem).join("; ")}`;
    deps.log.error(`rules: ${why}`);
    return { rules: brokenRules(hooks, why), problems: built.problems };
  } catch (error) {
    const message = `it cannot be built: ${messageOf(error)}`;
    const problem: Problem = {
      code: "config.missing",
      file: file?.file ?? folder,
      line: 1,
      column: 1,
      message,
    };
    return { rules: brokenRules(hooks, message), problems: [problem] };
  }
}
