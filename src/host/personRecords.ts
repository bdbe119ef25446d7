/** What a person did outside a held call becomes a record too, signed as it is written: an accepted configuration, an answer that came too late, trust given, something switched. */
import * as vscode from "vscode";
import type { GrantState } from "../core/consent";
import { messageOf } from "../core/errors";
import { grantRecord } from "../core/grantRecord";
import { answerRecord } from "../core/recording";
import { sha256 } from "../node/ports";
import type { AskAnswer, AskRequest, Log } from "../ports";
import type { ConfigAccepted, ConfigChanged } from "./configWatch";
import { openFolders } from "./openFolders";
import type { Workspaces } from "./workspaces";

export interface PersonRecordsDeps {
  readonly workspaces: () => Workspaces;
  readonly onDidAccept: vscode.Event<ConfigAccepted>;
  readonly onDidChange: vscode.Event<ConfigChanged>;
  readonly log: Log;
}

/** `to` is the state that was chosen, from a dialog of ours or in the configuration. */
export interface Switched {
  readonly what:
    | "chain"
    | "audit_log"
    | "unaudited"
    | "new_log"
    | "paused_agents"
    | "changed_hooks"
    | "agent_hooks"
    | "mcp_servers";
  readonly to: string;
}

export interface PersonRecords {
  /** Without a root: of the first folder. */
  switched(act: Switched, root?: string): void;
  lateAnswer(request: AskRequest, answer: AskAnswer): void;
  /** What is left of grants when the window closes; resolves when it is on record. */
  grantsEnded(grants: readonly GrantState[]): Promise<void>;
  /** Records that reached no receiver: the log says so. */
  exportLost(lost: { readonly count: number; readonly why: string }): void;
}

export function registerPersonRecords(
  context: vscode.ExtensionContext,
  deps: PersonRecordsDeps,
): PersonRecords {
  const failed = (error: unknown): void => deps.log.error(messageOf(error));
  const configAccepted = async ({ root, digest, lines }: ConfigAccepted): Promise<void> => {
    const workspace = await deps.workspaces().of(root);
    await workspace.audit.store.append({
      event: "config_accepted",
      approver: "person",
      policy_digest: workspace.resolved().policyDigest,
      data: { digest: digest ?? null, diff: [...lines] },
      error: null,
    });
  };
  const late = async (request: AskRequest, answer: AskAnswer): Promise<void> => {
    const workspace = await deps.workspaces().of(request.call.cwd);
    const facts = { call: request.call, hasher: sha256, policyDigest: workspace.resolved().policyDigest };
    await workspace.audit.store.append(answerRecord(facts, { askId: request.askId, answer, late: true }));
  };
  const recordSwitch = async ({ what, to }: Switched, root = openFolders()[0]): Promise<void> => {
    const workspace = await deps.workspaces().of(root);
    await workspace.audit.store.append({
      event: "switch",
      approver: "person",
      policy_digest: workspace.resolved().policyDigest,
      data: { what, to },
      error: null,
    });
  };
  const switched: PersonRecords["switched"] = (act, root) => void recordSwitch(act, root).catch(failed);
  const grantsEnded = async (grants: readonly GrantState[]): Promise<void> => {
    for (const grant of grants) {
      const { audit } = await deps.workspaces().of(grant.call.cwd);
      await audit.store.append(grantRecord(grant, { ended: "window_closed" }));
    }
  };
  const exportLost = async ({ count, why }: { count: number; why: string }): Promise<void> => {
    const workspace = await deps.workspaces().of(openFolders()[0]);
    await workspace.audit.store.append({ event: "log.export", data: { lost: count, why }, error: null });
  };
  const trusted = async (): Promise<void> => {
    for (const root of openFolders()) {
      const { audit } = await deps.workspaces().of(root);
      await audit.store.append({ event: "trust", approver: "person", data: { folder: root }, error: null });
    }
  };
  context.subscriptions.push(
    deps.onDidAccept((event) => void configAccepted(event).catch(failed)),
    deps.onDidChange(watchSwitches(switched)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void trusted().catch(failed)),
  );
  return {
    switched,
    lateAnswer: (request, answer) => void late(request, answer).catch(failed),
    grantsEnded: (grants) => grantsEnded(grants).catch(failed),
    exportLost: (lost) => void exportLost(lost).catch(failed),
  };
}

/** The configuration may switch the chain or its record off: that it did is the last thing to be recorded. */
function watchSwitches(switched: PersonRecords["switched"]): (event: ConfigChanged) => void {
  const known = new Map<string, Readonly<Record<"chain" | "audit_log", boolean>>>();
  return ({ root, resolved }) => {
    const { enabled: chain, audit_log } = resolved.config.chain;
    // A chain that is off from the start was switched off by somebody; a log that is off gets no record for that.
    const before = known.get(root) ?? { chain: true, audit_log };
    known.set(root, { chain, audit_log });
    if (chain !== before.chain) switched({ what: "chain", to: chain ? "on" : "off" }, root);
    if (audit_log !== before.audit_log) switched({ what: "audit_log", to: audit_log ? "on" : "off" }, root);
  };
}
