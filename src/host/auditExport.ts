/** Sends the records of this window to the receiver that the settings name, and keeps its headers in the secret storage. Knows nothing of how records are written. */
import { join } from "node:path";
import * as vscode from "vscode";
import type { AuditRecord } from "../core/audit/record";
import { messageOf } from "../core/errors";
import { headersFromEnvironment, parseHeaders } from "../node/otlp/headers";
import { logsUrl } from "../node/otlp/post";
import { type OtlpSink, openOtlpSink } from "../node/otlp/sink";
import type { Log } from "../ports";
import { version } from "../version";

export interface AuditExport {
  add(record: AuditRecord): void;
}

export interface AuditExportDeps {
  readonly log: Log;
  /** Told how many records could not be exported; they are in the log all the same. */
  readonly onLost: (lost: { readonly count: number; readonly why: string }) => void;
}

const SETTING = "audit.otlp.endpoint";
const SECRET = "countersign.otlp.headers";
const CLOSE_MS = 1500;
const TIMEOUT_MS = 10_000;

export function registerAuditExport(context: vscode.ExtensionContext, deps: AuditExportDeps): AuditExport {
  let sink: OtlpSink | undefined;
  let opened: Promise<void> = Promise.resolve();
  const reopen = (): void => {
    opened = opened
      .then(async () => {
        await sink?.close(CLOSE_MS);
        sink = undefined;
        sink = await open(context, deps);
      })
      .catch((error: unknown) => deps.log.error(messageOf(error)));
  };
  reopen();
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`countersign.${SETTING}`)) reopen();
    }),
    context.secrets.onDidChange(({ key }) => {
      if (key === SECRET) reopen();
    }),
    vscode.commands.registerCommand("countersign.setExportHeaders", () => askForHeaders(context.secrets)),
    { dispose: () => void sink?.close(CLOSE_MS) },
  );
  return { add: (record) => sink?.add(record) };
}

/** Undefined where nothing is to be sent. */
async function open(context: vscode.ExtensionContext, deps: AuditExportDeps): Promise<OtlpSink | undefined> {
  // What the person set, never a workspace: a repository must not choose who reads the log.
  const endpoint: unknown = vscode.workspace.getConfiguration("countersign").inspect(SETTING)?.globalValue;
  if (typeof endpoint !== "string" || endpoint.trim() === "") return undefined;
  const url = logsUrl(endpoint.trim());
  if (url === undefined) {
    deps.log.warn(`countersign.${SETTING} is no http or https address; nothing is exported.`);
    return undefined;
  }
  const headers = parseHeaders((await context.secrets.get(SECRET)) ?? headersFromEnvironment(process.env));
  if (headers === undefined) deps.log.warn("The export headers are not of the form NAME=VALUE,NAME=VALUE.");
  return openOtlpSink({
    folder: join(context.globalStorageUri.fsPath, "otlp-queue"),
    target: { url, headers: headers ?? {}, timeoutMs: TIMEOUT_MS },
    origin: { version },
    onLost: (lost) => {
      deps.log.warn(`${lost.count} record(s) were not exported: ${lost.why}`);
      deps.onLost(lost);
    },
    onProblem: (why) => deps.log.warn(`The export waits: ${why}`),
  });
}

async function askForHeaders(secrets: vscode.SecretStorage): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Headers for the Audit Export"),
    prompt: vscode.l10n.t("NAME=VALUE, several separated by commas; empty removes them."),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) =>
      parseHeaders(value) === undefined ? vscode.l10n.t("Write NAME=VALUE,NAME=VALUE.") : undefined,
  });
  if (text === undefined) return;
  if (text === "") await secrets.delete(SECRET);
  else await secrets.store(SECRET, text);
}
