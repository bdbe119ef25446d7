/** The status bar: the chain's state and today's counts in one item, and a second one while a question waits. */
import * as vscode from "vscode";
import type { DecisionCounts } from "../core/audit/query";
import type { HostState } from "../panel/messages";
import { OPEN_PANEL } from "./auditPanel";
import { SHOW_LOG } from "./log";

/** Brings the waiting question's dialog back; the dialog alone decides. */
export const ANSWER_WAITING = "countersign.answerWaiting";
const SHOW_COVERAGE = "countersign.coverage.show";

export interface StatusBarDeps {
  chainState(): HostState["chain"];
  /** Decisions of today. */
  counts(): DecisionCounts;
  /** The same as `governance-off` in few words, where an agent is meant. */
  notGoverned(): { readonly short: string } | undefined;
  /** A file whose hooks changed and at which nobody has looked. */
  hooksChanged(): string | undefined;
  /** Unanswered questions. */
  waiting(): number;
  answerWaiting(): void;
  readonly onChange: (listener: () => void) => vscode.Disposable;
}

const ICONS: Readonly<Record<HostState["chain"]["state"], string>> = {
  ok: "$(shield)",
  waiting: "$(bell-dot)",
  "config-waiting": "$(bell-dot)",
  off: "$(circle-slash)",
  "audit-broken": "$(error)",
  "governance-off": "$(warning)",
};

/** Only what is broken is coloured; everything else stays as calm as the rest of the bar. */
const BACKGROUNDS: Readonly<Partial<Record<HostState["chain"]["state"], string>>> = {
  "audit-broken": "statusBarItem.errorBackground",
  "governance-off": "statusBarItem.errorBackground",
  off: "statusBarItem.warningBackground",
};

function countsInWords(counts: DecisionCounts): string {
  const allowed = (counts.allow ?? 0) + (counts.rewrite ?? 0) + (counts.log_only ?? 0);
  return vscode.l10n.t(
    "{0} allowed, {1} asked, {2} denied today",
    allowed,
    counts.asks_user ?? 0,
    (counts.denied ?? 0) + (counts.error ?? 0),
  );
}

function tooltipOf(chain: HostState["chain"], counts: DecisionCounts): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = {
    enabledCommands: [
      OPEN_PANEL,
      SHOW_COVERAGE,
      SHOW_LOG,
      "countersign.showEffectiveConfig",
      "countersign.selfCheck",
    ],
  };
  text.appendMarkdown(`**Countersign**\n\n${ICONS[chain.state]} `);
  text.appendText(chain.message);
  text.appendMarkdown("\n\n");
  text.appendText(countsInWords(counts));
  text.appendMarkdown("\n\n---\n\n");
  const links = [
    [vscode.l10n.t("Open Audit Panel"), OPEN_PANEL],
    [vscode.l10n.t("Show Coverage"), SHOW_COVERAGE],
    [vscode.l10n.t("Show Effective Configuration"), "countersign.showEffectiveConfig"],
    [vscode.l10n.t("Run Self-Check"), "countersign.selfCheck"],
    [vscode.l10n.t("Show Log"), SHOW_LOG],
  ] as const;
  text.appendMarkdown(links.map(([label, command]) => `[${label}](command:${command})`).join("  ·  "));
  return text;
}

export function registerStatusBar(context: vscode.ExtensionContext, deps: StatusBarDeps): void {
  const item = vscode.window.createStatusBarItem("countersign.status", vscode.StatusBarAlignment.Left, 40);
  item.name = "Countersign";
  const waiting = vscode.window.createStatusBarItem(
    "countersign.waiting",
    vscode.StatusBarAlignment.Left,
    41,
  );
  waiting.name = vscode.l10n.t("Countersign: waiting for you");
  waiting.command = ANSWER_WAITING;

  function show(): void {
    const chain = deps.chainState();
    const counts = deps.counts();
    const denied = (counts.denied ?? 0) + (counts.error ?? 0);
    const allowed = (counts.allow ?? 0) + (counts.rewrite ?? 0) + (counts.log_only ?? 0);
    item.text =
      chain.state === "ok" || chain.state === "waiting"
        ? `${ICONS[chain.state]} ${allowed}${denied > 0 ? ` $(circle-slash) ${denied}` : ""}`
        : `${ICONS[chain.state]} ${short(chain)}`;
    // Where the fault is told is one click away.
    item.command =
      chain.state === "governance-off" || deps.hooksChanged() !== undefined ? SHOW_COVERAGE : OPEN_PANEL;
    item.tooltip = tooltipOf(chain, counts);
    const background = BACKGROUNDS[chain.state];
    item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
    item.accessibilityInformation = {
      label: vscode.l10n.t("Countersign: {0}. {1}", chain.message, countsInWords(counts)),
      role: "button",
    };
    item.show();
    showWaiting(deps.waiting());
  }

  function short({ state, message }: HostState["chain"]): string {
    const alarm = state === "governance-off" ? deps.notGoverned() : undefined;
    return alarm?.short ?? message;
  }

  function showWaiting(count: number): void {
    if (count === 0) {
      waiting.hide();
      return;
    }
    const label =
      count === 1 ? vscode.l10n.t("1 call waits for you") : vscode.l10n.t("{0} calls wait for you", count);
    waiting.text = `$(bell-dot) ${label}`;
    waiting.tooltip = vscode.l10n.t("An agent's call is held until you answer. Click to answer.");
    waiting.accessibilityInformation = { label, role: "button" };
    waiting.show();
  }

  context.subscriptions.push(
    item,
    waiting,
    deps.onChange(show),
    vscode.commands.registerCommand(ANSWER_WAITING, () => deps.answerWaiting()),
  );
  show();
}
