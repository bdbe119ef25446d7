/** Keeps the configuration in force up to date per workspace folder, and lets a person review what waits. Decides nothing. */
import { homedir } from "node:os";
import { basename } from "node:path";
import * as vscode from "vscode";
import { formatProblem, messageOf } from "../core/errors";
import { realOf } from "../node/dataFolder";
import { acceptChange, type PendingChange, type Resolved, resolveWorkspace } from "../node/resolveWorkspace";
import type { TrustStore } from "../node/trustStore";
import type { Clock, Log } from "../ports";
import { type ReviewDeps, reviewChange } from "./reviewConfig";
import { readSettings } from "./settings";

export interface ConfigWatchDeps {
  readonly store: TrustStore;
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

  /** One at a time per root: two that interleave could store the older of two answers last. */
  const fresh = async (path: string): Promise<Resolved> => {
    const root = await realOf(path);
    realRoots.set(path, root);
    const before = running.get(root) ?? Promise.resolve();
    const next = before.then(
      () => resolveNow(root, deps),
      () => resolveNow(root, deps),
    );
    running.set(root, next);
    const resolved = await next;
    if (running.get(root) === next) running.delete(root);
    const old = known.get(root);
    known.set(root, resolved);
    if (old === undefined || fingerprint(old) !== fingerprint(resolved)) changed.fire({ root, resolved });
    return resolved;
  };

  const refresh = () => {
    for (const folder of localFolders()) {
      fresh(folder.uri.fsPath).catch((error: unknown) => deps.log.error(messageOf(error)));
    }
  };
  const accept = async (root: string, pending: PendingChange) => {
    const problems = await acceptChange({ store: deps.store, root }, pending);
    for (const problem of problems) void vscode.window.showErrorMessage(formatProblem(problem));
    const { digest, lines } = pending;
    // What could not be kept is not in force, so nothing was accepted.
    if (problems.length === 0) accepted.fire({ root, lines, ...(digest === undefined ? {} : { digest }) });
    await fresh(root);
  };

  const list = changeList();
  context.subscriptions.push(
    changed,
    accepted,
    list.provider,
    changed.event((change) => tell(change, deps)),
    vscode.commands.registerCommand("countersign.reviewConfig", () => review({ fresh, accept, list }, deps)),
    ...watchEverything(deps, refresh),
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

const localFolders = (): readonly vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");

const fingerprint = ({ policyDigest, state, askAllButReads, pending, problems }: Resolved): string =>
  JSON.stringify([policyDigest, state, askAllButReads, pending?.digest, pending?.lines, problems]);

async function resolveNow(root: string, { store, env }: ConfigWatchDeps): Promise<Resolved> {
  const { user, locked } = readSettings();
  return resolveWorkspace({ root, trusted: await isTrusted(root), user, locked, env, store });
}

/** A folder that this window has not open is not trusted, whatever the window's own trust. */
async function isTrusted(root: string): Promise<boolean> {
  if (!vscode.workspace.isTrusted) return false;
  const open = await Promise.all(localFolders().map((folder) => realOf(folder.uri.fsPath)));
  return open.includes(root);
}

function watchEverything(deps: ConfigWatchDeps, refresh: () => void): readonly vscode.Disposable[] {
  const settle = () => {
    void mirrorSettings(deps);
    refresh();
  };
  let watchers = watchFolders(refresh);
  const rewatch = () => {
    watchers.dispose();
    watchers = watchFolders(refresh);
    settle();
  };
  return [
    { dispose: () => watchers.dispose() },
    vscode.workspace.onDidChangeWorkspaceFolders(rewatch),
    vscode.workspace.onDidGrantWorkspaceTrust(settle),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("countersign")) settle();
    }),
    vscode.window.onDidChangeWindowState((state) => {
      if (state.focused) refresh();
    }),
  ];
}

function watchFolders(refresh: () => void): vscode.Disposable {
  const watchers = localFolders().map((folder) => {
    const pattern = new vscode.RelativePattern(folder, "gateway-hooks.{toml,json}");
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    watcher.onDidChange(refresh);
    watcher.onDidCreate(refresh);
    watcher.onDidDelete(refresh);
    return watcher;
  });
  return vscode.Disposable.from(...watchers);
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

function tell({ root, resolved }: ConfigChanged, { log }: ConfigWatchDeps): void {
  log.info(`configuration of ${root}: ${resolved.state}`);
  for (const problem of resolved.problems) log.warn(formatProblem(problem));
  const { pending } = resolved;
  if (pending === undefined) return;
  const reviewButton = vscode.l10n.t("Review…");
  const text = vscode.l10n.t("{0}: a changed configuration waits for you.", basename(root));
  vscode.window.showWarningMessage(text, reviewButton).then(
    (answer) => {
      // The button opens the dialog; only the dialog accepts.
      if (answer === reviewButton) void vscode.commands.executeCommand("countersign.reviewConfig");
    },
    () => undefined,
  );
}

interface Reviewing {
  readonly fresh: (root: string) => Promise<Resolved>;
  readonly accept: (root: string, pending: PendingChange) => Promise<void>;
  readonly list: ReturnType<typeof changeList>;
}

async function review({ fresh, accept, list }: Reviewing, deps: ConfigWatchDeps): Promise<void> {
  const roots = await Promise.all(localFolders().map((folder) => realOf(folder.uri.fsPath)));
  if (roots.length === 0) roots.push(await realOf(homedir()));
  let waiting = 0;
  for (const root of roots) {
    const { pending, problems } = await fresh(root);
    if (pending === undefined) {
      for (const problem of problems) deps.log.warn(formatProblem(problem));
      continue;
    }
    waiting++;
    const asked = { folder: basename(root), pending, trusted: await isTrusted(root) };
    const yes = await reviewChange(asked, {
      show: (title, options, ...items) => vscode.window.showWarningMessage(title, options, ...items),
      openAll: list.open,
      monotonic: () => deps.clock.monotonic(),
      t: (text, ...args) => vscode.l10n.t(text, ...args),
    });
    if (yes) await accept(root, pending);
  }
  if (waiting === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No changed configuration waits."));
  }
}

/** A read-only document for the list of changes, so that closing it asks nothing. */
function changeList(): { readonly provider: vscode.Disposable; readonly open: ReviewDeps["openAll"] } {
  const address = vscode.Uri.from({ scheme: "countersign-review", path: "/configuration-changes.txt" });
  const changed = new vscode.EventEmitter<vscode.Uri>();
  let text = "";
  const provider = vscode.workspace.registerTextDocumentContentProvider(address.scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: () => text,
  });
  return {
    provider: vscode.Disposable.from(provider, changed),
    open: async (lines) => {
      text = `${lines.join("\n")}\n`;
      changed.fire(address);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(address));
    },
  };
}
