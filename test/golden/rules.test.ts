import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { createHookDoor } from "../../src/agents/hookDoor";
import { createOwnTools } from "../../src/agents/ownTools";
import { canonicalName } from "../../src/agents/toolFacts";
import { judgeWith } from "../../src/cli/judging";
import { createToolCalls } from "../../src/mcp/toolCalls";
import { openMcpWorkspace } from "../../src/mcp/workspace";
import { createHooks, type Hooks } from "../../src/node/hooks";
import { createOwnToolStores } from "../../src/node/ownToolStores";
import { nodeClock, nodeIds, sha256 } from "../../src/node/ports";
import { acceptChange, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { createTrustStore } from "../../src/node/trustStore";
import type { AskRequest } from "../../src/ports";
import { quietLog } from "../core/fixtures";

const recordSchema = z.object({
  event: z.string(),
  decision: z.string(),
  by: z.string().optional(),
  rewritten: z.boolean().optional(),
  findings: z.array(z.string()).optional(),
});
const caseSchema = z.strictObject({
  tool: z.literal("db_query_sql"),
  args: z.record(z.string(), z.unknown()),
  decision: z.enum(["allow", "rewrite", "deny", "ask"]),
  by: z.string().nullable(),
  reason: z.string().optional(),
  broken: z.boolean().optional(),
  args_after: z.record(z.string(), z.unknown()).optional(),
  contexts: z.array(z.string()).optional(),
  records: z.array(recordSchema),
});
type Case = z.infer<typeof caseSchema>;

/** What every door must answer alike. */
interface Answer {
  readonly decision: Case["decision"];
  readonly by: string | null;
}

/** Where commands are found, and nothing else of this process. */
const paths = { PATH: process.env.PATH };
const folders = resolve(import.meta.dirname, "rules");
const names = await readdir(folders);
let base = "";
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "cs-rules-")));
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function placed(name: string): Promise<{ one: Case; root: string; home: string }> {
  const place = await mkdtemp(join(base, "case-"));
  const [root, home] = [join(place, "ws"), join(place, "home")];
  await cp(join(folders, name), root, { recursive: true });
  await mkdir(home);
  const one = caseSchema.parse(JSON.parse(await readFile(join(root, "case.json"), "utf8")));
  return { one, root, home };
}

interface Opened {
  readonly hooks: Hooks;
  readonly requests: AskRequest[];
  readonly denied: string[];
}

/** The library with a person who denies; consent is a person's, as at every other door. */
async function open(root: string): Promise<Opened> {
  const requests: AskRequest[] = [];
  const ask = {
    available: true,
    ask: async (request: AskRequest) => {
      requests.push(request);
      return { kind: "deny" } as const;
    },
  };
  const hooks = await createHooks({
    auditPath: join(root, "audit.jsonl"),
    roots: [root],
    config: join(root, "gateway-hooks.toml"),
    env: paths,
    ask,
    log: quietLog,
  });
  const denied: string[] = [];
  hooks.onHookDenied((event) => denied.push(event.by));
  return { hooks, requests, denied };
}

async function records(file: string): Promise<readonly unknown[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === "call")
    .map(({ event, decision, by, rewritten, findings }) => ({
      event,
      decision,
      ...(by === undefined ? {} : { by }),
      ...(rewritten === undefined ? {} : { rewritten }),
      ...(Array.isArray(findings) ? { findings: findings.map(({ code }) => code) } : {}),
    }));
}

const answerOf = ({ requests, denied }: Opened, ran: { rewritten: boolean } | undefined): Answer => {
  const [request] = requests;
  if (request !== undefined) return { decision: "ask", by: request.by[0] ?? null };
  if (ran === undefined) return { decision: "deny", by: denied[0] ?? null };
  return ran.rewritten ? { decision: "rewrite", by: null } : { decision: "allow", by: null };
};

