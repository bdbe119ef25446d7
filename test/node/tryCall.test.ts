/** A recorded call put to rules again: what they say is shown, and no code runs unless it is that which was accepted. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { untranslated } from "../../src/core/askText";
import type { AuditRecord } from "../../src/core/audit/record";
import { parseConfig } from "../../src/core/rules/parse";
import { ruleInWords } from "../../src/core/rules/ruleInWords";
import { rulesIn } from "../../src/core/rules/schemaHooks";
import { hooksOf, reachOfLayer } from "../../src/node/ruleSource";
import { triedLines, tryCall } from "../../src/node/tryCall";
import type { SourceTrust } from "../../src/node/workspaceRules";

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "countersign-try-")));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env.PATH };
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const record: AuditRecord = {
  v: 1,
  seq: 1,
  ts: "2026-03-04T10:00:00.000Z",
  log_id: "l",
  writer: { pid: 1, version: "1", role: "t" },
  prev_hash: null,
  record_hash: "h",
  event: "call",
  error: null,
  tool: "deploy_site",
  args: { to: "production" },
};
const DENY = `[[hooks.pre_tool_call]]
name = "no-deploy"
matcher = "deploy_.*"
arg = { to = "prod" }
handlers = [{ type = "deny", reason = "not from here" }]
`;
const CODE = `[[hooks.pre_tool_call]]
name = "program"
handlers = [{ type = "command", command = ["node", "./check.mjs"], timeout = 20 }]
`;

function layer(text: string) {
  const read = parseConfig({ text, file: "f", format: "toml" });
  if (!read.ok) expect.unreachable(JSON.stringify(read.problems));
  return read.value;
}

async function tried(
  text: string,
  trust: SourceTrust,
  event: "pre_tool_call" | "post_tool_call" = "pre_tool_call",
) {
  const source = { hooks: hooksOf(layer(text)), folder, file: { file: "f.toml", text }, trust };
  const { signal } = new AbortController();
  const run = await tryCall({ record, event, source, env, log, signal });
  return triedLines(record, run, untranslated).join("\n");
}

const inert: SourceTrust = { kind: "inert", why: "its code was not run" };
const script = () =>
  fs.writeFileSync(
    path.join(folder, "check.mjs"),
    'import { writeFileSync } from "node:fs"; writeFileSync("ran", ""); console.error("no"); process.exit(2);',
  );
const ran = () => fs.existsSync(path.join(folder, "ran"));

test.each<[string, string, "pre_tool_call" | "post_tool_call", RegExp]>([
  ["a denial", DENY, "pre_tool_call", /^Denied by no-deploy: not from here$/mu],
  ["another tool", DENY.replace("deploy_", "other_"), "pre_tool_call", /^No rule speaks on this call\.$/mu],
  ["no rule", "", "pre_tool_call", /^No rule speaks on this call\.$/mu],
  ["rules of another event", DENY, "post_tool_call", /^No rule speaks on this call\.$/mu],
  ["a rule after the call", DENY.replace("pre_", "post_"), "post_tool_call", /^Denied by no-deploy/mu],
])("%s", async (_, text, event, says) => {
  expect(await tried(text, inert, event)).toMatch(says);
});

test("code does not run by itself", async () => {
  script();
  expect(await tried(CODE, inert)).toMatch(
    /The rules let it go on\.[\s\S]*rule_inert: .*its code was not run/u,
  );
  expect(ran()).toBe(false);
});

test("code runs where its files are those that were accepted, and only there", async () => {
  script();
  const found = await reachOfLayer(layer(CODE), { root: folder, env });
  if (found.kind !== "reach") expect.unreachable(found.kind);
  expect(await tried(CODE, { kind: "accepted", reach: "other" })).toMatch(/^Denied by program: /mu);
  expect(ran()).toBe(false);
  expect(await tried(CODE, { kind: "accepted", reach: found.reach.digest })).toMatch(
    /^Denied by program: no$/mu,
  );
  expect(ran()).toBe(true);
});

test.each<[string, readonly RegExp[]]>([
  [
    DENY,
    [
      /^Before a tool runs, where the tool's whole name matches deploy_\.\* and the argument to holds a match of prod:$/u,
      /^1\. Denies the call: “not from here”$/u,
    ],
  ],
  [
    CODE,
    [
      /^Before a tool runs, every time:$/u,
      /^1\. Runs without a shell: "node" "\.\/check\.mjs"$/u,
      /more than 20 s, a person is asked\.$/u,
    ],
  ],
  [CODE.replace("pre_", "post_"), [/^After a tool ran/u, /^1\./u, /is recorded and the call goes on/u]],
  [CODE.replace("timeout = 20", "async = true"), [/^Before/u, /^1\./u, /Nobody waits for it/u]],
])("in words: %s", (text, says) => {
  const [one] = rulesIn(hooksOf(layer(text)));
  if (one === undefined) expect.unreachable();
  const lines = ruleInWords(one.event, one.rule, untranslated);
  expect(lines).toHaveLength(says.length);
  says.forEach((pattern, index) => {
    expect(lines[index]).toMatch(pattern);
  });
});
