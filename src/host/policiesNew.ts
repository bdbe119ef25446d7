/** "New Policy…": a card's source where there is none, an observer in it, opened to be written. Overwrites nothing, runs nothing. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { MANIFEST, manifestText } from "../core/cards/cardManifest";
import { NAME_RULE, parseCardName, partProblem } from "../core/cards/cardName";
import { messageOf } from "../core/errors";
import { writeAuthorFiles } from "../node/cards/authorFiles";
import { policyFile } from "../node/cards/cardContent";
import { applyEdit, planAddHook } from "../node/cards/editSource";
import type { Log } from "../ports";
import { pickFolder } from "./cardsPlace";
import { cardSources, type OpenSource } from "./policiesSources";

export function registerPolicyNew(context: vscode.ExtensionContext, { log }: { readonly log: Log }): void {
  context.subscriptions.push(
    vscode.commands.registerCommand("countersign.newPolicy", () =>
      newPolicy().catch((error: unknown) => {
        log.error(`countersign.newPolicy: ${messageOf(error)}`);
        void vscode.window.showErrorMessage(messageOf(error));
      }),
    ),
  );
}

async function newPolicy(): Promise<void> {
  const source = await pickSource();
  if (source === undefined) return;
  const policy = await vscode.window.showInputBox({
    title: vscode.l10n.t("What is the policy called?"),
    placeHolder: "audit-tool-calls",
    ignoreFocusOut: true,
    validateInput: (name) => partProblem(name.trim()),
  });
  if (policy === undefined) return;
  const { card, folder } = source;
  const planned = await planAddHook(folder, { card, policy: policy.trim() });
  if (!planned.ok) throw new Error(planned.why);
  await applyEdit(folder, planned.edit);
  await writeAuthorFiles(folder);
  await vscode.window.showTextDocument(vscode.Uri.file(join(folder, policyFile(policy.trim()))));
}

async function pickSource(): Promise<OpenSource | undefined> {
  const sources = await cardSources();
  if (sources.length === 0) return newCard();
  const fresh = vscode.l10n.t("New card…");
  const items = [
    ...sources.map((source) => ({ label: source.card, description: source.folder, source })),
    { label: fresh, description: "", source: undefined },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("In which card shall the policy lie?"),
  });
  if (picked === undefined) return undefined;
  return picked.source ?? newCard();
}

/** `cards/<name>` in the workspace folder. */
async function newCard(): Promise<OpenSource | undefined> {
  const folder = await pickFolder();
  if (folder === undefined) return undefined;
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("What is the new card called?"),
    placeHolder: "@acme/backend",
    prompt: vscode.l10n.t("A card carries policies to others: @handle/name."),
    ignoreFocusOut: true,
    validateInput: (value) =>
      parseCardName(value.trim()) === undefined ? `@handle/name: ${NAME_RULE}` : undefined,
  });
  const card = text === undefined ? undefined : parseCardName(text.trim());
  if (card === undefined) return undefined;
  const file = join(folder.uri.fsPath, "cards", card.name, MANIFEST);
  const manifest = {
    name: card.id,
    version: "0.1.0",
    description: "",
    hooks: { include: [] },
    skills: { include: [] },
    servers: {},
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, manifestText(manifest), { flag: "wx" });
  return { card: card.id, folder: dirname(file) };
}
