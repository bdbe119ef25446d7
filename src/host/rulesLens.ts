/** Above each rule of `gateway-hooks.toml` and `.json`: how often it spoke today, what it says in words, and a recorded call to try. Decides nothing. */
import * as vscode from "vscode";
import { countRules, type RuleCount } from "../core/audit/ruleCounts";
import type { HookEventName } from "../core/hookRules/types";
import { parseJsonText } from "../core/rules/jsonText";
import { placesOf, tomlSpans } from "../core/rules/locate";
import { ruleInWords } from "../core/rules/ruleInWords";
import { type RuleConfig, rulesIn } from "../core/rules/schemaHooks";
import { recentRecords } from "../node/recentRecords";
import { hooksOf } from "../node/ruleSource";
import type { Log } from "../ports";
import { translate } from "./auditPanel";
import { CONFIG_SELECTOR, parseDocument } from "./configDiagnostics";
import type { ConfigWatch } from "./configWatch";
import { tryInEditor } from "./rulesTry";
import { dayOf } from "./todayCounts";

export interface RulesLensDeps {
  /** Of the workspace folder that the document lies in. */
  readonly auditPath: (document: vscode.TextDocument) => Promise<string>;
  readonly onChange: (listener: () => void) => vscode.Disposable;
  readonly watch: Pick<ConfigWatch, "current">;
  readonly log: Log;
}

export interface PlacedRule {
  readonly document: vscode.TextDocument;
  readonly event: HookEventName;
  readonly name: string;
  readonly rule: RuleConfig;
  readonly range: vscode.Range;
}

class RuleLens extends vscode.CodeLens {
  readonly placed: PlacedRule;
  constructor(placed: PlacedRule) {
    super(placed.range);
    this.placed = placed;
  }
}

const EXPLAIN = "countersign.explainRule";
const TRY = "countersign.tryCall";
const SCHEME = "countersign-rule";
/** Counts follow the log, but not each record by itself. */
const SETTLE_MS = 1000;

export function registerRulesLens(context: vscode.ExtensionContext, deps: RulesLensDeps): void {
  const changed = new vscode.EventEmitter<void>();
  const records = recentRecords();
  const last = new WeakMap<vscode.TextDocument, readonly PlacedRule[]>();
  const texts = readOnlyTexts(SCHEME);
  let timer: NodeJS.Timeout | undefined;
  const recent = async (document: vscode.TextDocument) => records.of(await deps.auditPath(document));
  const placedRules = (document: vscode.TextDocument): readonly PlacedRule[] => {
    // While a mistake is being typed the lenses stay where they were.
    const placed = rulesOf(document) ?? last.get(document) ?? [];
    last.set(document, placed);
    return placed;
  };
  const guarded = (work: (placed: PlacedRule) => Promise<void>) => async (placed: unknown) => {
    const known = placedAt(placed, placedRules);
    if (known !== undefined) await work(known);
  };
  context.subscriptions.push(
    changed,
    texts.provider,
    { dispose: () => clearTimeout(timer) },
    deps.onChange(() => {
      clearTimeout(timer);
      timer = setTimeout(() => changed.fire(), SETTLE_MS);
    }),
    vscode.languages.registerCodeLensProvider(CONFIG_SELECTOR, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: (document) => placedRules(document).flatMap(lensesOf),
      async resolveCodeLens(lens) {
        if (!(lens instanceof RuleLens)) return lens;
        const today = { day: dayOf(new Date().toISOString()), dayOf };
        const counts = countRules(await recent(lens.placed.document), today).get(lens.placed.name);
        const title = lens.placed.event === "run_end" ? runTitle(counts) : callTitle(counts);
        lens.command = { title, command: "countersign.openAuditPanel" };
        return lens;
      },
    }),
    vscode.commands.registerCommand(
      EXPLAIN,
      guarded((placed) => texts.show(`${placed.name}.md`, explained(placed).join("\n"))),
    ),
    vscode.commands.registerCommand(
      TRY,
      guarded(async (placed) => {
        const given = { placed, records: await recent(placed.document) };
        const lines = await tryInEditor(given, deps);
        if (lines !== undefined) await texts.show(`${placed.name}, tried.md`, lines.join("\n"));
      }),
    ),
  );
}

