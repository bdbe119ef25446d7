import * as assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";

/** While tests run the editor refuses every dialog: nobody can have clicked, so nothing may have changed. */
suite("no command stands in for a person's click", () => {
  const folder = (): string => {
    const first = vscode.workspace.workspaceFolders?.[0];
    assert.ok(first);
    return first.uri.fsPath;
  };
  const effective = async (): Promise<string> => {
    await vscode.commands.executeCommand("countersign.showEffectiveConfig");
    const shown = vscode.workspace.textDocuments.find(
      (document) => document.uri.scheme === "countersign-config",
    );
    assert.ok(shown);
    return shown.getText();
  };
  const dropTable = async (): Promise<string> => {
    const input = { sql: "DROP TABLE IF EXISTS nothing_here", confirm_destructive: true };
    const result = await vscode.lm.invokeTool("db_query_sql", { input, toolInvocationToken: undefined });
    const [part] = result.content;
    assert.ok(part instanceof vscode.LanguageModelTextPart);
    return (JSON.parse(part.value) as { readonly kind: string }).kind;
  };
  const file = (): string => join(folder(), "gateway-hooks.toml");

  suiteSetup(() =>
    writeFileSync(
      file(),
      'version = 1\n[chain]\ndestructive_sql = false\n[chain.options.destructive_sql]\nconsent = "args"\n',
    ),
  );
  suiteTeardown(() => rmSync(file(), { force: true }));

  for (const args of [[], [true], [{ accept: true, root: "x", digest: "y" }], ["Accept"]]) {
    test(`reviewConfig ${JSON.stringify(args)} accepts nothing`, async () => {
      await vscode.commands
        .executeCommand("countersign.reviewConfig", ...args)
        .then(undefined, () => undefined);
      assert.match(await effective(), /chain\.destructive_sql = true/);
      assert.equal(await dropTable(), "denied");
    });
  }

  for (const command of ["continueUnaudited", "beginNewLog", "resumeAgents", "answerWaiting"]) {
    test(`${command} loosens nothing`, async () => {
      const id = `countersign.${command}`;
      await vscode.commands.executeCommand(id, true, { allow: "once" }).then(undefined, () => undefined);
      assert.equal(await dropTable(), "denied");
    });
  }

  test("a workspace setting switches nothing off", async () => {
    const settings = vscode.workspace.getConfiguration("countersign");
    for (const key of ["chain.enabled", "chain.destructive_sql"]) {
      await settings
        .update(key, false, vscode.ConfigurationTarget.Workspace)
        .then(undefined, () => undefined);
    }
    assert.match(await effective(), /chain\.enabled = true/);
    assert.equal(await dropTable(), "denied");
  });

  test("the environment only tightens", async () => {
    process.env.COUNTERSIGN__HOOKS__ENABLED = "false";
    process.env.DATAMIND__HOOKS__DESTRUCTIVE_SQL = "false";
    try {
      assert.match(await effective(), /chain\.enabled = true/);
      assert.equal(await dropTable(), "denied");
    } finally {
      delete process.env.COUNTERSIGN__HOOKS__ENABLED;
      delete process.env.DATAMIND__HOOKS__DESTRUCTIVE_SQL;
    }
  });
});
