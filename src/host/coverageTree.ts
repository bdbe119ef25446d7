/** The map as tree items: icons, words, what a click does. Reads nothing, decides nothing. */
import * as vscode from "vscode";
import type { Translate } from "../core/askText";
import {
  actionsOf,
  type CoverageAction,
  type CoverageRow,
  type Severity,
  type SwitchedOff,
  severityOf,
} from "../core/coverage";
import { type BlindSpot, blindSpotText } from "../core/coverageBlindSpots";
import { lastCallText, rowText, spokenText, type Words } from "../core/coverageText";

export const OPEN_SWITCH = "countersign.coverage.openSwitch";
export const OPEN_LIMITS = "countersign.coverage.openLimits";

export type Node =
  | { readonly kind: "row"; readonly row: CoverageRow }
  | { readonly kind: "absent"; readonly rows: readonly CoverageRow[] }
  | { readonly kind: "fact"; readonly item: vscode.TreeItem };

const ICONS: Readonly<Record<Severity, readonly [icon: string, color?: string]>> = {
  ok: ["pass-filled", "testing.iconPassed"],
  quiet: ["circle-large-outline"],
  gap: ["circle-slash", "problemsWarningIcon.foreground"],
  look: ["warning", "problemsWarningIcon.foreground"],
  off: ["error", "problemsErrorIcon.foreground"],
};

const themed = (icon: string, color?: string): vscode.ThemeIcon =>
  new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));

/** What is loud comes first; agents that are not on this machine stand together at the end. */
export function rootsOf(rows: readonly CoverageRow[]): readonly Node[] {
  const here = rows.filter(({ state }) => state !== "not-installed");
  const absent = rows.filter(({ state }) => state === "not-installed");
  return [
    ...here.map((row): Node => ({ kind: "row", row })),
    ...(absent.length > 0 ? [{ kind: "absent", rows: absent } as const] : []),
  ];
}

export function itemOf(node: Node, words: Words): vscode.TreeItem {
  if (node.kind === "fact") return node.item;
  return node.kind === "row" ? rowItem(node.row, words) : absentItem(node.rows.length, words.t);
}

function absentItem(count: number, t: Translate): vscode.TreeItem {
  const item = new vscode.TreeItem(t("Not found on this machine"), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = "absent";
  item.description = String(count);
  return item;
}

function rowItem(row: CoverageRow, words: Words): vscode.TreeItem {
  const severity = severityOf(row);
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const facts = factsOf(row, words).length > 0;
  const item = new vscode.TreeItem(row.title, !facts ? None : severity === "off" ? Expanded : Collapsed);
  // Another id per severity: the editor keeps what a person folded under an id, and bad news should open.
  item.id = `${row.id}:${severity}`;
  item.description = rowText(row, words);
  item.iconPath = row.state === "not-installed" ? themed("dash") : themed(...ICONS[severity]);
  item.contextValue = actionsOf(row).map(contextOf).join(" ");
  item.tooltip = tooltipOf(row, words);
  item.accessibilityInformation = { label: spokenText(row, words), role: "treeitem" };
  return item;
}

/** `=name=` so that the menus' patterns cannot take one for another. */
const contextOf = (action: CoverageAction): string => `=${action}=`;

function tooltipOf(row: CoverageRow, words: Words): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(spokenText(row, words));
  for (const more of [row.message, row.file === undefined ? undefined : words.short(row.file)]) {
    if (more === undefined) continue;
    text.appendMarkdown("\n\n");
    text.appendText(more);
  }
  return text;
}

export function childrenOf(node: Node, words: Words): readonly Node[] {
  if (node.kind === "fact") return [];
  if (node.kind === "absent") return node.rows.map((row): Node => ({ kind: "row", row }));
  return factsOf(node.row, words).map((item): Node => ({ kind: "fact", item }));
}

function factsOf(row: CoverageRow, words: Words): readonly vscode.TreeItem[] {
  const { t, short } = words;
  const open = (file: string): vscode.Command => ({
    command: "vscode.open",
    title: t("Open the File"),
    arguments: [vscode.Uri.file(file)],
  });
  return [
    ...(row.message === undefined ? [] : [fact(row.message, "info")]),
    ...row.off.map((one) => switchItem(one, words)),
    ...row.changed.map((file) =>
      fact(t("Changed"), "warning", {
        description: short(file),
        color: "problemsWarningIcon.foreground",
        command: open(file),
      }),
    ),
    ...row.foreign.map(({ file, runs }) =>
      fact(t("Another hook"), "plug", {
        description: runs,
        tooltip: short(file),
        command: open(file),
      }),
    ),
    ...(row.lastCall === undefined
      ? []
      : [fact(t("Last call"), "history", { description: lastCallText(row.lastCall, words) })]),
    ...programItems(row, words),
    ...(row.file === undefined || !actionsOf(row).includes("stop")
      ? []
      : [fact(t("Hook"), "file-code", { description: short(row.file), command: open(row.file) })]),
    ...row.blindSpots.map((spot) => blindSpotItem(spot, t)),
  ];
}

function blindSpotItem(spot: BlindSpot, t: Translate): vscode.TreeItem {
  const { name, sentence } = blindSpotText(spot, t);
  return fact(name, "eye-closed", {
    description: sentence,
    tooltip: t("Not seen by any hook. Open the list of known limits."),
    command: { command: OPEN_LIMITS, title: t("Known Limits") },
  });
}

function switchItem(one: SwitchedOff, { t, short }: Words): vscode.TreeItem {
  return fact(one.key, "error", {
    description: one.file === undefined ? t("switched off") : short(one.file),
    color: "problemsErrorIcon.foreground",
    command: { command: OPEN_SWITCH, title: t("Open the File"), arguments: [one] },
  });
}

function programItems({ program }: CoverageRow, { t, short }: Words): readonly vscode.TreeItem[] {
  if (program === undefined) return [];
  const label = program.version === undefined ? t("Version unknown") : t("Version {0}", program.version);
  return [fact(label, "terminal", { description: short(program.path) })];
}

interface More {
  readonly description?: string;
  readonly color?: string;
  readonly tooltip?: string;
  readonly command?: vscode.Command;
}

function fact(label: string, icon: string, more: More = {}): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.None);
  const whole = more.description === undefined ? label : `${label}: ${more.description}`;
  item.iconPath = themed(icon, more.color);
  // What does not fit a narrow view is read by pointing at it.
  item.tooltip = more.tooltip === undefined ? whole : `${whole}\n\n${more.tooltip}`;
  if (more.description !== undefined) item.description = more.description;
  if (more.command !== undefined) item.command = more.command;
  item.accessibilityInformation = { label: whole };
  return item;
}
