/** The golden folders of rules through a run: the same decisions and records as at every other door. */
import { cp, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createHooks, HookDenied, HookError, HookRun, readHookConfig, secureTools } from "../../src/library";
import { quietLog } from "../core/fixtures";
import { folderWith } from "./runs";

interface GoldenCase {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly decision: "allow" | "rewrite" | "deny" | "ask";
  readonly by: string | null;
  readonly reason?: string;
  readonly args_after?: unknown;
  readonly contexts?: readonly string[];
  readonly records: readonly unknown[];
}

const folders = resolve("test/golden/rules");
const names = await readdir(folders);

const json = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));

async function records(file: string): Promise<readonly unknown[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ event }) => event === "call")
    .map(({ event, decision, by, rewritten, findings }) => ({
      event,
      decision,
      ...(by === undefined ? {} : { by }),
      ...(rewritten === undefined ? {} : { rewritten }),
      ...(Array.isArray(findings) ? { findings: findings.map(({ code }) => code) } : {}),
    }));
}

describe.each(names)("%s", (name) => {
  test("a run of it", async () => {
    const root = await folderWith();
    await cp(join(folders, name), root, { recursive: true });
    const one = (await json(join(root, "case.json"))) as GoldenCase;
    const config = readHookConfig("gateway-hooks.toml", root);
    // At every other door consent is a person's.
    const options = { ...config.tree.chain?.options, destructive_sql: { consent: "human" } } as const;
    const guards = { chain: { ...config.tree.chain, options } };
    const auditPath = join(root, "audit.jsonl");
    let asked = 0;
    const ask = {
      available: true,
      ask: async () => {
        asked += 1;
        return { kind: "deny" } as const;
      },
    };
    const hooks = await createHooks({
      auditPath,
      roots: [root],
      env: {},
      ask,
      log: quietLog,
      config: guards,
    });
    // The file's guards are those of the hooks; the run has its rules.
    const { chain: _chain, ...rules } = config.tree;
    const run = await HookRun.fromConfig({ ...config, tree: rules }, { cwd: root, log: quietLog });
    const ran: unknown[] = [];
    const tools = { [one.tool]: (args: object) => void ran.push(args) };
    const call = run.wrap(secureTools(tools, hooks))[one.tool]?.(one.args);
    const ended = await Promise.allSettled([call]);
    await run.end("report");
    await hooks.close();

    const refused = one.decision === "deny" || one.decision === "ask";
    expect(ended[0]?.status).toBe(refused ? "rejected" : "fulfilled");
    expect(ran).toEqual(refused ? [] : [one.args_after ?? one.args]);
    if (one.contexts !== undefined) expect(JSON.stringify(ended)).toContain(one.contexts[0]);
    expect(asked).toBe(one.decision === "ask" ? 1 : 0);
    if (ended[0]?.status === "rejected") {
      const error: unknown = ended[0].reason;
      expect(error instanceof HookDenied || error instanceof HookError).toBe(true);
      if (one.reason !== undefined) expect(error).toMatchObject({ message: one.reason });
    }
    expect(await records(auditPath)).toEqual(one.records);
  });
});
