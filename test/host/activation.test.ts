import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";

interface Manifest {
  readonly version: string;
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly languageModelTools: readonly { readonly name: string; readonly inputSchema: object }[];
    readonly chatPlugins: readonly { readonly path: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
  };
}

function product(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension("countersign.countersign");
  assert.ok(extension, "countersign.countersign is not installed");
  return extension;
}

// The host's own parse of package.json: this is the boundary.
const manifest = (): Manifest => product().packageJSON as Manifest;

suite("activation", () => {
  test("activates by itself in a real extension host", async () => {
    const extension = product();
    const deadline = Date.now() + 20_000;
    while (!extension.isActive && Date.now() < deadline) await new Promise((later) => setTimeout(later, 50));
    assert.equal(extension.isActive, true);
  });

  test("every tool of the manifest is registered, with its schema", () => {
    const names = manifest().contributes.languageModelTools.map((tool) => tool.name);
    assert.deepEqual([...names].sort(), [
      "db_import_csv",
      "db_query_sql",
      "kb_add_file",
      "kb_add_path",
      "kb_search",
    ]);
    for (const name of names) {
      const tool = vscode.lm.tools.find((known) => known.name === name);
      assert.ok(tool, `${name} is not among the editor's tools`);
      assert.ok(tool.inputSchema, `${name} has no schema`);
    }
  });

  test("every command of the manifest can be run", async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    const commands = manifest().contributes.commands.map((entry) => entry.command);
    assert.ok(commands.length > 0);
    assert.deepEqual(
      commands.filter((command) => !known.has(command)),
      [],
    );
  });

  test("settings have the manifest's defaults", () => {
    const { properties } = manifest().contributes.configuration;
    for (const [key, { default: value }] of Object.entries(properties)) {
      assert.ok(key.startsWith("countersign."), key);
      if (value === undefined) continue; // the editor then fills in what the type suggests
      assert.deepEqual(vscode.workspace.getConfiguration().inspect(key)?.defaultValue, value, key);
    }
  });

  test("the hook plugin names files that exist, and a matcher for every tool", () => {
    const [plugin] = manifest().contributes.chatPlugins;
    assert.ok(plugin);
    const folder = join(product().extensionPath, plugin.path);
    assert.ok(existsSync(join(folder, ".claude-plugin/plugin.json")));
    assert.ok(existsSync(join(folder, "client.js")));
    const { hooks } = JSON.parse(readFileSync(join(folder, "hooks/hooks.json"), "utf8"));
    for (const event of ["PreToolUse", "PostToolUse"]) assert.equal(hooks[event]?.length, 1, event);
    const [command] = hooks.PreToolUse[0].hooks;
    assert.ok(command.timeout >= 3600, "a person's answer may take longer than the host's default of 30 s");
  });

  test("hook processes of this extension host find the broker", () => {
    assert.equal(process.env.COUNTERSIGN_NODE, process.execPath);
  });

  test("the exported API takes hooks and tells their names", async () => {
    const api = (await product().activate()) as {
      readonly hooks: {
        add(hook: { name: string; preToolUse(): undefined }): { dispose(): void };
        names(): Promise<readonly string[]>;
      };
    };
    const before = await api.hooks.names();
    assert.ok(before.includes("path_allowlist") && before.includes("destructive_sql"), before.join());
    const added = api.hooks.add({ name: "test_hook", preToolUse: () => undefined });
    assert.ok((await api.hooks.names()).includes("test_hook"));
    added.dispose();
    assert.deepEqual(await api.hooks.names(), before);
  });
});
