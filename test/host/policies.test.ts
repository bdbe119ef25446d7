/** Cards in a real extension host: while tests run the editor refuses every dialog, so nothing may become trusted. */
import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { parseCardSpec } from "../../src/core/cards/cardVersion";
import { askBroker } from "../../src/node/askBroker";
import { createCardConsents } from "../../src/node/cards/cardConsents";
import { installCard, uninstallCard } from "../../src/node/cards/installCard";
import { findBroker } from "../../src/node/locator";

const CARD = "@acme/inert";
const POLICY = `import { defineToolPolicy } from "countersign/policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  beforeToolCall() {
    return { action: "deny", reason: "nobody trusted this" };
  },
});
`;

suite("no command and no request stands in for a person's trust", () => {
  const folder = (): string => {
    const first = vscode.workspace.workspaceFolders?.[0];
    assert.ok(first);
    return first.uri.fsPath;
  };
  let source = "";
  suiteSetup(async () => {
    source = mkdtempSync(join(tmpdir(), "cs-card-"));
    mkdirSync(join(source, "hooks/no"), { recursive: true });
    writeFileSync(
      join(source, "card.json"),
      JSON.stringify({ name: CARD, version: "1.0.0", hooks: { include: ["no"] } }),
    );
    writeFileSync(join(source, "hooks/no/policy.ts"), POLICY);
    const spec = parseCardSpec(CARD);
    assert.ok(spec);
    const origin = { kind: "folder", folder: source } as const;
    const done = await installCard(spec, { root: folder(), origin, lower: "refuse" });
    assert.ok(done.ok, JSON.stringify(done));
    writeFileSync(join(folder(), "gateway-hooks.toml"), `version = 1\n\n[policies]\ncards = ["${CARD}"]\n`);
  });
  suiteTeardown(async () => {
    rmSync(source, { recursive: true, force: true });
    rmSync(join(folder(), "gateway-hooks.toml"), { force: true });
    await uninstallCard(folder(), join(folder(), ".countersign"), CARD);
    rmSync(join(folder(), "card.lock"), { force: true });
  });

  const trusted = async (): Promise<unknown> => createCardConsents({ home: homedir() }).load(folder());

  test("a request of the command line opens a dialog and nothing else", async () => {
    const window = findBroker(homedir(), folder());
    assert.ok(window, "this window is found");
    const ask = async (payload: unknown): Promise<{ readonly kind?: string }> => {
      const reply = await askBroker(
        window,
        {
          event: "pre",
          agent: "countersign",
          observer: "cards",
          payload: JSON.stringify(payload),
          cwd: folder(),
        },
        { silence: 10_000, total: 20_000 },
      );
      assert.equal(reply.kind, "answer", JSON.stringify(reply));
      return reply.kind === "answer" ? JSON.parse(reply.answer.stdout) : {};
    };
    const request = { kind: "card.trust", root: folder(), card: CARD, to: "trust" };
    for (const more of [{}, { unconfined: true }, { range: "*" }, { agreed: true }, { confirm: "Trust" }]) {
      const answer = await ask({ ...request, ...more });
      assert.notEqual(answer.kind, "done", JSON.stringify([more, answer]));
    }
    assert.deepEqual(await trusted(), { kind: "none" });
  });

  for (const args of [[], [CARD], [{ root: "x", card: CARD, to: "trust", agreed: true }]]) {
    test(`trustCard ${JSON.stringify(args)} trusts nothing`, async () => {
      const running = Promise.resolve(vscode.commands.executeCommand("countersign.trustCard", ...args));
      const ended = running.catch(() => undefined);
      await new Promise((later) => setTimeout(later, 1500));
      // Picks the card, as a program could; the dialog that follows it cannot answer.
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      await new Promise((later) => setTimeout(later, 1000));
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
      await Promise.race([ended, new Promise((later) => setTimeout(later, 3000))]);
      assert.deepEqual(await trusted(), { kind: "none" });
    });
  }
});