function lensesOf(placed: PlacedRule): readonly vscode.CodeLens[] {
  const { range, document, event, name } = placed;
  const where = [{ uri: document.uri.toString(), event, name }];
  const explain = { title: vscode.l10n.t("Explain"), command: EXPLAIN, arguments: where };
  const attempt = { title: vscode.l10n.t("Try a call"), command: TRY, arguments: where };
  const explaining = new vscode.CodeLens(range, explain);
  switch (event) {
    case "pre_tool_call":
    case "post_tool_call":
      return [new RuleLens(placed), explaining, new vscode.CodeLens(range, attempt)];
    case "run_end":
      return [new RuleLens(placed), explaining];
    case "pre_request":
    case "post_response":
      // Sessions of programs speak them, whose log is not the editor's.
      return [explaining];
    default:
      return event satisfies never;
  }
}

function runTitle(counts: RuleCount | undefined): string {
  const { matched, denied } = counts ?? { matched: 0, denied: 0 };
  if (matched === 0) return vscode.l10n.t("no run ended today");
  return matched === 1
    ? vscode.l10n.t("1 run ended today, {0} not accepted", String(denied))
    : vscode.l10n.t("{0} runs ended today, {1} not accepted", String(matched), String(denied));
}

function callTitle(counts: RuleCount | undefined): string {
  const { matched, denied } = counts ?? { matched: 0, denied: 0 };
  if (matched === 0) return vscode.l10n.t("matched no call today");
  return matched === 1
    ? vscode.l10n.t("matched 1 call today, {0} denied", String(denied))
    : vscode.l10n.t("matched {0} calls today, {1} denied", String(matched), String(denied));
}

/** Undefined where the text is no configuration. */
function rulesOf(document: vscode.TextDocument): readonly PlacedRule[] | undefined {
  const parsed = parseDocument(document);
  if (!parsed.ok) return undefined;
  const text = document.getText();
  const json = document.uri.fsPath.endsWith(".json") ? parseJsonText(text) : undefined;
  const spans = json === undefined ? tomlSpans(text) : json.ok ? json.spans : new Map();
  const places = placesOf(text, spans);
  return rulesIn(hooksOf(parsed.value)).map(({ event, index, name, rule }) => {
    const { line, column } = places.key(["hooks", event, index]);
    const range = new vscode.Range(line - 1, column - 1, line - 1, column - 1);
    return { document, event, name, rule, range };
  });
}

/** Commands can be called by anybody with anything: only a rule of an open configuration counts. */
function placedAt(
  given: unknown,
  placedRules: (document: vscode.TextDocument) => readonly PlacedRule[],
): PlacedRule | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { uri, event, name } = given as { uri?: unknown; event?: unknown; name?: unknown };
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
  if (document === undefined || vscode.languages.match(CONFIG_SELECTOR, document) === 0) return undefined;
  return placedRules(document).find((one) => one.event === event && one.name === name);
}

function explained({ name, event, rule }: PlacedRule): readonly string[] {
  return [`# ${name}`, "", ...ruleInWords(event, rule, translate), ""];
}

/** Texts that are shown and never saved. */
export function readOnlyTexts(scheme: string): {
  readonly provider: vscode.Disposable;
  show(name: string, text: string): Promise<void>;
} {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const texts = new Map<string, string>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "",
  });
  return {
    provider: vscode.Disposable.from(provider, changed),
    async show(name, text) {
      const uri = vscode.Uri.from({ scheme, path: `/${name.replaceAll("/", "_")}` });
      texts.set(uri.toString(), `${text}\n`);
      changed.fire(uri);
      await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Two, preview: true });
    },
  };
}
