/** Keeps the configuration in force up to date per workspace folder, and lets a person review what waits. Decides nothing. */
import { homedir } from "node:os";
import { basename } from "node:path";
import * as vscode from "vscode";
import { formatProblem, messageOf } from "../core/errors";
import type { AcceptedFiles } from "../node/acceptedFiles";
import { changedReach } from "../node/changedReach";
import { reachedLines } from "../node/configTrust";
import { realOf } from "../node/dataFolder";
import { acceptChange, type PendingChange, type Resolved, resolveWorkspace } from "../node/resolveWorkspace";
import type { TrustStore } from "../node/trustStore";
import type { Clock, Log } from "../ports";
import { tell } from "./configNotices";
import { type ConfigReview, configReview } from "./configReview";
import { configTriggers, localFolders } from "./configTriggers";
import { reachWatch } from "./reachWatch";
import { reviewChange } from "./reviewConfig";
import { readSettings } from "./settings";

export interface ConfigWatchDeps {
  readonly store: TrustStore;
  readonly acceptedFiles: AcceptedFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ConfigChanged {
  readonly root: string;
  readonly resolved: Resolved;
}

/** A person's click on Accept, for the signed record. */
export interface ConfigAccepted {
  readonly root: string;
  /** Absent = accepted that there is no file any more. */
  readonly digest?: string;
  readonly lines: readonly string[];
}

export interface ConfigWatch {
  /** Reads the files anew: what the next call is judged by. Never rejects. */
  fresh(root: string): Promise<Resolved>;
  /** What was last resolved; undefined before the first time. */
  current(root: string): Resolved | undefined;
  readonly onDidChange: vscode.Event<ConfigChanged>;
  readonly onDidAccept: vscode.Event<ConfigAccepted>;
}

export function registerConfigWatch(context: vscode.ExtensionContext, deps: ConfigWatchDeps): ConfigWatch {
  const changed = new vscode.EventEmitter<ConfigChanged>();
  const accepted = new vscode.EventEmitter<ConfigAccepted>();
  const known = new Map<string, Resolved>();
  const running = new Map<string, Promise<Resolved>>();
  const realRoots = new Map<string, string>();

  /** Of the last close look, per root: what waits because files changed that accepted rules reach. */
  const otherFiles = new Map<string, PendingChange>();

  /** One at a time per root: two that interleave could store the older of two answers last. */
  const resolving = async (path: string, look: Look): Promise<Resolved> => {
    const root = await realOf(path);
    realRoots.set(path, root);
    const before = running.get(root) ?? Promise.resolve();
    const work = () => resolveNow(root, { deps, look, otherFiles });
    const next = before.then(work, work);
    running.set(root, next);
    const resolved = await next;
    if (running.get(root) === next) running.delete(root);
    const old = known.get(root);
    known.set(root, resolved);
    if (old === undefined || fingerprint(old) !== fingerprint(resolved)) changed.fire({ root, resolved });
    return resolved;
  };
  const fresh = (path: string) => resolving(path, "text");
  const closely = async (path: string) => {
    const resolved = await resolving(path, "files");
    const root = await realOf(path);
    reached.set(root, [...(await deps.acceptedFiles.read(root)).keys()]);
    return resolved;
  };

  const refresh = () => {
    for (const folder of localFolders()) {
      closely(folder.uri.fsPath).catch((error: unknown) => deps.log.error(messageOf(error)));
    }
  };
  const accept = async (root: string, pending: PendingChange) => {
    const problems = await acceptChange({ store: deps.store, root }, pending);
    for (const problem of problems) void vscode.window.showErrorMessage(formatProblem(problem));
    const { digest, reached } = pending;
    // The record names each file that the person trusted with its digest: the text alone does not say what runs.
    const lines = [...pending.lines, ...(reached === undefined ? [] : reachedLines(reached))];
    // What could not be kept is not in force, so nothing was accepted.
    if (problems.length === 0) {
      await keepCopies(root, pending, deps);
      accepted.fire({ root, lines, ...(digest === undefined ? {} : { digest }) });
    }
    await closely(root);
  };

  const shown = configReview();
  const reached = reachWatch(refresh);
  context.subscriptions.push(
    changed,
    accepted,
    shown.provider,
    reached,
    changed.event((change) => tell(change, deps.log)),
    vscode.commands.registerCommand("countersign.reviewConfig", () =>
      review({ closely, accept, shown }, deps),
    ),
    ...configTriggers({ refresh, settle: () => void mirrorSettings(deps) }),
  );
  void mirrorSettings(deps);
  refresh();
  return {
    fresh,
    current: (root) => known.get(realRoots.get(root) ?? root),
    onDidChange: changed.event,
    onDidAccept: accepted.event,
  };
}

const fingerprint = ({ policyDigest, state, askAllButReads, pending, problems }: Resolved): string =>
  JSON.stringify([
    policyDigest,
    state,
    askAllButReads,
    pending?.digest,
    pending?.reach,
    pending?.lines,
    problems,
  ]);

/** "files" = also whether the files that accepted rules reach are those that were accepted, which takes longer. */
type Look = "text" | "files";

async function resolveNow(
  root: string,
  given: {
    readonly deps: ConfigWatchDeps;
    readonly look: Look;
    readonly otherFiles: Map<string, PendingChange>;
  },
): Promise<Resolved> {
  const { deps, look, otherFiles } = given;
  const { store, env } = deps;
  const { user, locked } = readSettings();
  const resolved = await resolveWorkspace({
    root,
    trusted: await isTrusted(root),
    user,
    locked,
    env,
    store,
  });
  if (look === "files") {
    const changed = resolved.pending === undefined ? await changedReach(root, { store, env }) : undefined;
    if (changed === undefined) otherFiles.delete(root);
    else otherFiles.set(root, changed);
  }
  const pending = resolved.pending ?? otherFiles.get(root);
  if (pending === undefined || pending === resolved.pending) return resolved;
  return { ...resolved, pending, problems: [...resolved.problems, ...(pending.unbuilt ?? [])] };
}

/** For the next review to show what changed since. */
async function keepCopies(root: string, pending: PendingChange, deps: ConfigWatchDeps): Promise<void> {
  const { file, text, reached } = pending;
  const config = file === undefined || text === undefined ? undefined : { path: file, text };
  await deps.acceptedFiles.keep(root, reached?.files ?? new Map(), config);
}

/** A folder that this window has not open is not trusted, whatever the window's own trust. */
async function isTrusted(root: string): Promise<boolean> {
  if (!vscode.workspace.isTrusted) return false;
  const open = await Promise.all(localFolders().map((folder) => realOf(folder.uri.fsPath)));
  return open.includes(root);
}

/** Hook clients without this window go by the mirror; folders of other windows stay in it. */
async function mirrorSettings({ store, log }: ConfigWatchDeps): Promise<void> {
  try {
    const { user, locked, problems } = readSettings();
    for (const problem of problems) log.warn(problem.message);
    const own = await Promise.all(localFolders().map((folder) => realOf(folder.uri.fsPath)));
    const before = await store.readState();
    const others = before.kind === "kept" ? before.value.trusted.filter((root) => !own.includes(root)) : [];
    const trusted = vscode.workspace.isTrusted ? [...others, ...own] : others;
    await store.writeState({ user, locked, trusted });
  } catch (error) {
    log.error(messageOf(error));
  }
}

interface Reviewing {
  readonly closely: (root: string) => Promise<Resolved>;
  readonly accept: (root: string, pending: PendingChange) => Promise<void>;
  readonly shown: ConfigReview;
}

async function review({ closely, accept, shown }: Reviewing, deps: ConfigWatchDeps): Promise<void> {
  const roots = await Promise.all(localFolders().map((folder) => realOf(folder.uri.fsPath)));
  if (roots.length === 0) roots.push(await realOf(homedir()));
  let waiting = 0;
  for (const root of roots) {
    const { pending, problems } = await closely(root);
    if (pending === undefined) {
      for (const problem of problems) deps.log.warn(formatProblem(problem));
      continue;
    }
    waiting++;
    const before = await deps.acceptedFiles.read(root);
    const asked = { folder: basename(root), pending, trusted: await isTrusted(root), accepted: before };
    const yes = await reviewChange(asked, {
      show: (title, options, ...items) => vscode.window.showWarningMessage(title, options, ...items),
      openAll: shown.openLines,
      openDiff: () => shown.openDiff(pending, before),
      monotonic: () => deps.clock.monotonic(),
      t: (text, ...args) => vscode.l10n.t(text, ...args),
    });
    if (yes) await accept(root, pending);
  }
  if (waiting === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No changed configuration waits."));
  }
}
