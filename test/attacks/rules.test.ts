/** What an agent can do to the rules of a workspace, at a door where nobody is there to be asked: nothing of it lets a call through. */
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolCalls } from "../../src/mcp/toolCalls";
import { type McpWorkspace, openMcpWorkspace } from "../../src/mcp/workspace";
import { createOwnToolStores, type OwnToolStores } from "../../src/node/ownToolStores";
import { acceptChange, resolveWorkspace } from "../../src/node/resolveWorkspace";
import { createTrustStore } from "../../src/node/trustStore";
import { quietLog } from "../core/fixtures";
import { makePlace, type Place } from "../mcp/client";

let place: Place;
let stores: OwnToolStores;
let workspace: McpWorkspace | undefined;
const env = { PATH: process.env.PATH };

beforeEach(async () => {
  place = makePlace();
  stores = createOwnToolStores();
  await storeOf().writeState({ user: {}, locked: [], trusted: [place.root] });
});
afterEach(async () => {
  await stores.close();
  await workspace?.close();
  workspace = undefined;
  place.remove();
});

const storeOf = () => createTrustStore({ home: place.home, now: () => 0 });
const config = (text: string) => writeFileSync(join(place.root, "gateway-hooks.toml"), text);
function script(text: string): void {
  writeFileSync(join(place.root, "check.sh"), `#!/bin/sh\n${text}\n`);
  chmodSync(join(place.root, "check.sh"), 0o755);
}

async function accept(): Promise<void> {
  const input = { root: place.root, trusted: true, user: {}, locked: [], env, store: storeOf() };
  const { pending } = await resolveWorkspace(input);
  if (pending === undefined) throw new Error("nothing waits");
  expect(await acceptChange(input, pending)).toEqual([]);
}

const call = (sql: string) => callTool("db_query_sql", { sql });

async function callTool(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const opened =
    workspace ??
    (await openMcpWorkspace({ cwd: place.root, home: place.home, mirror: "believed", env, log: quietLog }));
  workspace = opened;
  const calls = createToolCalls({ workspace: async () => opened, stores, cwd: place.root });
  const run = {
    caller: { agent: "test", sessionId: "s" },
    signal: new AbortController().signal,
    notify: () => undefined,
  };
  const { content } = await calls.run({ name, arguments: args }, run);
  return JSON.parse(content[0].text);
}

const gate = (more = "") =>
  `[[hooks.pre_tool_call]]\nname = "gate"\nhandlers = [{ type = "command", command = ["./check.sh"]${more} }]\n`;
const insert = "INSERT INTO t VALUES (1)";

describe("the script of an accepted rule", () => {
  beforeEach(async () => {
    script("echo closed >&2; exit 2");
    config(gate());
    await accept();
    expect(await call(insert)).toMatchObject({ kind: "denied", by: "gate", reason: "closed" });
  });

  const changes: readonly (readonly [string, () => void])[] = [
    ["edited to let everything through", () => script("exit 0")],
    ["edited by one byte", () => script("echo closed >&2; exit 2 ")],
    ["emptied", () => writeFileSync(join(place.root, "check.sh"), "")],
  ];
  test.each(changes)("%s: the call is denied, and not as a refusal of the rule", async (_what, change) => {
    change();
    const said = await call(insert);
    expect(said).toMatchObject({ kind: "denied", by: "gate" });
    expect(said.reason).toMatch(/^guard broken: /u);
  });

  test("mended, it works again", async () => {
    script("exit 0");
    await call(insert);
    script("echo closed >&2; exit 2");
    expect(await call(insert)).toMatchObject({ kind: "denied", by: "gate", reason: "closed" });
  });

  test("a rule taken out of the file stays in force", async () => {
    config("");
    expect(await call(insert)).toMatchObject({ kind: "denied", by: "gate", reason: "closed" });
  });

  test("a rule made to match nothing stays in force", async () => {
    config(gate().replace('name = "gate"', 'name = "gate"\nmatcher = "nothing"'));
    expect(await call(insert)).toMatchObject({ kind: "denied", by: "gate", reason: "closed" });
  });

  test("a rule that rewrites put ahead of it does not run", async () => {
    config(
      `[[hooks.pre_tool_call]]\nbefore = true\nhandlers = [{ type = "command", command = "echo" }]\n${gate()}`,
    );
    expect(await call(insert)).toMatchObject({ kind: "denied", by: "gate", reason: "closed" });
  });
});

describe("a file that came with the repository", () => {
  test("runs nothing, whatever it holds", async () => {
    script("touch ran");
    config(gate());
    // All but reads asks until a person has looked at the file, and nobody is here.
    expect(await call(insert)).toMatchObject({ kind: "denied", by: "unaccepted_config" });
    expect(existsSync(join(place.root, "ran"))).toBe(false);
  });
});

/** How a script is made to fail, and what stands in for its answer. */
const failures: readonly (readonly [string, string, string])[] = [
  ["it crashes", "kill -9 $$", ""],
  ["it ends in an error", "exit 1", ""],
  ["it answers half a result", `printf '{"decision": "al'`, ""],
  ["it answers something else", `printf '{"decision": "yes"}'`, ""],
  ["it is slower than it may be", "sleep 20", ", timeout = 0.3"],
  ["it floods its output", "yes | head -c 3000000", ""],
];

describe("a deny script made to fail", () => {
  test.each(failures)("%s: nobody can be asked, so the call is denied", async (_what, text, more) => {
    script(text);
    config(gate(more));
    await accept();
    const said = await call(insert);
    expect(said).toMatchObject({ kind: "denied", by: "gate" });
    expect(said.reason).toMatch(/^guard broken: the rule gate could not judge this call: /u);
  });

  test("by an input of 2 MB: it is given to the script whole, or the call is denied", async () => {
    script('[ "$(wc -c)" -gt 2000000 ] && exit 2; exit 0');
    config(gate());
    await accept();
    expect(await callTool("kb_search", { query: "short" })).toMatchObject({ kind: "ok" });
    expect(await callTool("kb_search", { query: "x".repeat(2_000_000) })).toMatchObject({
      kind: "denied",
      by: "gate",
    });
  });
});
