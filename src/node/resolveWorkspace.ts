/** The configuration in force for one workspace: file, store, settings and environment brought together. Decides nothing itself. */
import { createHash } from "node:crypto";
import { CountersignError, type Problem } from "../core/errors";
import { readEnvironment, strictEnvironment } from "../core/rules/environment";
import {
  acceptPending,
  decideConfig,
  type Found,
  type InForce,
  type Pending,
  type Situation,
  type Verdict,
} from "../core/rules/inForce";
import type { Config, ConfigFile } from "../core/rules/schema";
import { type LoadedConfig, loadWorkspaceConfig } from "./configFiles";
import type { Reach } from "./handlers/build";
import { reachOfLayer } from "./ruleSource";
import type { Snapshot, TrustStore } from "./trustStore";

export interface ResolveInput {
  readonly root: string;
  readonly trusted: boolean;
  readonly user: ConfigFile;
  readonly locked: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: TrustStore;
}

/** A change that waits for a person, with the text that the person is shown the effect of. */
export interface PendingChange extends Pending {
  readonly file?: string;
  readonly text?: string;
  /** Every local file that its rules reach, for the person to look at; `reach` is the digest over them. */
  readonly reached?: Reach;
  /** Set = handlers of its rules cannot be built: it cannot be accepted. */
  readonly unbuilt?: readonly Problem[];
}

export interface Resolved extends Omit<Verdict, "pending" | "save"> {
  /** Whether the workspace is: where it is not, no code of its files or cards runs. */
  readonly trusted: boolean;
  readonly pending?: PendingChange;
  /** Everything a person should know: mistakes in the file, values that wait, a store that cannot be read. */
  readonly problems: readonly Problem[];
  /** SHA-256 of the effective configuration. */
  readonly policyDigest: string;
}

/** Never rejects, and never answers looser than what was in force. */
export async function resolveWorkspace(input: ResolveInput): Promise<Resolved> {
  const [loaded, stored] = await Promise.all([loadWorkspaceConfig(input.root), input.store.load(input.root)]);
  const environment = readEnvironment(input.env);
  const { verdict, policyDigest } = decided(loaded, {
    found: foundOf(loaded),
    stored: stored.kind === "kept" ? stored.value : undefined,
    user: input.user,
    environment: environment.ok ? environment.value : strictEnvironment,
    environmentMode: "tighten",
    locked: input.locked,
    trusted: input.trusted,
  });
  const problems: Problem[] = environment.ok ? [] : [...environment.problems];
  problems.push(...problemsOf(loaded, verdict, input.root));
  const { save, pending, ...rest } = stored.kind === "damaged" ? afterDamage(verdict, loaded) : verdict;
  if (stored.kind === "damaged") problems.push(storeProblem(input.root, stored.message));
  else if (save !== undefined) problems.push(...(await keep(input, save, loaded)));
  const shown = pending === undefined ? undefined : await withReach(withText(pending, loaded), input);
  problems.push(...(shown?.unbuilt ?? []));
  return {
    ...rest,
    trusted: input.trusted,
    problems,
    policyDigest,
    ...(shown === undefined ? {} : { pending: shown }),
  };
}

interface Decided {
  readonly verdict: Verdict;
  readonly policyDigest: string;
}

/** The last verdict on what a file says: it is asked for every call, and the same situation has the same answer. */
const lastDecided = new WeakMap<
  LoadedConfig,
  Decided & { readonly stored: unknown; readonly rest: string }
>();

function decided(loaded: LoadedConfig, situation: Situation): Decided {
  const { user, environment, locked, trusted, stored } = situation;
  const rest = sortedText([user, environment, locked, trusted]);
  const known = lastDecided.get(loaded);
  if (known !== undefined && known.stored === stored && known.rest === rest) return known;
  const verdict = decideConfig(situation);
  const answer = { verdict, policyDigest: policyDigestOf(verdict), stored, rest };
  lastDecided.set(loaded, answer);
  return answer;
}

