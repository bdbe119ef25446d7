/** The audit panel in the editor: one webview, restored after a reload. All it does for the page is in panelSession.ts. */
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { askDetails, askText, type Translate } from "../core/askText";
import { messageOf } from "../core/errors";
import type { ExportFormat, PendingAsk } from "../panel/messages";
import { PANEL_STRINGS } from "../panel/strings";
import type { AskRequest, Clock, Log } from "../ports";
import { panelHtml } from "./panelHtml";
import { type PanelSession, type PanelSources, panelSession } from "./panelSession";

export const OPEN_PANEL = "countersign.openAuditPanel";
const VIEW_TYPE = "countersign.audit";
/** Other programs write the log too; while the panel is seen it is looked at this often. */
const LOOK_MS = 1000;

export interface AuditPanelDeps
  extends Omit<PanelSources, "pending" | "answer" | "pickExport" | "indexFile"> {
  readonly clock: Clock;
  readonly log: Log;
  /** Told when this process has written a record. */
  readonly onAppend: (listener: () => void) => vscode.Disposable;
  /** Told when the chain's state or the counts changed. */
  readonly onChange: (listener: () => void) => vscode.Disposable;
}

export interface AuditPanel {
  open(): void;
  /** Shows the exact arguments of a waiting call; resolves when the person wants the dialog back, or `signal` ends it. */
  showPending(request: AskRequest, signal: AbortSignal): Promise<void>;
  /** Brings every waiting dialog back. */
  answerPending(): void;
}

interface Pending {
  readonly ask: PendingAsk;
  readonly done: () => void;
}

export const translate: Translate = (message, ...args) => vscode.l10n.t(message, ...args);

export function registerAuditPanel(context: vscode.ExtensionContext, deps: AuditPanelDeps): AuditPanel {
  const pending = new Map<string, Pending>();
  let open: { panel: vscode.WebviewPanel; session: PanelSession } | null = null;
  const dist = path.join(context.extensionPath, "dist");
  // Outside the workspace: what an agent may write there cannot choose what the panel lists.
  const indexes = path.join(context.globalStorageUri.fsPath, "panel");
  const strings = Object.fromEntries(
    Object.entries(PANEL_STRINGS).map(([key, sentence]) => [key, vscode.l10n.t(sentence)]),
  );

  function fill(panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    // Script and style stand in the document: the page asks for no file at all.
    webview.options = { enableScripts: true, localResourceRoots: [], enableCommandUris: false };
    panel.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "icon.png");
    const session = panelSession({
      ...deps,
      post: (message) => void webview.postMessage(message),
      pending: () => [...pending.values()].map((one) => one.ask),
      answer: (askId) => pending.get(askId)?.done(),
      pickExport,
      indexFile: (log) =>
        path.join(indexes, `${createHash("sha256").update(log).digest("hex").slice(0, 24)}.index`),
      locale: vscode.env.language,
      strings,
    });
    open = { panel, session };
    const timer = setInterval(() => {
      if (panel.visible) session.poke();
    }, LOOK_MS);
    const parts = [
      webview.onDidReceiveMessage((message: unknown) => session.receive(message)),
      deps.onAppend(() => session.poke()),
      deps.onChange(() => session.refresh()),
    ];
    panel.onDidDispose(() => {
      clearInterval(timer);
      session.dispose();
      for (const part of parts) part.dispose();
      if (open?.panel === panel) open = null;
      for (const one of [...pending.values()]) one.done();
    });
    void pageHtml(session)
      .then((html) => {
        if (open?.panel === panel) webview.html = html;
      })
      .catch((error: unknown) => deps.log.error(`The audit panel did not open: ${messageOf(error)}`));
  }

  async function pageHtml(session: PanelSession): Promise<string> {
    const [script, style, first] = await Promise.all([
      readFile(path.join(dist, "panel.js"), "utf8"),
      readFile(path.join(dist, "panel.css"), "utf8"),
      session.first(),
    ]);
    const title = vscode.l10n.t(PANEL_STRINGS.title);
    const nonce = randomBytes(18).toString("base64url");
    return panelHtml({ nonce, script, style, language: vscode.env.language, title, first });
  }

  function show(): void {
    if (open !== null) {
      open.panel.reveal();
      return;
    }
    const title = vscode.l10n.t("Countersign: {0}", vscode.l10n.t(PANEL_STRINGS.title));
    fill(
      vscode.window.createWebviewPanel(VIEW_TYPE, title, vscode.ViewColumn.Active, {
        enableFindWidget: false,
      }),
    );
  }

  context.subscriptions.push(
    vscode.commands.registerCommand(OPEN_PANEL, show),
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
        if (open === null) fill(panel);
        else panel.dispose();
      },
    }),
    { dispose: () => open?.panel.dispose() },
  );

  return {
    open: show,
    showPending(request, signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          if (!pending.delete(request.askId)) return;
          signal.removeEventListener("abort", done);
          open?.session.refresh();
          resolve();
        };
        pending.set(request.askId, { ask: pendingOf(request), done });
        signal.addEventListener("abort", done, { once: true });
        show();
        open?.session.refresh();
      });
    },
    answerPending() {
      for (const one of [...pending.values()]) one.done();
    },
  };
}

async function pickExport(format: ExportFormat): Promise<string | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const picked = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, `audit-export.${format}`),
    filters: { [format.toUpperCase()]: [format] },
    title: vscode.l10n.t("Export audit records"),
  });
  return picked?.scheme === "file" ? picked.fsPath : undefined;
}

function pendingOf(request: AskRequest): PendingAsk {
  const { call } = request;
  return {
    askId: request.askId,
    title: askText(request, translate).title,
    agent: call.agent,
    tool: call.toolName,
    prompt: request.prompt,
    by: [...request.by],
    ...(call.cwd === undefined ? {} : { folder: call.cwd }),
    args: [...askDetails(request)],
  };
}
