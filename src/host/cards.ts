/** Cards in the editor: trusted, untrusted and installed by a person, by command or as the command line asks. Whatever changes trust goes through the one dialog. */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TrustPrompt, TrustRequest } from "../core/cards/trustRequest";
import { messageOf } from "../core/errors";
import { createCardConsents } from "../node/cards/cardConsents";
import {
  createTrustDoor,
  decide,
  type TrustDoor,
  type TrustDoorDeps,
  type TrustRecord,
} from "../node/cards/trustDoor";
import { DATA_FOLDER, realOf } from "../node/dataFolder";
import { confinement } from "../node/policies/confines";
import { nodeClock } from "../node/ports";
import type { Log } from "../ports";
import { translate } from "./auditPanel";
import { cardsFiles } from "./cardsFiles";
import { installCardCommand } from "./cardsInstall";
import { cardNotices } from "./cardsNotices";
import { TRUST_CARD } from "./cardsPlace";
import { confirmTrust } from "./cardsTrust";
import { localFolders } from "./configTriggers";
import type { Workspaces } from "./workspaces";

export interface CardsDeps {
  readonly workspaces: Workspaces;
  readonly log: Log;
  readonly onChange: (listener: () => void) => vscode.Disposable;
}

/** Gives the door for what the command line asks. */
export function registerCards(context: vscode.ExtensionContext, deps: CardsDeps): TrustDoor {
  const { workspaces, log } = deps;
  const consents = createCardConsents({ home: homedir() });
  const confined = confinement({ log });
  const files = cardsFiles();
  const confirm = (prompt: TrustPrompt): Promise<boolean> =>
    confirmTrust(prompt, {
      show: (title, options, ...items) => vscode.window.showWarningMessage(title, options, ...items),
      showFiles: files.show,
      sizeOf: async (path) => (await stat(path)).size,
      confined,
      monotonic: () => nodeClock.monotonic(),
      t: translate,
    });
  const reload = async (root: string): Promise<void> => {
    await (await workspaces.of(root)).chain();
  };
  const trust: TrustDoorDeps = {
    dataFolderOf,
    consents,
    confirm,
    record: (record) => recordTrust(workspaces, record),
    onChanged: (root) => void reload(root).catch((error: unknown) => log.error(messageOf(error))),
    now: nodeClock.now,
  };
  const ask = (to: TrustRequest["to"]) => async () => {
    const picked = await pickCard(to, { workspaces, consents });
    if (picked === undefined) return;
    const { root, card } = picked;
    const more = to === "trust" && !(await confined()) ? { unconfined: true as const } : {};
    const request: TrustRequest = { kind: "card.trust", root, card, to, ...more };
    const answer = await decide(request, trust, new AbortController().signal);
    if (answer.kind === "refused") throw new Error(vscode.l10n.t("{0}: {1}", card, answer.why));
    if (answer.kind !== "done") return;
    const said =
      to === "trust"
        ? vscode.l10n.t("The policies of {0} judge calls now.", card)
        : vscode.l10n.t("The policies of {0} judge no call any more.", card);
    void vscode.window.showInformationMessage(said);
  };
  const command = (id: string, run: () => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(id, () =>
      run().catch((error: unknown) => {
        log.error(`${id}: ${messageOf(error)}`);
        void vscode.window.showErrorMessage(messageOf(error));
      }),
    );
  context.subscriptions.push(
    files.provider,
    command(TRUST_CARD, ask("trust")),
    command("countersign.untrustCard", ask("untrust")),
    command("countersign.installCard", () => installCardCommand(reload)),
    cardNotices(deps),
  );
  return createTrustDoor(trust);
}

/** Undefined where the folder is not open in this window, or the workspace is not trusted. */
async function dataFolderOf(root: string): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) return undefined;
  const open = await Promise.all(localFolders().map((folder) => realOf(folder.uri.fsPath)));
  return open.includes(root) ? join(root, DATA_FOLDER) : undefined;
}

async function recordTrust(workspaces: Workspaces, { root, ...what }: TrustRecord): Promise<void> {
  const workspace = await workspaces.of(root);
  await workspace.audit.store.append({
    event: "trust",
    approver: "person",
    policy_digest: workspace.resolved().policyDigest,
    data: { folder: root, ...what },
    error: null,
  });
}

interface Picked extends vscode.QuickPickItem {
  readonly root: string;
  readonly card: string;
}

async function pickCard(
  to: TrustRequest["to"],
  { workspaces, consents }: { readonly workspaces: Workspaces; readonly consents: TrustDoorDeps["consents"] },
): Promise<Picked | undefined> {
  if (!vscode.workspace.isTrusted)
    throw new Error(vscode.l10n.t("This workspace is not trusted, so no policies run in it."));
  const items: Picked[] = [];
  for (const folder of localFolders()) {
    const root = await realOf(folder.uri.fsPath);
    const workspace = await workspaces.of(root);
    await workspace.chain();
    const { policies } = workspace.resolved().config;
    const { issues, active } = workspace.policies();
    const kept = await consents.load(root);
    const trusted = kept.kind === "kept" ? Object.keys(kept.consents) : [];
    for (const card of new Set(to === "trust" ? policies.cards : trusted)) {
      const issue = issues.find((one) => one.card === card)?.message;
      const runs = active.some((one) => one.card === card) ? vscode.l10n.t("trusted") : "";
      items.push({ label: card, description: folder.name, detail: issue ?? runs, root, card });
    }
  }
  if (items.length === 0) {
    const text =
      to === "trust"
        ? vscode.l10n.t("No card is installed here.")
        : vscode.l10n.t("No card is trusted here.");
    void vscode.window.showInformationMessage(text);
    return undefined;
  }
  const title =
    to === "trust"
      ? vscode.l10n.t("Which card's policies do you want to look at and trust?")
      : vscode.l10n.t("Which card's policies shall not be trusted any more?");
  return vscode.window.showQuickPick(items, { title, matchOnDetail: true });
}
