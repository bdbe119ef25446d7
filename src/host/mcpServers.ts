/** The command that puts the user's MCP servers behind the chain, or takes them out. A dialog's return value is the only yes. */
import { homedir } from "node:os";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { messageOf } from "../core/errors";
import { visibleLine } from "../core/visible";
import type { ClientPlaces } from "../mcp/wrap/clientFiles";
import type { FilePlan } from "../mcp/wrap/plan";
import { applyPlan, planServers, type ServerStatus, serverStatus } from "../mcp/wrap/wrappedServers";
import type { Log } from "../ports";
import { confirmChange } from "./mcpConfirm";
import { openFolders } from "./openFolders";

export interface McpServersDeps {
  readonly log: Log;
  /** Told what a person agreed to, after it was written. */
  readonly onChange: (change: {
    readonly file: string;
    readonly servers: readonly string[];
    readonly to: "wrap" | "unwrap";
  }) => void;
}

const ID = "countersign.governMcpServers";

export function registerMcpServers(context: vscode.ExtensionContext, deps: McpServersDeps): void {
  context.subscriptions.push(
    vscode.commands.registerCommand(ID, () =>
      pick(context, deps).catch((error: unknown) => {
        deps.log.error(`${ID}: ${messageOf(error)}`);
        void vscode.window.showErrorMessage(messageOf(error));
      }),
    ),
  );
}

/** Where clients of this machine keep their servers. */
export function mcpPlaces(context: vscode.ExtensionContext): ClientPlaces {
  return {
    home: homedir(),
    env: process.env,
    platform: process.platform,
    workspace: openFolders()[0] ?? homedir(),
    // <User>/globalStorage/<extension>
    editorUser: dirname(dirname(context.globalStorageUri.fsPath)),
  };
}

async function pick(context: vscode.ExtensionContext, deps: McpServersDeps): Promise<void> {
  const places = mcpPlaces(context);
  const { servers, problems } = await serverStatus(places);
  for (const { file, problem } of problems) deps.log.warn(`${file}: ${problem}`);
  if (servers.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("No MCP servers were found in this folder or in your settings."),
    );
    return;
  }
  const items = servers.map((server) => ({
    label: visibleLine(server.name),
    description: `${server.client} · ${stateText(server)}`,
    detail: server.why === undefined ? server.file : `${server.file} · ${server.why}`,
    picked: server.state === "behind the chain",
    server,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("MCP servers behind the chain"),
    placeHolder: vscode.l10n.t("Tick the servers whose calls are to be judged in every client"),
  });
  if (chosen === undefined) return;
  const ticked = new Set(chosen.map(({ server }) => server));
  const isNow = ({ state }: ServerStatus): boolean => state === "behind the chain";
  await change(
    "wrap",
    servers.filter((one) => ticked.has(one) && !isNow(one)),
    { places, deps },
  );
  await change(
    "unwrap",
    servers.filter((one) => !ticked.has(one) && isNow(one)),
    { places, deps },
  );
}

function stateText({ state }: ServerStatus): string {
  switch (state) {
    case "behind the chain":
      return vscode.l10n.t("behind the chain");
    case "not governed":
      return vscode.l10n.t("not governed");
    case "cannot be wrapped":
      return vscode.l10n.t("cannot be put behind the chain");
    default:
      return state satisfies never;
  }
}

async function change(
  to: "wrap" | "unwrap",
  servers: readonly ServerStatus[],
  { places, deps }: { readonly places: ClientPlaces; readonly deps: McpServersDeps },
): Promise<void> {
  if (servers.length === 0) return;
  const plans = await planServers(places, { to, names: servers.map(({ name }) => name) });
  const notes = plans.flatMap((plan) => plan.notes);
  for (const plan of plans) {
    const wanted = servers.some(({ file }) => file === plan.file);
    if (wanted && plan.diff.length > 0) await write(to, plan, { places, deps });
  }
  if (notes.length > 0) void vscode.window.showInformationMessage(notes.map(visibleLine).join(" · "));
}

async function write(
  to: "wrap" | "unwrap",
  plan: FilePlan,
  { places, deps }: { readonly places: ClientPlaces; readonly deps: McpServersDeps },
): Promise<void> {
  const names = plan.servers.map(visibleLine).join(", ");
  const title =
    to === "wrap"
      ? vscode.l10n.t("Put {0} behind Countersign's chain?", names)
      : vscode.l10n.t("Take {0} out of Countersign's chain?", names);
  if (!(await confirmChange({ title, lines: plan.diff }))) return;
  await applyPlan(places.home, plan);
  deps.log.info(`${plan.file}: ${names} ${to}ped by a person`);
  deps.onChange({ file: plan.file, servers: plan.servers, to });
}
