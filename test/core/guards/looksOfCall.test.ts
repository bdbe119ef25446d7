/** The guards of one judgement share what they see of the disk; the next judgement looks for itself. */
import { expect, test } from "vitest";
import { HookChain } from "../../../src/core/chain";
import { contextOf } from "../../../src/core/evaluate";
import { looksOfCall } from "../../../src/core/guards/looksOfCall";
import type { Hook } from "../../../src/core/hook";
import { recheck } from "../../../src/core/recheck";
import type { FileSystem } from "../../../src/ports";
import { call, fakeClock, quietLog } from "../fixtures";

function watched(): { fs: FileSystem; looks: string[]; targets: Map<string, string> } {
  const looks: string[] = [];
  const targets = new Map<string, string>();
  const fs: FileSystem = {
    os: "linux",
    home: "/home/a",
    caseInsensitive: false,
    async look(path) {
      looks.push(path);
      return { kind: "there" };
    },
    async real(path) {
      looks.push(path);
      return targets.get(path) ?? path;
    },
  };
  return { fs, looks, targets };
}

test("one look for all guards of a judgement, another for the next one and for one that takes long", async () => {
  const { fs, looks } = watched();
  const clock = fakeClock();
  const of = looksOfCall(fs, clock);
  const first = call("Read", {});
  await of(first).real?.("/ws/a");
  await of(first).real?.("/ws/a");
  await of(first).look("/ws/a");
  expect(looks).toEqual(["/ws/a", "/ws/a"]);
  await of({ ...first }).real?.("/ws/a");
  expect(looks).toHaveLength(3);
  clock.advance(49);
  await of(first).real?.("/ws/a");
  expect(looks).toHaveLength(3);
  clock.advance(1);
  await of(first).real?.("/ws/a");
  expect(looks).toHaveLength(4);
});

test("after a rewrite the guards look again, although no time has passed", async () => {
  const { fs, targets } = watched();
  const clock = fakeClock();
  const of = looksOfCall(fs, clock);
  const seen: (string | undefined)[] = [];
  const guard: Hook = {
    name: "guard",
    guard: true,
    async preToolUse(ctx) {
      seen.push(await of(ctx.call).real?.("/ws/link"));
      return undefined;
    },
  };
  const chain = new HookChain({ clock, log: quietLog }, [guard]);
  const one = call("Write", { path: "/ws/link" });
  const ctx = contextOf(one);
  const first = await chain.survey(ctx, { toolName: one.toolName, args: one.input, onAsk: "collect" });
  targets.set("/ws/link", "/etc/passwd");
  await recheck(one, ctx, { chain, first });
  expect(seen).toEqual(["/ws/link", "/etc/passwd"]);
});
