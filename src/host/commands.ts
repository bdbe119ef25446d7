/** The commands that no other file owns. Whatever changes a state opens a dialog; only its return value counts. */
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { Grants } from "../core/consent";
import { messageOf } from "../core/errors";
import { starterText } from "../core/rules/starter";
import type { Log } from "../ports";
import { openFolders } from "./openFolders";
import type { PersonRecords } from "./personRecords";
import type { Workspace, Workspaces } from "./workspaces";

export interface CommandDeps {
  readonly workspaces: Workspaces;
  readonly grants: Grants;
  readonly log: Log & { show(): void };
  /** Told what a person switched in one of the dialogs here. */
  readonly onSwitch: PersonRecords["switched"];
  readonly onChange: () => void;
}

export function registerCommands(context: vscode.ExtensionContext, deps: CommandDeps): void {
  const table: Readonly<Record<string, () => Promise<void>>> = {
    "countersign.selfCheck": () => selfCheck(context, deps),
    "countersign.verifyAuditLog": () => verifyLog(deps),
    "countersign.continueUnaudited": () => continueUnaudited(deps),
    "countersign.resumeAgents": () => resumeAgents(deps),
    "countersign.createConfig": createConfig,
    "countersign.openWalkthrough": async () => {
      await vscode.commands.executeCommand(
        "workbench.action.openWalkthrough",
        `${context.extension.id}#countersign.start`,
        false,
      );
    },
  };
  for (const [id, run] of Object.entries(table)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(id, () =>
        run().catch((error: unknown) => {
          deps.log.error(`${id}: ${messageOf(error)}`);
          void vscode.window.showErrorMessage(messageOf(error));
        }),
      ),
    );
  }
}

/** A file of comments changes nothing; an existing one is only opened. */
async function createConfig(): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Open a folder first: gateway-hooks.toml lies beside the code it is about."),
    );
    return;
  }
  const file = vscode.Uri.joinPath(folder.uri, "gateway-hooks.toml");
  const there = await vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  if (!there) await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(starterText()));
  await vscode.window.showTextDocument(file);
}

/** The same scenarios as on the command line, in a process of their own. */
async function selfCheck(context: vscode.ExtensionContext, deps: CommandDeps): Promise<void> {
  const cli = join(context.extensionPath, "dist", "cli.js");
  const output = await new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [cli, "hello-hooks"], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text }));
  });
  for (const line of output.text.trimEnd().split("\n")) deps.log.info(line);
  deps.log.show();
  if (output.code === 0)
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Self-check passed: the chain decides as it should and its audit log verifies."),
    );
  else void vscode.window.showErrorMessage(vscode.l10n.t("Self-check failed; the log tells where."));
}

async function verifyLog(deps: CommandDeps): Promise<void> {
  const workspace = await deps.workspaces.of(openFolders()[0]);
  const path = workspace.audit.path();
  const report = await workspace.audit.verify();
  if (report.ok) {
    const { level, count } = report;
    void vscode.window.showInformationMessage(
      vscode.l10n.t("The audit chain holds: {0} records, assurance level {1}.", count, level),
    );
    return;
  }
  const [damage] = report.damage;
  const show = vscode.l10n.t("Show");
  const text = vscode.l10n.t(
    "The audit chain is broken at line {0}: {1}.",
    report.firstBad ?? 0,
    damage?.kind ?? "",
  );
  if ((await vscode.window.showErrorMessage(text, show)) !== show || report.firstBad === null) return;
  const line = report.firstBad - 1;
  const file = damage?.file === undefined ? path : join(dirname(path), damage.file);
  await vscode.window.showTextDocument(vscode.Uri.file(file), {
    selection: new vscode.Range(line, 0, line, 0),
  });
}

const troubled = (deps: CommandDeps): readonly Workspace[] =>
  deps.workspaces.all().filter((workspace) => workspace.audit.state().place !== "file");

async function continueUnaudited(deps: CommandDeps): Promise<void> {
  const blocked = troubled(deps).filter((workspace) => workspace.audit.blocked());
  if (blocked.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("The audit log can be written; nothing is held back."),
    );
    return;
  }
  const go = vscode.l10n.t("Continue unaudited");
  const detail = vscode.l10n.t(
    "For 30 minutes calls run although their records are kept in memory only. {0}",
    blocked[0]?.audit.state().problem ?? "",
  );
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Let agents go on without an audit log?"),
    { modal: true, detail },
    vscode.l10n.t("Keep blocking"),
    go,
  );
  if (answer !== go) return;
  for (const workspace of blocked) {
    workspace.audit.allowUnaudited();
    deps.onSwitch({ what: "unaudited", to: "allowed for 30 minutes" }, workspace.root);
  }
  deps.onChange();
}

async function resumeAgents(deps: CommandDeps): Promise<void> {
  const go = vscode.l10n.t("Resume");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Let the paused agents go on?"),
    { modal: true, detail: vscode.l10n.t("Their calls are judged as usual again.") },
    vscode.l10n.t("Keep paused"),
    go,
  );
  if (answer !== go) return;
  deps.grants.resume();
  deps.onSwitch({ what: "paused_agents", to: "resumed" });
}
