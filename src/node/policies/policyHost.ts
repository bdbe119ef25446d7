/** Trusted policies made ready to be asked: read, loaded in a process a card, described, matched. Decides no trust itself. */
import { resolve } from "node:path";
import { callSubject } from "../../agents/callSubject";
import { callPolicies } from "../../core/policies/callPolicies";
import { policyMatcher, policyName } from "../../core/policies/matcher";
import type { CallPolicies, CardIssue, PolicySource, RunnablePolicy } from "../../core/policies/types";
import type { Clock, Log } from "../../ports";
import { type CardProcess, createCardProcess } from "./cardProcess";
import type { ConsoleLevel, PolicyReport } from "./policyMessages";
import { kindInText, type PolicyModules, readPolicy } from "./readPolicies";

export interface PolicyHostDeps {
  readonly log: Log;
  readonly clock: Clock;
  /** What a policy prints; `name` is the policy's. At most some hundred lines at once. */
  readonly onConsole: (name: string, level: ConsoleLevel, text: string) => void;
  /** Milliseconds per callback where a policy names none; default 25 000. */
  readonly defaultTimeoutMs?: number;
  /** Absolute path of the Node that runs policies; default the one that runs this. */
  readonly runtime?: string;
  /** Milliseconds for a card to start and load; default 20 000, for busy machines. */
  readonly loadLimitMs?: number;
}

interface Opened {
  readonly policies: readonly (readonly [PolicySource, RunnablePolicy])[];
  readonly process?: CardProcess;
}

const DEFAULT_TIMEOUT_MS = 25_000;

/** Never rejects: what cannot be loaded denies as an enforcement policy does, is on record as an observer is, and is an issue. */
export async function openPolicies(
  sources: readonly PolicySource[],
  deps: PolicyHostDeps,
): Promise<CallPolicies> {
  const issues: CardIssue[] = [];
  const cards = new Map<string, PolicySource[]>();
  for (const source of sources) {
    const key = `${source.card ?? source.name}\n${source.folder}`;
    cards.set(key, [...(cards.get(key) ?? []), source]);
  }
  const opened = await Promise.all([...cards.values()].map((card) => openCard(card, deps, issues)));
  const made = new Map(opened.flatMap(({ policies }) => policies));
  // In the order that was given, whichever card a policy is part of.
  const policies = sources.flatMap((source) => made.get(source) ?? []);
  return callPolicies(policies, {
    clock: deps.clock,
    subject: callSubject,
    issues: () => [...issues],
    dispose: async () => void (await Promise.all(opened.map(({ process }) => process?.close()))),
  });
}

async function openCard(
  sources: readonly PolicySource[],
  deps: PolicyHostDeps,
  issues: CardIssue[],
): Promise<Opened> {
  const read = await Promise.all(sources.map(async (source) => ({ source, read: await readPolicy(source) })));
  const readable = read.flatMap(({ source, read }) => (read.ok ? [{ source, ...read }] : []));
  const unreadable = read.flatMap(({ source, read }) => (read.ok ? [] : [{ source, ...read }]));
  const denying = unreadable.map(
    async ({ source, code, why }) => [source, await unfit(source, { code, why }, issues)] as const,
  );
  const loaded = await loadCard(readable, deps, issues);
  const policies = [...(await Promise.all(denying)), ...loaded.policies];
  return loaded.process === undefined ? { policies } : { policies, process: loaded.process };
}

type Readable = Extract<PolicyModules, { ok: true }> & { readonly source: PolicySource };

