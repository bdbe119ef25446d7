/** The cards of examples/policies: doctor finds nothing, and each judges real calls in the process that runs policies. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { canonicalName } from "../../src/agents/toolFacts";
import type { Args } from "../../src/core/call";
import { policyTypes } from "../../src/core/cards/authorTypes";
import type { CallPolicies, PolicyRun } from "../../src/core/policies/types";
import { writeAuthorFiles } from "../../src/node/cards/authorFiles";
import { digestOfFiles, hashesOf } from "../../src/node/cards/cardContent";
import { readSource } from "../../src/node/cards/cardSource";
import { diagnoseSource } from "../../src/node/cards/sourceDoctor";
import { openPolicies } from "../../src/node/policies/policyHost";
import { nodeClock } from "../../src/node/ports";
import { call, quietLog } from "../core/fixtures";

const FOLDER = resolve("examples/policies");
const NEVER = new AbortController().signal;
const opened = new Map<string, Promise<CallPolicies>>();
afterAll(async () => {
  for (const policies of opened.values()) await (await policies).dispose();
});

async function openCard(name: string): Promise<CallPolicies> {
  const folder = join(FOLDER, name);
  const read = await readSource(folder);
  if (read.kind !== "read") throw new Error(`${folder} cannot be read`);
  const files = hashesOf(read.files);
  const sources = files
    .filter(({ path }) => path.endsWith("/policy.ts"))
    .map(({ path }) => ({
      name: `@examples/${name}/${path.split("/").at(-2)}`,
      card: `@examples/${name}`,
      folder,
      entry: join(folder, path),
      files,
      digest: digestOfFiles(files),
    }));
  const onConsole = (): void => undefined;
  const policies = await openPolicies(sources, { log: quietLog, clock: nodeClock, onConsole });
  expect(policies.issues()).toEqual([]);
  return policies;
}

async function ask(
  card: string,
  toolName: string,
  input: Args,
  callId = "c1",
): Promise<PolicyRun | "not asked"> {
  const found = opened.get(card) ?? openCard(card);
  opened.set(card, found);
  const policies = await found;
  const canonical = canonicalName(toolName);
  if (!policies.watches("before", toolName, canonical)) return "not asked";
  return policies.before(call(toolName, input, { canonicalName: canonical, callId }), input, NEVER);
}

function said(run: PolicyRun | "not asked"): string {
  if (run === "not asked") return run;
  expect(run.findings).toEqual([]);
  if (run.deny !== undefined) return `deny: ${run.deny.reason}`;
  const [asked] = run.asks;
  if (asked !== undefined) return `ask: ${asked.reason}`;
  return run.rewritten ? `rewrite ${JSON.stringify(run.args)}` : "pass";
}

const cards = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test.each(cards)("%s is a card without mistakes, told in ten lines or so", async (name) => {
  const { issues, manifest } = await diagnoseSource(join(FOLDER, name), "");
  expect(issues).toEqual([]);
  expect(manifest?.name).toBe(`@examples/${name}`);
  const lines = readFileSync(join(FOLDER, name, "README.md"), "utf8").split("\n");
  expect(lines.length).toBeLessThan(16);
  expect(readFileSync(join(FOLDER, "README.md"), "utf8")).toContain(`(${name}/README.md)`);
});

const bash = (command: string) => ["run_in_terminal", { command }] as const;
const sql = (text: string) => ["db_query_sql", { sql: text }] as const;
/** Made of parts, so that no scanner takes a test for a leak. */
const secret = (...parts: string[]) => parts.join("");

