/** Door B: the governed tools in the editor. Decisions are taken in `invoke`; runs nothing by itself. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  createOwnTools,
  OWN_TOOL_NAMES,
  type OwnCall,
  type OwnToolName,
  type OwnTools,
} from "../agents/ownTools";
import { canonicalName } from "../agents/toolFacts";
import type { Args, ToolCall } from "../core/call";
import { messageOf } from "../core/errors";
import type { Governor } from "../core/govern";
import { dialectOfUrl } from "../core/guards/registry";
import { createOwnToolStores, type OwnToolStores, type ToolWorkspace } from "../node/ownToolStores";
import { nodeIds } from "../node/ports";
import type { Log } from "../ports";
import { openFolders } from "./openFolders";

export interface LanguageModelToolsDeps {
  readonly governor: Governor;
  readonly workspaceOf: (cwd: string | undefined) => Promise<ToolWorkspace>;
  readonly log: Log;
  /** Told of every call that a chat makes. */
  readonly onChatCall?: (toolName: string) => void;
}

export interface RegisteredTools {
  /** True for the tools that this door judges, asks and records. */
  readonly isRegistered: (toolName: string) => boolean;
}

export function registerLanguageModelTools(
  context: vscode.ExtensionContext,
  deps: LanguageModelToolsDeps,
): RegisteredTools {
  const registered = new Set<string>();
  const tools = createOwnTools(deps);
  const stores = createOwnToolStores();
  context.subscriptions.push({ dispose: () => void stores.close() });
  for (const name of OWN_TOOL_NAMES) {
    try {
      context.subscriptions.push(vscode.lm.registerTool<Args>(name, toolOf(name, { deps, tools, stores })));
      registered.add(name);
    } catch (error) {
      deps.log.error(`${name} cannot be registered: ${messageOf(error)}`);
    }
  }
  return { isRegistered: (toolName) => registered.has(toolName) };
}

interface ToolContext {
  readonly deps: LanguageModelToolsDeps;
  readonly tools: OwnTools;
  readonly stores: OwnToolStores;
}

function toolOf(name: OwnToolName, { deps, tools, stores }: ToolContext): vscode.LanguageModelTool<Args> {
  return {
    prepareInvocation: (options) => ({ invocationMessage: invocationMessage(name, options.input) }),
    async invoke(options, token) {
      if (options.toolInvocationToken !== undefined) deps.onChatCall?.(name);
      const cwd = openFolders()[0] ?? homedir();
      const abort = new AbortController();
      const listener = token.onCancellationRequested(() => abort.abort());
      if (token.isCancellationRequested) abort.abort();
      try {
        const workspace = await deps.workspaceOf(cwd);
        const dialect = dialectOfUrl(workspace.resolved().config.database.url);
        const call = callOf(name, { input: options.input, cwd, dialect, token: options.toolInvocationToken });
        const result = await withProgress(name, (onProgress) =>
          tools.run({ name, call, signal: abort.signal, onProgress }, stores.partsOf(workspace)),
        );
        return textResult(result);
      } catch (error) {
        return textResult({ kind: "error", tool: name, message: messageOf(error) });
      } finally {
        listener.dispose();
      }
    },
  };
}

function textResult(result: Args): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(JSON.stringify(result))]);
}

interface CallParts {
  readonly input: Args;
  readonly cwd: string;
  readonly dialect: string;
  readonly token: unknown;
}

function callOf(name: OwnToolName, { input, cwd, dialect, token }: CallParts): ToolCall {
  const callId = nodeIds("call");
  const sessionId = sessionOf(token);
  return {
    callId,
    runId: sessionId,
    sessionId,
    agent: "vscode",
    toolName: name,
    canonicalName: canonicalName(name),
    input,
    cwd,
    profile: "default",
    traceId: callId,
    // Our own database is the one thing whose dialect is known for certain.
    extra: name === "db_query_sql" ? { dialect } : {},
  };
}

/** The token is opaque, but carries the chat's session where there is one; calls outside of a chat share one session of this window. */
function sessionOf(token: unknown): string {
  const id =
    typeof token === "object" && token !== null && "sessionId" in token ? token.sessionId : undefined;
  return typeof id === "string" && id !== "" ? id : `window-${vscode.env.sessionId}`;
}

function invocationMessage(name: OwnToolName, input: Args): string {
  const text = (key: string) => String(input[key] ?? "").slice(0, 120);
  switch (name) {
    case "db_query_sql":
      return vscode.l10n.t("Running SQL: {0}", text("sql"));
    case "db_import_csv":
      return vscode.l10n.t("Importing {0} into {1}", text("path"), text("table"));
    case "kb_add_file":
    case "kb_add_path":
      return vscode.l10n.t("Adding {0} to the knowledge base", text("path"));
    case "kb_search":
      return vscode.l10n.t("Searching the knowledge base for {0}", text("query"));
  }
}

type OnProgress = NonNullable<OwnCall["onProgress"]>;

/** A notification from the first step of the work on: nothing is shown while a person is still being asked. */
async function withProgress<T>(name: OwnToolName, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  let report: ((value: { message: string; increment?: number }) => void) | undefined;
  let done: () => void = () => undefined;
  let shown = 0;
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const show = () => {
    const options = { location: vscode.ProgressLocation.Notification, title: title(name) };
    void vscode.window.withProgress(options, async (progress) => {
      report = (value) => progress.report(value);
      await finished;
    });
  };
  try {
    return await work(({ fraction, done: count, what }) => {
      if (report === undefined) show();
      const percent = Math.round((fraction ?? 0) * 100);
      report?.({ message: vscode.l10n.t("{0}: {1}", what, count), increment: Math.max(0, percent - shown) });
      shown = Math.max(shown, percent);
    });
  } finally {
    done();
  }
}

function title(name: OwnToolName): string {
  return name === "db_import_csv"
    ? vscode.l10n.t("Countersign: importing CSV")
    : vscode.l10n.t("Countersign: adding to the knowledge base");
}
