import * as assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { goldenCases } from "../golden/cases";

const OWN = new Set(["db_query_sql", "db_import_csv", "kb_add_file", "kb_add_path", "kb_search"]);

interface Api {
  readonly onHookAsksUser: (
    listener: (event: { readonly ask: { readonly by: string } }) => void,
  ) => vscode.Disposable;
  readonly onHookDenied: (listener: (event: { readonly by: string }) => void) => vscode.Disposable;
}

function workspace(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, "the tests run in a folder");
  return folder.uri.fsPath;
}

async function api(): Promise<Api> {
  const extension = vscode.extensions.getExtension("countersign.countersign");
  assert.ok(extension);
  // The exported API is what this suite is about; its shape is asserted by use.
  return (await extension.activate()) as Api;
}

/** The editor refuses dialogs while tests run, which denies: that an ask was raised is seen by the event. */
async function decisionOf(tool: string, input: object): Promise<[string, string | null]> {
  const { onHookAsksUser, onHookDenied } = await api();
  const asked: string[] = [];
  const denied: string[] = [];
  const listeners = [onHookAsksUser((e) => asked.push(e.ask.by)), onHookDenied((e) => denied.push(e.by))];
  try {
    const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined });
    const [part] = result.content;
    assert.ok(part instanceof vscode.LanguageModelTextPart);
    const { kind } = JSON.parse(part.value) as { readonly kind: string };
    if (asked[0] !== undefined) {
      assert.equal(kind, "denied", "an ask that nobody answered must not run");
      return ["ask", asked[0]];
    }
    return kind === "denied" ? ["deny", denied[0] ?? null] : ["allow", null];
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

suite("golden cases through the language-model tools", () => {
  suiteSetup(async () => {
    writeFileSync(join(workspace(), "notes.txt"), "hello");
    // Else the editor asks once whether tools may run unasked, and dialogs are refused here.
    await vscode.commands.executeCommand("setContext", "vscode.chat.tools.global.autoApprove.testMode", true);
  });
  // The editor's database is SQLite: cases of another dialect belong to other doors.
  for (const one of goldenCases.filter((c) => OWN.has(c.tool) && c.dialect === undefined)) {
    test(one.name, async function () {
      this.timeout(60_000);
      const text = JSON.stringify(one.args).replaceAll("{ws}", JSON.stringify(workspace()).slice(1, -1));
      if (one.name === "SQL of the wrong type") {
        // The editor itself refuses an argument that breaks the tool's schema.
        const ran = decisionOf(one.tool, JSON.parse(text)).then(([kind]) => kind);
        assert.notEqual(await ran.catch(() => "refused"), "allow");
        return;
      }
      assert.deepEqual(await decisionOf(one.tool, JSON.parse(text)), [one.decision, one.by]);
    });
  }
});