/** What is pending together with the local files that its rules would run. */
async function withReach(
  pending: PendingChange,
  { root, env }: Pick<ResolveInput, "root" | "env">,
): Promise<PendingChange> {
  const found = await reachOfLayer(pending.layer, { root, env, ...pending });
  switch (found.kind) {
    case "none":
      return pending;
    case "broken":
      return { ...pending, unbuilt: found.problems };
    case "reach":
      return { ...pending, reached: found.reach, reach: found.reach.digest };
    default:
      return found satisfies never;
  }
}

function foundOf(loaded: LoadedConfig): Found {
  return loaded.kind === "read" ? { kind: "read", layer: loaded.parsed, digest: loaded.digest } : loaded;
}

/** The store held something and nobody knows what: everything but reads asks until a person accepts what is there now. */
function afterDamage(verdict: Verdict, loaded: LoadedConfig): Verdict {
  const { save: _, ...rest } = verdict;
  const asked: Verdict = { ...rest, askAllButReads: true };
  if (asked.pending !== undefined || loaded.kind === "broken") return asked;
  const found = loaded.kind === "read" ? { layer: loaded.parsed, digest: loaded.digest } : { layer: {} };
  return { ...asked, state: "waiting", pending: { ...found, lines: [], loosening: [] } };
}

function withText(pending: Pending, loaded: LoadedConfig): PendingChange {
  return loaded.kind === "read" ? { ...pending, file: loaded.file, text: loaded.text } : pending;
}

async function keep(input: ResolveInput, save: InForce, loaded: LoadedConfig): Promise<readonly Problem[]> {
  const text = loaded.kind === "read" && save.digest === loaded.digest ? { text: loaded.text } : {};
  const snapshot: Snapshot = { ...save, ...text, by: "tightening" };
  return store(input.store, input.root, snapshot);
}

/**
 * Keeps what a person accepted. Only to be called with the return value of our own dialog in hand.
 * Answers the problems that kept it from being stored.
 */
export async function acceptChange(input: Pick<ResolveInput, "store" | "root">, pending: PendingChange) {
  if (pending.unbuilt !== undefined) return pending.unbuilt;
  const text = pending.text === undefined ? {} : { text: pending.text };
  return store(input.store, input.root, { ...acceptPending(pending), ...text, by: "person" });
}

async function store(to: TrustStore, root: string, snapshot: Snapshot): Promise<readonly Problem[]> {
  try {
    await to.save(root, snapshot);
    return [];
  } catch (error) {
    if (error instanceof CountersignError) return [storeProblem(root, error.message)];
    throw error;
  }
}

function storeProblem(root: string, message: string): Problem {
  return { code: "folder.unsafe", file: root, line: 1, column: 1, message };
}

function problemsOf(loaded: LoadedConfig, verdict: Verdict, root: string): readonly Problem[] {
  const file = loaded.kind === "missing" ? root : loaded.file;
  const notes = verdict.notes.map(
    (note): Problem => ({ code: "config.type", file, line: 1, column: 1, message: note.message }),
  );
  if (loaded.kind === "broken") return [...loaded.problems, ...notes];
  if (loaded.kind === "missing" && verdict.state === "waiting") {
    const message = "the configuration file is gone; what it said stays in force until a person accepts that";
    return [{ code: "config.missing", file, line: 1, column: 1, message }, ...notes];
  }
  if (verdict.pending === undefined) return notes;
  const keys = verdict.pending.loosening.join(", ");
  const message = `the changed configuration waits until a person accepts it; it loosens ${keys}`;
  return [{ code: "config.waiting", file, line: 1, column: 1, message }, ...notes];
}

/** Names what calls are judged by: the effective configuration, and the files that its rules may run. */
function policyDigestOf({ config, reach }: Pick<Verdict, "config" | "reach">): string {
  const digest = configDigest(config);
  return reach === undefined ? digest : createHash("sha256").update(`${digest} ${reach}`).digest("hex");
}

/** Names the effective configuration; equal configurations have equal digests. */
export function configDigest(config: Config): string {
  return createHash("sha256").update(sortedText(config)).digest("hex");
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
