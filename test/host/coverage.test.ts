import * as assert from "node:assert/strict";
import * as vscode from "vscode";

interface Manifest {
  readonly contributes: {
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string }[] };
    readonly menus: Readonly<
      Record<string, readonly { readonly command: string; readonly when: string; readonly group?: string }[]>
    >;
  };
}

suite("the coverage view", () => {
  const manifest = (): Manifest => {
    const extension = vscode.extensions.getExtension("countersign.countersign");
    assert.ok(extension);
    // The host's own parse of package.json: this is the boundary.
    return extension.packageJSON as Manifest;
  };

  test("stands in a container of its own and opens", async () => {
    const { viewsContainers, views } = manifest().contributes;
    for (const { id } of viewsContainers.activitybar) assert.ok(views[id]?.length, id);
    await vscode.commands.executeCommand("countersign.coverage.show");
  });

  test("every inline action asks for what its row offers, and is named for it", () => {
    const items = manifest().contributes.menus["view/item/context"] ?? [];
    const inline = items.filter(({ group }) => group?.startsWith("inline"));
    assert.deepEqual(
      inline.map(({ command }) => command.split(".").at(-1)),
      ["openSwitch", "acknowledge", "verify", "govern", "stop"],
    );
    for (const { command, when } of items)
      assert.ok(when.endsWith(`viewItem =~ /=${command.split(".").at(-1)}=/`), when);
  });

  test("no action without a row governs, loosens or throws", async () => {
    const before = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length;
    for (const action of ["stop", "verify", "openSwitch", "acknowledge"])
      for (const argument of [undefined, { kind: "row", row: { id: "nobody" } }, { kind: "row" }, "claude"])
        await Promise.race([
          vscode.commands.executeCommand(`countersign.coverage.${action}`, argument),
          // A list to choose from waits for a person.
          new Promise((later) => setTimeout(later, 300)),
        ]);
    await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
    assert.equal(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length, before);
  });
});
