/** Above a policy that somebody writes: "Run on recent calls", and what it would have done today. Its code runs confined, after a person said so, and decides nothing. */
import { join } from "node:path";
import * as vscode from "vscode";
import { messageOf } from "../core/errors";
import type { PolicySource } from "../core/policies/types";
import { visibleLine } from "../core/visible";
import { digestOfFiles, hashesOf } from "../node/cards/cardContent";
import { readSource } from "../node/cards/cardSource";
import { policyConsole } from "../node/policies/policyConsole";
import { type Replay, replayPolicy } from "../node/policies/replay";
import { recentRecords } from "../node/recentRecords";
import type { Log } from "../ports";
import { type OpenSource, POLICY_SELECTOR, sourceAround } from "./policiesSources";
import { readOnlyTexts } from "./rulesLens";
import { dayOf } from "./todayCounts";

export interface PolicyLensDeps {
  /** Of the workspace folder that the document lies in. */
  readonly auditPath: (document: vscode.TextDocument) => Promise<string>;
  readonly log: Log;
}

const RUN = "countersign.runPolicyOnCalls";
const SCHEME = "countersign-policy";
const MOST_LISTED = 500;

export function registerPolicyLens(context: vscode.ExtensionContext, deps: PolicyLensDeps): void {
  const changed = new vscode.EventEmitter<void>();
  const texts = readOnlyTexts(SCHEME);
  const records = recentRecords();
  /** By document: the title of the last run, until the file changes. */
  const titles = new Map<string, string>();
  /** Card folders whose code a person let run in this window. */
  const agreed = new Set<string>();

  const run = async (document: vscode.TextDocument, source: OpenSource): Promise<void> => {
    if (!vscode.workspace.isTrusted)
      throw new Error(vscode.l10n.t("This workspace is not trusted, so no policies run in it."));
    if (document.isDirty && !(await document.save())) return;
    if (!agreed.has(source.folder) && !(await mayRun(source))) return;
    agreed.add(source.folder);
    const policy = await sourceOf(source, document);
    const day = dayOf(new Date().toISOString());
    const today = (await records.of(await deps.auditPath(document))).filter(({ ts }) => dayOf(ts) === day);
    const replay = await withProgress((signal) =>
      replayPolicy(policy, today, { log: deps.log, onConsole: policyConsole(deps.log), signal }),
    );
    const title = titleOf(replay);
    titles.set(document.uri.toString(), title);
    changed.fire();
    await texts.show(`${policy.name}, today.md`, linesOf(policy.name, title, replay).join("\n"));
  };

  context.subscriptions.push(
    changed,
    texts.provider,
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && titles.delete(document.uri.toString())) changed.fire();
    }),
    vscode.languages.registerCodeLensProvider(POLICY_SELECTOR, {
      onDidChangeCodeLenses: changed.event,
      async provideCodeLenses(document) {
        if ((await sourceAround(document.uri)) === undefined) return [];
        const at = document.positionAt(Math.max(0, document.getText().search(/^export default\b/mu)));
        const range = new vscode.Range(at, at);
        const uri = document.uri.toString();
        const title = titles.get(uri);
        const start = new vscode.CodeLens(range, {
          title: vscode.l10n.t("Run on recent calls"),
          command: RUN,
          arguments: [uri],
        });
        return title === undefined
          ? [start]
          : [start, new vscode.CodeLens(range, { title, command: RUN, arguments: [uri] })];
      },
    }),
    vscode.commands.registerCommand(RUN, async (given: unknown) => {
      try {
        // Commands can be called by anybody with anything: only a policy of an open card counts.
        const uri = given ?? vscode.window.activeTextEditor?.document.uri.toString();
        const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
        if (document === undefined || vscode.languages.match(POLICY_SELECTOR, document) === 0) return;
        const source = await sourceAround(document.uri);
        if (source !== undefined) await run(document, source);
      } catch (error) {
        deps.log.error(`${RUN}: ${messageOf(error)}`);
        void vscode.window.showErrorMessage(messageOf(error));
      }
    }),
  );
}

/** Once a card and window: an agent may have written the file, and commands can be called by it. */
async function mayRun({ card, folder }: OpenSource): Promise<boolean> {
  const keep = vscode.l10n.t("Do not run");
  const go = vscode.l10n.t("Run it");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Run the policies of {0} on today's calls?", card),
    {
      modal: true,
      detail: vscode.l10n.t(
        "The code in {0} runs in a process without files, programs or network, or not at all. No tool runs, and no call is decided. This window asks once for this card.",
        visibleLine(folder),
      ),
    },
    { title: keep },
    { title: go },
  );
  return answer?.title === go;
}

/** As it lies on the disk now. */
async function sourceOf({ card, folder }: OpenSource, document: vscode.TextDocument): Promise<PolicySource> {
  const read = await readSource(folder);
  if (read.kind !== "read")
    throw new Error(read.kind === "refused" ? read.why : vscode.l10n.t("The card's folder is gone."));
  const files = hashesOf(read.files);
  const policy = document.uri.fsPath.split(/[\\/]/u).at(-2) ?? "";
  return {
    name: `${card}/${policy}`,
    card,
    folder,
    entry: join(folder, "hooks", policy, "policy.ts"),
    files,
    digest: digestOfFiles(files),
  };
}

const withProgress = (work: (signal: AbortSignal) => Promise<Replay>): Thenable<Replay> =>
  vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Running the policy on today's calls"),
      cancellable: true,
    },
    (_, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return work(abort.signal);
    },
  );

function titleOf({ calls, said, broken }: Replay): string {
  if (broken !== undefined) return vscode.l10n.t("cannot run: {0}", broken);
  const count = (would: string): string => String(said.filter((one) => one.would === would).length);
  const asked = said.some(({ would }) => would === "ask");
  return asked
    ? vscode.l10n.t(
        "would have denied {0} and asked {1} of {2} today",
        count("deny"),
        count("ask"),
        String(calls),
      )
    : vscode.l10n.t("would have denied {0} of {1} today", count("deny"), String(calls));
}

function linesOf(name: string, title: string, { said, matched }: Replay): readonly string[] {
  const rows = said
    .slice(0, MOST_LISTED)
    .flatMap(({ record, would, why }) => [
      `- ${record.ts} ${would}: ${visibleLine(record.tool ?? "")} \`${visibleLine(JSON.stringify(record.args ?? {})).slice(0, 300)}\``,
      `  ${visibleLine(why)}`,
    ]);
  return [
    `# ${name}`,
    "",
    title,
    "",
    vscode.l10n.t(
      "It is for the tools of {0} of these calls. Secrets in arguments are replaced, as in the log.",
      String(matched),
    ),
    "",
    ...rows,
    "",
  ];
}
