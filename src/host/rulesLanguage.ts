/** Completion and hover in `gateway-hooks.toml`; the editor itself does both for JSON, by our JSON Schema. Decides nothing. */
import * as vscode from "vscode";
import { toolsSeen } from "../core/audit/ruleCounts";
import { type Completion, complete } from "../core/rules/complete";
import { hoverAt } from "../core/rules/hover";
import { CONFIG_TOML } from "../node/configFiles";
import { recentRecords } from "../node/recentRecords";

export interface RulesLanguageDeps {
  readonly auditPath: (document: vscode.TextDocument) => Promise<string>;
}

const TOML: vscode.DocumentSelector = { scheme: "file", pattern: `**/${CONFIG_TOML}` };

const KINDS: Readonly<Record<Completion["kind"], vscode.CompletionItemKind>> = {
  table: vscode.CompletionItemKind.Module,
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
};

export function registerRulesLanguage(context: vscode.ExtensionContext, deps: RulesLanguageDeps): void {
  const records = recentRecords();
  context.subscriptions.push(
    vscode.languages.registerCompletionItemProvider(
      TOML,
      {
        async provideCompletionItems(document, position) {
          const tools = toolsSeen(await records.of(await deps.auditPath(document)));
          return itemsAt(document, position, tools);
        },
      },
      "[",
      '"',
      "=",
      "{",
      ",",
      " ",
    ),
    vscode.languages.registerHoverProvider(TOML, { provideHover: hoverOf }),
  );
}

function itemsAt(
  document: vscode.TextDocument,
  position: vscode.Position,
  tools: readonly string[],
): vscode.CompletionItem[] {
  const { start, items } = complete(document.getText(), document.offsetAt(position), { tools });
  const replaced = new vscode.Range(document.positionAt(start), position);
  // Brackets that the editor closed by itself are part of what is replaced.
  const rest = document.lineAt(position.line).text.slice(position.character);
  const closed = replaced.with({ end: position.translate(0, /^\]*/u.exec(rest)?.[0].length ?? 0) });
  return items.map(({ kind, label, snippet, text }, index) => {
    const item = new vscode.CompletionItem(label, KINDS[kind]);
    item.insertText = new vscode.SnippetString(snippet);
    item.range = kind === "table" ? closed : replaced;
    item.documentation = new vscode.MarkdownString(text);
    item.sortText = String(index).padStart(4, "0");
    return item;
  });
}

function hoverOf(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
  const hover = hoverAt(document.getText(), document.offsetAt(position));
  if (hover === undefined) return undefined;
  const { span, title, text, words, usual } = hover;
  const parts = [
    `**\`${title}\`**`,
    text,
    ...(words.length === 0 ? [] : [words.map((word) => `\`${word}\``).join(" · ")]),
    ...(usual === undefined ? [] : [vscode.l10n.t("Default: {0}", `\`${usual}\``)]),
  ];
  const range = new vscode.Range(document.positionAt(span.start), document.positionAt(span.end));
  return new vscode.Hover(new vscode.MarkdownString(parts.join("\n\n")), range);
}
