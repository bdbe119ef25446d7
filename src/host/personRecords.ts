/** What a person did outside a held call becomes a record too: an accepted configuration, an answer that came too late. */
import type * as vscode from "vscode";
import { messageOf } from "../core/errors";
import { answerRecord } from "../core/recording";
import { sha256 } from "../node/ports";
import type { AskAnswer, AskRequest, Log } from "../ports";
import type { ConfigAccepted } from "./configWatch";
import type { Workspaces } from "./workspaces";

export interface PersonRecordsDeps {
  readonly workspaces: () => Workspaces;
  readonly onDidAccept: vscode.Event<ConfigAccepted>;
  readonly log: Log;
}

export interface PersonRecords {
  lateAnswer(request: AskRequest, answer: AskAnswer): void;
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
  context.subscriptions.push(deps.onDidAccept((event) => void configAccepted(event).catch(failed)));
  return { lateAnswer: (request, answer) => void late(request, answer).catch(failed) };
}
