/** Door A in the editor: the broker that the plugin's hooks reach, and the traces by which they find it. Judges nothing. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { createCallTable } from "../agents/callTable";
import { createHookDoor, type HookDoorDeps, type HookSeen } from "../agents/hookDoor";
import { canonicalName } from "../agents/toolFacts";
import { messageOf } from "../core/errors";
import type { Governor } from "../core/govern";
import { isForMcpDoor } from "../mcp/proxy/door";
import { type Broker, startBroker } from "../node/broker";
import { isForTrustDoor, type TrustDoor } from "../node/cards/trustDoor";
import { writeLauncher } from "../node/launcherFiles";
import { readLocators, removeLocator, rivals, sweepLocators, writeLocator } from "../node/locator";
import { nodeClock, nodeIds, sha256 } from "../node/ports";
import type { Log } from "../ports";
import { mcpDoor } from "./mcpDoor";
import { openFolders } from "./openFolders";

export interface HookBrokerDeps {
  readonly governor: Governor;
  readonly endRun: NonNullable<HookDoorDeps["endRun"]>;
  /** Asks a person about a card for the command line. */
  readonly trustDoor: TrustDoor;
  readonly isOwnTool: (toolName: string) => boolean;
  readonly log: Log;
  readonly onSeen: (seen: HookSeen) => void;
  readonly onRanOther: NonNullable<HookDoorDeps["onRanOther"]>;
  /** Told of every request before anything reads it. */
  readonly onRequest?: (payload: string) => void;
  /** Told when the broker cannot run, or a locator that is not this user's stands beside ours. */
  readonly onTrouble: (message: string) => void;
}

const LOOK_MS = 15_000;

/** Sets the variables that hooks of the same extension host inherit. Never rejects: without a broker the plugin denies. */
export async function registerHookBroker(
  context: vscode.ExtensionContext,
  deps: HookBrokerDeps,
): Promise<void> {
  const home = homedir();
  const table = createCallTable();
  const mcp = mcpDoor({ ...deps, table });
  const door = createHookDoor({
    table,
    governor: deps.governor,
    endRun: deps.endRun,
    isOwnTool: deps.isOwnTool,
    canonicalName,
    profile: () => "default",
    hash: sha256,
    clock: nodeClock,
    ids: nodeIds,
    log: deps.log,
    onSeen: deps.onSeen,
    onRanOther: deps.onRanOther,
  });
  try {
    const broker = await startBroker({
      handle(request, ctx) {
        deps.onRequest?.(request.payload);
        if (isForTrustDoor(request)) return deps.trustDoor(request, ctx);
        return (isForMcpDoor(request) ? mcp : door)(request, ctx);
      },
      log: deps.log,
    });
    process.env.COUNTERSIGN_NODE = process.execPath;
    process.env.COUNTERSIGN_SOCKET = broker.socket;
    process.env.COUNTERSIGN_NONCE = broker.nonce;
    if (broker.http !== undefined) process.env.COUNTERSIGN_HTTP = broker.http;
    const tried = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        deps.onTrouble(vscode.l10n.t("Hooks outside this window cannot find it: {0}", messageOf(error)));
      }
    };
    const announce = (): void => tried(() => leaveTraces(broker, home));
    announce();
    // Only an update of the extension changes what it says, and the disk is waited for: the editor's start is not held up by it.
    const dist = context.asAbsolutePath("dist");
    const installed = setTimeout(() => tried(() => writeLauncher({ home, runtime: process.execPath, dist })));
    const look = setInterval(() => lookAround(home, deps), LOOK_MS);
    look.unref();
    lookAround(home, deps);
    context.subscriptions.push(vscode.workspace.onDidChangeWorkspaceFolders(announce), {
      dispose() {
        clearInterval(look);
        clearTimeout(installed);
        removeLocator(home, process.pid);
        void broker.close();
      },
    });
  } catch (error) {
    const message = vscode.l10n.t(
      "The broker could not start: {0}. Every call of agent mode is denied.",
      messageOf(error),
    );
    deps.log.error(message);
    deps.onTrouble(message);
  }
}

/** How hooks of other processes find this window. */
function leaveTraces(broker: Broker, home: string): void {
  sweepLocators(home);
  writeLocator(home, {
    pid: process.pid,
    socket: broker.socket,
    nonce: broker.nonce,
    folders: openFolders(),
    ...(broker.http === undefined ? {} : { http: broker.http }),
  });
}

function lookAround(home: string, deps: HookBrokerDeps): void {
  try {
    const located = readLocators(home);
    const [foreign] = located.foreign;
    if (foreign !== undefined)
      deps.onTrouble(
        vscode.l10n.t(
          "A locator that is not this window's stands in {0}: {1}",
          foreign.file,
          foreign.problem,
        ),
      );
    for (const file of rivals(located, { pid: process.pid, folders: openFolders() })) {
      deps.log.info(`another window answers for a folder of this one: ${file}`);
    }
  } catch (error) {
    deps.log.warn(`the locator folder cannot be read: ${messageOf(error)}`);
  }
}