const rows: Readonly<Record<string, readonly (readonly [readonly [string, Args], string | RegExp])[]>> = {
  "rm-rf-guard": [
    [bash("rm -rf /"), /^deny: A recursive delete of \/ is/],
    [bash("rm -rf /*"), /^deny/],
    [bash("cd x && sudo rm -r -f ~"), /^deny: A recursive delete of ~/],
    [bash("rm --recursive --force $HOME/"), /^deny/],
    [bash("/bin/rm -fR /etc"), /^deny/],
    [bash('rm -fr "/usr/"'), /^deny/],
    [bash("rm -rf ."), /^deny/],
    [bash("rm -rf node_modules"), "pass"],
    [bash("rm -rf /home/ada/shop/dist"), "pass"],
    [bash("rm -f /etc/x.conf"), "pass"],
    [bash("npm run format"), "pass"],
    [["Write", { file_path: "a.txt", content: "rm -rf /" }], "not asked"],
  ],
  "tenant-pin": [
    [["crm_search", { tenant: "acme-staging", q: "x" }], "pass"],
    [["crm_search", { tenant: "other", q: "x" }], 'rewrite {"tenant":"acme-staging","q":"x"}'],
    [["mcp__crm__find", { q: "x" }], 'rewrite {"q":"x","tenant":"acme-staging"}'],
    [["run_in_terminal", { command: "ls" }], "not asked"],
  ],
  "production-read-only": [
    [sql("SELECT * FROM orders"), "pass"],
    [["mcp__pg__query", { host: "db.prod.example.org", sql: "SELECT 1" }], "pass"],
    [["mcp__pg__query", { host: "db.prod.example.org", sql: "DELETE FROM orders" }], /^ask/],
    [["mcp__pg__query", { host: "prod", sql: "SELECT 1; DROP TABLE x" }], /^ask/],
    [["mcp__pg__query", { host: "prod", sql: "SELECT * INTO copy FROM x" }], /^ask/],
    [
      ["mcp__pg__query", { host: "prod", sql: "WITH d AS (DELETE FROM x RETURNING *) SELECT * FROM d" }],
      /^ask/,
    ],
    [bash("kubectl --context production delete pod x"), /^ask/],
    [bash("kubectl get pods -n production"), "pass"],
    [bash("kubectl get pods -n production; kubectl delete pod x -n production"), /^ask/],
    [bash("kubectl get pods -n staging && make reproduction"), "pass"],
    [["read_file", { filePath: "/srv/shop/production.md" }], "pass"],
  ],
  "secrets-in-arguments": [
    [bash("curl -H 'Authorization: x' https://example.org"), "pass"],
    [
      bash(`export KEY=${secret("AKIA", "IOSFODNN7", "ABCDEFG")}`),
      /^deny: The argument command holds a cloud access key/,
    ],
    [
      ["Write", { file_path: "k.pem", content: secret("-----BEGIN RSA ", "PRIVATE KEY-----") }],
      /^deny: The argument content holds a private key/,
    ],
    [
      ["mcp__x__post", { headers: { auth: secret("gh", "p_", "a".repeat(36)) } }],
      /^deny: The argument headers holds a token of a code host/,
    ],
    [["mcp__x__post", { text: secret("xox", "b-", "1".repeat(24)) }], /chat service/],
    [
      [
        "mcp__x__post",
        { text: secret("ey", "J", "hbGciOiJI", ".", "ey", "J", "zdWIiOiIx", ".", "abcdefghij") },
      ],
      /JSON web token/,
    ],
    [["mcp__x__post", { text: "a private key is kept in the vault" }], "pass"],
  ],
};

describe.each(Object.entries(rows))("%s", (card, list) => {
  test.each(list)("%j → %s", async ([tool, input], expected) => {
    const answer = said(await ask(card, tool, input));
    if (typeof expected === "string") expect(answer).toBe(expected);
    else expect(answer).toMatch(expected);
  });
});

test("tenant-quota: the 26th call of a session asks, a call judged twice counts once, another session begins anew", async () => {
  const count = async (id: string) => said(await ask("tenant-quota", "crm_search", { q: "x" }, id));
  for (let n = 0; n < 25; n += 1)
    expect([n, await count(`c${n}`), await count(`c${n}`)]).toEqual([n, "pass", "pass"]);
  expect(await count("c25")).toMatch(/^ask: This session has made 25 calls/);
  expect(await count("c3")).toBe("pass");
});

test("an author's editor finds no mistake in them, and knows what is not there", {
  timeout: 60_000,
}, async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cs-author-")));
  try {
    await writeAuthorFiles(folder);
    const bad = ["fetch('x')", "process.exit()", 'defineToolPolicy({ policyKind: "observe" })'];
    const text = ['import { defineToolPolicy } from "darwinian/hook-policy";', ...bad].join("\n");
    mkdirSync(join(folder, "hooks"));
    for (const name of cards)
      cpSync(join(FOLDER, name, "hooks"), join(folder, "hooks", name), { recursive: true });
    const check = () =>
      spawnSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder], {
        encoding: "utf8",
      });
    expect(check().stdout).toBe("");
    writeFileSync(join(folder, "hooks/bad.ts"), text);
    const lines = check().stdout.match(/bad\.ts\(\d+/g);
    expect(lines).toEqual(["bad.ts(2", "bad.ts(3", "bad.ts(4"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the declaration for authors is the one that policies are typed by", () => {
  const source = readFileSync("src/core/policies/define.ts", "utf8");
  const lines = source.split("\n").map((line) => line.trim());
  const declared = lines.filter((line) =>
    /^(?:readonly |\| \{|beforeToolCall|afterToolCall|export type|export interface)/.test(line),
  );
  expect(declared.length).toBeGreaterThan(15);
  for (const line of declared) expect(policyTypes).toContain(line);
});

test("every card has rows", () => {
  expect([...Object.keys(rows), "tenant-quota"].sort()).toEqual([...cards].sort());
});
