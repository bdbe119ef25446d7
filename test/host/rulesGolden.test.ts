/** Rules in a real extension host: the golden cases through `vscode.lm`, the end of a run through the broker, the lens on JSON. */
import * as assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import * as vscode from "vscode";
import { runHookClient } from "../../src/node/hookClient";
import { acceptChange, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { createTrustStore } from "../../src/node/trustStore";

const CASES = join(__dirname, "../../test/golden/rules");
const CONFIG = "gateway-hooks.toml";
/** Such a model of a case as `test/golden/rules.test.ts` checks. */
interface Case {
  readonly tool: string;
  readonly args: object;
  readonly decision: "allow" | "rewrite" | "deny" | "ask";
  readonly by: string | null;
  readonly contexts?: readonly string[];
  readonly records: readonly object[];
}

function workspace(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, "the tests run in a folder");
  return folder.uri.fsPath;
}

/** What a person's click does; no dialog can be shown while tests run. */
async function accept(): Promise<void> {
  const root = workspace();
  const store = createTrustStore({ home: homedir(), now: Date.now });
  const input = { root, trusted: true, user: {}, locked: [], env: process.env, store };
  const { pending } = await resolveWorkspace(input);
  if (pending !== undefined) assert.deepEqual(await acceptChange(input, pending), []);
}

interface Recorded {
  readonly event: string;
  readonly decision?: string;
  readonly by?: string;
  readonly rewritten?: boolean;
  readonly reason?: string;
  readonly session_id?: string;
  readonly findings?: readonly { readonly code: string }[];
}

function records(): readonly Recorded[] {
  const file = join(workspace(), ".countersign/storage/default/audit.jsonl");
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line): Recorded => JSON.parse(line));
}

const shape = ({ event, decision, by, rewritten, findings }: Recorded) => ({
  event,
  decision,
  ...(by === undefined ? {} : { by }),
  ...(rewritten === undefined ? {} : { rewritten }),
  ...(findings === undefined ? {} : { findings: findings.map(({ code }) => code) }),
});

async function until<T>(look: () => T | undefined, what: string): Promise<T> {
  for (let i = 0; i < 200; i += 1) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not within 10 s`);
}

const stopPayload = (session: string, says: string): string =>
  JSON.stringify({
    hook_event_name: "Stop",
    session_id: session,
    cwd: workspace(),
    last_assistant_message: says,
  });

async function answerOf({ tool, args }: Case): Promise<{ readonly kind: string; readonly text: string }> {
  const result = await vscode.lm.invokeTool(tool, { input: args, toolInvocationToken: undefined });
  const [part] = result.content;
  assert.ok(part instanceof vscode.LanguageModelTextPart);
  const { kind } = JSON.parse(part.value) as { readonly kind: string };
  return { kind, text: part.value };
}

suite("rules in the editor", () => {
  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension("countersign.countersign");
    await extension?.activate();
    await vscode.commands.executeCommand("setContext", "vscode.chat.tools.global.autoApprove.testMode", true);
  });
  suiteTeardown(async () => {
    rmSync(join(workspace(), CONFIG), { force: true });
    await accept();
  });

  for (const name of readdirSync(CASES)) {
    test(`golden: ${name}`, async function () {
      this.timeout(60_000);
      cpSync(join(CASES, name), workspace(), { recursive: true });
      await accept();
      const one = JSON.parse(readFileSync(join(CASES, name, "case.json"), "utf8")) as Case;
      const before = records().length;
      const { kind, text } = await answerOf(one);
      const refused = one.decision === "deny" || one.decision === "ask";
      assert.equal(kind === "denied", refused, text);
      for (const context of one.contexts ?? []) assert.ok(text.includes(context), text);
      const written = records()
        .slice(before)
        .filter(({ event }) => event === "call")
        .map(shape);
      // Who is asked cannot answer while tests run: what follows the question is the editor's own affair.
      const count = one.decision === "ask" ? 1 : one.records.length;
      assert.deepEqual(written.slice(0, count), one.records.slice(0, count));
      assert.ok(one.decision === "ask" || written.length === count);
    });
  }

  test("the end of a run is put to the rules, and is on record with its reason", async () => {
    const text = `[[hooks.run_end]]\nname = "review"\nhandlers = [{ type = "command", command = ["node", "review.mjs"] }]\n`;
    const script = `let t = ""; for await (const c of process.stdin) t += c;
const { report } = JSON.parse(t);
if (report?.includes("dropped")) { process.stderr.write("nothing was to be dropped"); process.exit(2); }\n`;
    writeFileSync(join(workspace(), "review.mjs"), script);
    writeFileSync(join(workspace(), CONFIG), text);
    await accept();
    const stop = (session: string, says: string) =>
      runHookClient({
        agent: "claude",
        observer: "hook:claude",
        event: "stop",
        stdin: Readable.from([Buffer.from(stopPayload(session, says))]),
        env: process.env,
        home: homedir(),
        cwd: workspace(),
      });
    assert.deepEqual(await stop("run-a", "I dropped a table."), { stdout: "" });
    assert.deepEqual(await stop("run-b", "I read a table."), { stdout: "" });
    const ended = await until(() => {
      const found = records().filter(({ event }) => event === "run_end");
      return found.length === 2 ? found : undefined;
    }, "two records of ended runs");
    const of = (id: string) => ended.find(({ session_id }) => session_id === id);
    assert.equal(of("run-a")?.decision, "denied");
    assert.equal(of("run-a")?.by, "review");
    assert.equal(of("run-a")?.reason, "nothing was to be dropped");
    assert.equal(of("run-b")?.decision, "allow");
  });

  test("a rule in JSON has its lens, its explanation and its mistakes at their keys", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cs-json-"));
    const file = join(folder, "gateway-hooks.json");
    const hooks = {
      pre_tool_call: [{ name: "no-deploy", matcher: "deploy_.*", handlers: [{ type: "deny" }] }],
      run_end: [{ name: "review", handlers: [{ type: "deny" }] }],
    };
    writeFileSync(file, JSON.stringify({ hooks }, null, 2));
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      document.uri,
      20,
    );
    const lineOf = (text: string) =>
      document
        .getText()
        .split("\n")
        .findIndex((line) => line.includes(text));
    const titles = lenses.map(({ range, command }) => `${range.start.line} ${command?.title}`).sort();
    const [call, end] = [lineOf('"no-deploy"') - 1, lineOf('"review"') - 1];
    assert.deepEqual(
      titles,
      [
        `${call} Explain`,
        `${call} Try a call`,
        `${call} matched no call today`,
        `${end} Explain`,
        `${end} no run ended today`,
      ].sort(),
    );
    writeFileSync(file, document.getText().replace('"matcher"', '"matchr"'));
    // The editor's own check of JSON speaks beside ours.
    const mistake = await until(
      () => vscode.languages.getDiagnostics(document.uri).find(({ message }) => message.includes("matcher")),
      "the mistake is shown",
    );
    assert.match(mistake.message, /matchr.*matcher/);
    assert.equal(mistake.range.start.line, lineOf('"matchr"'));
    rmSync(folder, { recursive: true, force: true });
  });
});
