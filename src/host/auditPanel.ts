/** The audit panel in the editor: one webview, restored after a reload. All it does for the page is in panelSession.ts. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { askDetails, askText, type Translate } from "../core/askText";
import type { PendingAsk } from "../panel/protocol";
import { PANEL_STRINGS } from "../panel/strings";
import type { AskRequest, Clock, Log } from "../ports";
import { panelHtml } from "./panelHtml";
import { type PanelSession, type PanelSources, panelSession } from "./panelSession";

export const OPEN_PANEL = "countersign.openAuditPanel";
const VIEW_TYPE = "countersign.audit";
/** Other programs write the log too; while the panel is seen it is looked at this often. */
const LOOK_MS = 1000;

export interface AuditPanelDeps extends Omit<PanelSources, "pending" | "answer"> {
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
  const strings = Object.fromEntries(
    Object.entries(PANEL_STRINGS).map(([key, sentence]) => [key, vscode.l10n.t(sentence)]),
  );

  function fill(panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const dist = vscode.Uri.joinPath(context.extensionUri, "dist");
    webview.options = { enableScripts: true, localResourceRoots: [dist], enableCommandUris: false };
    panel.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "icon.png");
    const session = panelSession({
      ...deps,
      post: (message) => void webview.postMessage(message),
      pending: () => [...pending.values()].map((one) => one.ask),
      answer: (askId) => pending.get(askId)?.done(),
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
    webview.html = panelHtml({
      nonce: randomBytes(18).toString("base64url"),
      script: webview.asWebviewUri(vscode.Uri.joinPath(dist, "panel.js")).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(dist, "panel.css")).toString(),
      cspSource: webview.cspSource,
      language: vscode.env.language,
      title: vscode.l10n.t(PANEL_STRINGS.title),
    });
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
