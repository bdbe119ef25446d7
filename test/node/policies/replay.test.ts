import { expect, test } from "vitest";
import type { AuditRecord } from "../../../src/core/audit/record";
import { replayPolicy } from "../../../src/node/policies/replay";
import { quietLog } from "../../core/fixtures";
import { NEVER, one, policyText } from "./rigs";

const record = (tool: string, args: AuditRecord["args"], event: AuditRecord["event"] = "call"): AuditRecord =>
  ({
    event,
    tool,
    args,
    ts: "2026-01-01T00:00:00Z",
    error: null,
    prev_hash: null,
    record_hash: "",
  }) as AuditRecord;
const bash = (command: string) => record("run_in_terminal", { command });

const BODY = `const text = String(event.input);
  if (text.includes("deny")) return { action: "deny", reason: "no " + text };
  if (text.includes("ask")) return { action: "ask", reason: "sure?" };
  if (text.includes("change")) return { action: "allow", updatedInput: { command: "ls" } };
  if (text.includes("throw")) throw new Error("oops");
  return undefined;`;
const calls = [
  bash("echo a"),
  bash("deny"),
  record("run_in_terminal", { command: "deny" }, "result"),
  bash("ask"),
  bash("change"),
  bash("throw"),
  record("create_file", { filePath: "deny" }),
];
const deps = { log: quietLog, onConsole: () => undefined, signal: NEVER };

test.each(["observer", "enforcement"])(
  "what a policy of kind %s would have said of each recorded call",
  async (kind) => {
    const [source] = one(policyText(BODY, `policyKind: "${kind}", matcher: "Bash",`));
    if (source === undefined) throw new Error("no policy");
    const { said, ...counts } = await replayPolicy(source, calls, deps);
    expect(counts).toEqual({ calls: 6, matched: 5 });
    expect(said.map(({ would, why, record: of }) => [would, why, of.args])).toEqual([
      ["deny", "no deny", { command: "deny" }],
      ["ask", "sure?", { command: "ask" }],
      ["rewrite", '{"command":"ls"}', { command: "change" }],
      ["fail", expect.stringMatching(/oops/), { command: "throw" }],
    ]);
  },
);

test("a policy that cannot be loaded is said to be broken, with its place", async () => {
  const [source] = one("export default { policyKind: ");
  if (source === undefined) throw new Error("no policy");
  const { broken, said } = await replayPolicy(source, calls, deps);
  expect(broken).toMatch(/policy\.ts/);
  expect(said).toEqual([]);
});
