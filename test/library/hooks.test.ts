/** `createHooks`: who consents, and which dialect a limit of rows goes by. */
import { describe, expect, test } from "vitest";
import { type Ask, type AskAnswer, type CreateHooksOptions, createHooks } from "../../src/library";

type Options = Pick<CreateHooksOptions, "ask" | "config">;

async function governed(options: Options, args: Record<string, unknown>, tool = "db_query_sql") {
  const hooks = await createHooks({ env: {}, ...options });
  try {
    return await hooks.govern(tool, args, (final) => final);
  } finally {
    await hooks.close();
  }
}

const asked: string[] = [];
const answering = (answer: AskAnswer): Ask => ({
  available: true,
  ask: async ({ prompt }) => {
    asked.push(prompt);
    return answer;
  },
});
const yes = answering({ kind: "allow", scope: "once" });
const no = answering({ kind: "deny" });
const consent = (who: "args" | "human") => ({
  chain: { options: { destructive_sql: { consent: who } } },
});

const sql = "DELETE FROM never_asked";
const plain = { sql };
const confirmed = { sql, confirm_destructive: true };

describe("who consents", () => {
  test.each<[string, Options, Record<string, unknown>, string, number]>([
    ["no `ask`: held", {}, plain, "asks_user", 0],
    ["no `ask`: the argument is consent, asked before or not", {}, confirmed, "run", 0],
    ["no `ask` and `human`: denied", { config: consent("human") }, confirmed, "denied", 0],
    ["an `ask` that says yes", { ask: yes }, plain, "run", 1],
    ["an `ask` that says no, whatever the agent confirms", { ask: no }, confirmed, "denied", 1],
    ["an `ask` and `args`: as configured", { ask: no, config: consent("args") }, confirmed, "run", 0],
    ["an `ask` that nobody is at", { ask: { available: false, ask: yes.ask } }, confirmed, "denied", 0],
  ])("%s", async (_name, options, args, kind, questions) => {
    asked.length = 0;
    const { outcome, result } = await governed(options, args);
    expect(outcome.kind).toBe(kind);
    expect(asked).toHaveLength(questions);
    expect(result).toEqual(kind === "run" ? plain : undefined);
  });

  test("where nobody is, the reason says what the program can do", async () => {
    const { outcome } = await governed({ config: consent("human") }, plain);
    expect(outcome).toMatchObject({ kind: "denied", reason: expect.stringContaining("given no `ask`") });
  });
});

describe("row_limit goes by", () => {
  const limited = (more: object = {}, chain: object = {}): Options => ({
    config: { chain: { row_limit: true, ...chain }, ...more },
  });
  const all = "SELECT * FROM t";
  test.each<[string, Options, Record<string, unknown>, string, string]>([
    ["the default URL", limited(), {}, "db_query_sql", `${all} LIMIT 1000`],
    ["the URL", limited({ database: { url: "postgres://h/d" } }), {}, "db_query_sql", `${all} LIMIT 1000`],
    [
      "the configured dialect, not the default URL",
      limited({}, { options: { destructive_sql: { dialect: "tsql" } } }),
      {},
      "db_query_sql",
      "SELECT TOP (1000) * FROM t",
    ],
    [
      "the dialect of the call before the default URL",
      limited(),
      { dialect: "oracle" },
      "db_query_sql",
      `${all} FETCH FIRST 1000 ROWS ONLY`,
    ],
    [
      "nothing at a mapped tool",
      limited({}, { options: { destructive_sql: { tools: { db_query_sql: "sql", shop_ask: "sql" } } } }),
      {},
      "shop_ask",
      all,
    ],
    ["nothing where it is off", {}, {}, "db_query_sql", all],
  ])("%s", async (_name, options, more, tool, expected) => {
    const { result } = await governed(options, { sql: all, ...more }, tool);
    expect(result).toEqual({ sql: expected, ...more });
  });
});