describe.each(names)("%s", (name) => {
  test("library", async () => {
    const { one, root } = await placed(name);
    const opened = await open(root);
    let ran: unknown;
    const { outcome } = await opened.hooks.govern(one.tool, one.args, (args) => {
      ran = args;
    });
    await opened.hooks.close();
    const done = outcome.kind === "run" ? { rewritten: outcome.rewritten } : undefined;
    expect(answerOf(opened, done).decision).toBe(one.decision);
    if (one.decision !== "ask") expect(outcome).toMatchObject({ by: one.by });
    if (one.reason !== undefined) expect(outcome).toMatchObject({ reason: one.reason });
    if (one.broken === true)
      expect(outcome).toMatchObject({ broken: true, reason: expect.stringMatching(/^guard broken: /u) });
    expect(outcome.contexts).toEqual(one.contexts ?? []);
    expect(ran).toEqual(outcome.kind === "run" ? (one.args_after ?? one.args) : undefined);
    expect(await records(join(root, "audit.jsonl"))).toEqual(one.records);
  });

  test("language-model tools", async () => {
    const { one, root } = await placed(name);
    const opened = await open(root);
    const stores = createOwnToolStores();
    const workspace = {
      root,
      folder: join(root, ".countersign"),
      resolved: () => ({ config: opened.hooks.config, origins: new Map() }) as never,
    };
    const call = opened.hooks.call(one.tool, one.args);
    const own = { name: one.tool, call, signal: new AbortController().signal };
    const said = await createOwnTools(opened.hooks).run(own, stores.partsOf(workspace));
    await stores.close();
    await opened.hooks.close();
    const done = said.kind === "ok" ? { rewritten: one.args_after !== undefined } : undefined;
    expect(answerOf(opened, done).decision).toBe(one.decision);
    if (one.decision === "deny") expect(opened.denied).toEqual([one.by]);
    if (one.contexts !== undefined) expect(JSON.stringify(said)).toContain(one.contexts[0]);
    expect(await records(join(root, "audit.jsonl"))).toEqual(one.records);
  });

  test("MCP server", async () => {
    const { one, root, home } = await placed(name);
    const store = createTrustStore({ home, now: () => 0 });
    await store.writeState({ user: {}, locked: [], trusted: [root] });
    const input = { root, trusted: true, user: {}, locked: [], env: paths, store };
    const { pending } = await resolveWorkspace(input);
    if (pending !== undefined) expect(await acceptChange(input, pending)).toEqual([]);
    const workspace = await openMcpWorkspace({
      cwd: root,
      home,
      mirror: "believed",
      env: paths,
      log: quietLog,
    });
    const stores = createOwnToolStores();
    const calls = createToolCalls({ workspace: async () => workspace, stores, cwd: root });
    const run = {
      caller: { agent: "test", sessionId: "s" },
      signal: new AbortController().signal,
      notify: () => undefined,
    };
    const { content } = await calls.run({ name: one.tool, arguments: one.args }, run);
    await stores.close();
    await workspace.close();
    const said: Record<string, unknown> = JSON.parse(content[0].text);
    const refused = one.decision === "deny" || one.decision === "ask";
    expect(said).toMatchObject(refused ? { kind: "denied", by: one.by } : { kind: "ok" });
    if (one.contexts !== undefined) expect(JSON.stringify(said)).toContain(one.contexts[0]);
    // Nobody is there to be asked: a question is a denial, and there is one record of it.
    const [first] = one.records;
    const expected = one.decision === "ask" ? [{ ...first, decision: "denied" }] : one.records;
    expect(await records(join(root, ".countersign/storage/default/audit.jsonl"))).toEqual(expected);
  });

  test("hook client", async () => {
    const { one, root } = await placed(name);
    const opened = await open(root);
    const door = createHookDoor({
      governor: opened.hooks.governor,
      isOwnTool: () => false,
      canonicalName,
      profile: () => "default",
      hash: sha256,
      clock: nodeClock,
      ids: nodeIds,
      log: quietLog,
    });
    const payload = JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "s1",
      tool_name: one.tool,
      tool_input: one.args,
      tool_use_id: "call_1__vscode-1",
      cwd: root,
    });
    const request = { event: "pre", agent: "vscode", observer: "plugin", payload, cwd: root } as const;
    const { stdout } = await door(request, { signal: new AbortController().signal });
    await opened.hooks.close();
    const ran = stdout.includes('"permissionDecision":"deny"')
      ? undefined
      : { rewritten: stdout.includes("updatedInput") };
    expect(answerOf(opened, ran).decision).toBe(one.decision);
    if (one.decision === "deny") expect(opened.denied).toEqual([one.by]);
    if (one.contexts !== undefined) expect(stdout).toContain(one.contexts[0]);
    if (one.args_after !== undefined) expect(stdout).toContain(JSON.stringify(one.args_after));
    expect(await records(join(root, "audit.jsonl"))).toEqual(one.records);
  });

  test("command line", async () => {
    const { one, root } = await placed(name);
    const io = {
      stdout: () => undefined,
      stderr: () => undefined,
      lines: (async function* () {})(),
      stdin: (async function* () {})(),
      env: paths,
      cwd: root,
    };
    const judging = await judgeWith({ config: "gateway-hooks.toml", io, handlers: "run" });
    const evaluation = await judging?.evaluate({
      callId: "c",
      runId: "r",
      sessionId: "s",
      agent: "cli",
      toolName: one.tool,
      canonicalName: one.tool,
      input: one.args,
      cwd: root,
      profile: "default",
      traceId: "t",
      extra: {},
    });
    await judging?.close();
    expect(evaluation).toMatchObject({ kind: one.decision, by: one.by, contexts: one.contexts ?? [] });
    if (one.reason !== undefined) expect(evaluation?.reason).toBe(one.reason);
    expect(evaluation?.args).toEqual(
      one.decision === "deny" ? evaluation?.args : (one.args_after ?? one.args),
    );
  });
});
