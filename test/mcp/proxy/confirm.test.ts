import { expect, test } from "vitest";
import { createMcpDoor } from "../../../src/mcp/proxy/door";
import { nodeIds, sha256 } from "../../../src/node/ports";

function door(confirm: () => Promise<boolean>) {
  const unused = () => Promise.reject(new Error("not here"));
  const handle = createMcpDoor({
    governor: { govern: unused, finish: unused },
    claim: () => undefined,
    confirm,
    hash: sha256,
    ids: nodeIds,
    log: { info() {}, warn() {}, error() {} },
  });
  return async (
    signal = new AbortController().signal,
    payload: unknown = { kind: "confirm", title: "t", lines: [] },
  ) => {
    const request = {
      event: "pre",
      agent: "x",
      observer: "mcp-proxy",
      payload: JSON.stringify(payload),
      cwd: "/",
    } as const;
    return JSON.parse((await handle(request, { signal })).stdout);
  };
}

test("dialogs come one at a time, and who floods is refused", async () => {
  let [open, most, shown] = [0, 0, 0];
  const ask = door(async () => {
    open += 1;
    shown += 1;
    most = Math.max(most, open);
    await new Promise((next) => setTimeout(next, 5));
    open -= 1;
    return true;
  });
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
  expect([most, shown]).toEqual([1, 3]);
  expect(answers.filter(({ agreed }) => agreed)).toHaveLength(3);
  expect(await ask()).toEqual({ kind: "answer", agreed: true });
});

test("a yes that comes after the asker has gone is none", async () => {
  const gone = new AbortController();
  const ask = door(async () => {
    gone.abort();
    return true;
  });
  expect(await ask(gone.signal)).toEqual({ kind: "answer", agreed: false });
});

test.each([
  [
    {
      kind: "pre",
      session: "never announced",
      callId: "c",
      server: { name: "s" },
      call: { tool: "t", input: {}, client: "c", sighting: { state: "new" } },
    },
    /has not announced itself/,
  ],
  [{ kind: "post", session: "s", ticket: "none", ended: { result: 1 } }, /no such call/],
  [{ kind: "run" }, /cannot be read/],
  ["nonsense", /cannot be read/],
])("%j is refused", async (payload, why) => {
  await expect(door(async () => true)(undefined, payload)).rejects.toThrow(why);
});