async function loadCard(
  readable: readonly Readable[],
  deps: PolicyHostDeps,
  issues: CardIssue[],
): Promise<Opened> {
  const [first] = readable;
  if (first === undefined) return { policies: [] };
  const sources = readable.map(({ source }) => source);
  const { log, clock, onConsole, runtime, loadLimitMs } = deps;
  const process = createCardProcess(
    {
      name: first.source.card ?? first.source.name,
      folder: first.folder,
      entries: readable.map(({ entry }) => entry),
      modules: [
        ...new Map(readable.flatMap(({ modules }) => modules.map((one) => [one.path, one]))).values(),
      ],
      unconfined: sources.every(({ unconfined }) => unconfined === true),
      log,
      ...(runtime === undefined ? {} : { runtime }),
      ...(loadLimitMs === undefined ? {} : { loadLimitMs }),
      onPrinted: (entry, level, text) => onConsole(sources[entry]?.name ?? first.source.name, level, text),
    },
    { clock, onBroken: (entry, why) => void broken(sources[entry], why, { log, issues }) },
  );
  const report = await process.report();
  if (typeof report === "string") {
    const failure = { code: "policy_unloadable", why: report };
    const all = sources.map(async (source) => [source, await unfit(source, failure, issues)] as const);
    return { policies: await Promise.all(all), process };
  }
  if (!report.confined && report.policies.length === 0) {
    issues.push(...sources.map(unconfinedIssue));
    return { policies: [], process };
  }
  const timeoutMs = deps.defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  const policies = sources.map(async (source, entry) => {
    const running = { process, entry, timeoutMs, issues };
    return [source, await runnable(source, report.policies[entry], running)] as const;
  });
  return { policies: await Promise.all(policies), process };
}

interface Running {
  readonly process: CardProcess;
  readonly entry: number;
  readonly timeoutMs: number;
  readonly issues: CardIssue[];
}

async function runnable(
  source: PolicySource,
  report: PolicyReport | undefined,
  { process, entry, timeoutMs, issues }: Running,
): Promise<RunnablePolicy> {
  if (report?.ok !== true) {
    const why = report?.why ?? "it is not loaded";
    return unfit(source, { code: "policy_invalid", why }, issues);
  }
  const matcher = policyMatcher(report.matcher ?? undefined);
  if (!matcher.ok) {
    issues.push(issueOf(source, { code: "policy_matcher", why: matcher.why, mend: "Mend the matcher." }));
    return refusing(source, { kind: report.kind, why: matcher.why });
  }
  return {
    name: policyName(source.name),
    kind: report.kind,
    has: (callback) => (callback === "beforeToolCall" ? report.before : report.after),
    matches: matcher.matches,
    run: (callback, event, signal) =>
      process.ask({ entry, callback, event, signal, timeoutMs: report.timeoutMs ?? timeoutMs }),
  };
}

/** Nobody knows what it would have said. */
function refusing(
  source: PolicySource,
  { kind, why }: Pick<RunnablePolicy, "kind"> & { why: string },
): RunnablePolicy {
  return {
    name: policyName(source.name),
    kind,
    has: (callback) => callback === "beforeToolCall",
    matches: () => true,
    run: async () => ({ kind: "failed", why }),
  };
}

async function unfit(
  source: PolicySource,
  { code, why }: { readonly code: string; readonly why: string },
  issues: CardIssue[],
): Promise<RunnablePolicy> {
  const mend =
    code === "policy_changed"
      ? "Look at the change and trust the card's hooks again, or bring the old files back."
      : "Mend the policy; until then its card cannot judge calls.";
  issues.push(issueOf(source, { code, why, mend }));
  return refusing(source, { kind: await kindInText(source), why });
}

function issueOf(
  { card, name, entry, folder }: PolicySource,
  what: { readonly code: string; readonly why: string; readonly mend: string; readonly severity?: "warning" },
): CardIssue {
  const { code, why, mend, severity = "error" } = what;
  const place = /^(.+?):(\d+):(\d+): /u.exec(why);
  const base: CardIssue = { code, card: card ?? name, message: `${name}: ${why}`, mend, severity };
  if (place === null) return { ...base, file: entry };
  const [, file = entry, line, column] = place;
  return { ...base, file: resolve(folder, file), line: Number(line), column: Number(column) };
}

const unconfinedIssue = (source: PolicySource): CardIssue =>
  issueOf(source, {
    code: "needsUnconfinedTrust",
    why: "this runtime cannot keep policies from files and programs, so it does not run",
    mend: "Let it run without confinement only if you trust its author as you trust a program that you install.",
    severity: "warning",
  });

function broken(
  source: PolicySource | undefined,
  why: string,
  { log, issues }: { readonly log: Log; readonly issues: CardIssue[] },
): void {
  if (source === undefined) return;
  const said = `it ended its process three times, the last time because ${why}`;
  log.error(`policy ${source.name}: ${said}`);
  const mend = "Mend the policy and reload it.";
  issues.push(issueOf(source, { code: "policy_broken", why: said, mend }));
}
