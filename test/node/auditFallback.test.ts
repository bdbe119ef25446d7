import { describe, expect, test } from "vitest";
import type { AuditRecord, RecordBody } from "../../src/core/audit/record";
import { type AuditPlace, fallbackStore } from "../../src/node/auditFallback";
import { memoryAuditLog } from "../../src/node/auditMemory";
import { fakeClock, quietLog } from "../core/fixtures";

const body = (tool: string): RecordBody => ({
  event: "call",
  call_id: tool,
  tool,
  decision: "allow",
  error: null,
});

function bench() {
  const disk = { file: "ok" as "ok" | "broken", elsewhere: "ok" as "ok" | "broken" };
  const written: Record<"file" | "elsewhere", string[]> = { file: [], elsewhere: [] };
  const places: AuditPlace[] = [];
  const storeAt = (place: "file" | "elsewhere") => async () => {
    const write = async (record: RecordBody): Promise<AuditRecord> => {
      if (disk[place] === "broken") throw new Error("disk full");
      written[place].push(record.tool ?? "");
      return record as AuditRecord;
    };
    return {
      intend: async (record: RecordBody) => void (await write(record)),
      append: write,
      close: async () => undefined,
    };
  };
  const clock = fakeClock();
  const store = fallbackStore({
    file: storeAt("file"),
    elsewhere: storeAt("elsewhere"),
    memory: memoryAuditLog({ role: "extension", version: "0" }),
    clock,
    log: quietLog,
    onPlace: (place) => places.push(place),
  });
  return { store, disk, written, places, clock };
}

describe("when the log cannot be written", () => {
  test("the record goes elsewhere and is not lost", async () => {
    const { store, disk, written, places } = bench();
    await store.append(body("a"));
    disk.file = "broken";
    await store.append(body("b"));
    await store.append(body("c"));
    expect(written).toEqual({ file: ["a"], elsewhere: ["b", "c"] });
    expect([store.place(), places, store.problem()]).toEqual(["elsewhere", ["elsewhere"], "disk full"]);
  });

  test("with both gone the call at hand is refused and later records are kept in memory", async () => {
    const { store, disk } = bench();
    disk.file = "broken";
    disk.elsewhere = "broken";
    await expect(store.intend(body("a"))).rejects.toThrow(/no audit log can be written: disk full/);
    expect(store.place()).toBe("memory");
    expect(await store.append(body("b"))).toMatchObject({ tool: "b" });
  });

  test("parallel calls fall together, not one after the other into memory", async () => {
    const { store, disk, written } = bench();
    disk.file = "broken";
    await Promise.all(["a", "b", "c"].map((tool) => store.append(body(tool))));
    expect(written.elsewhere.sort()).toEqual(["a", "b", "c"]);
    expect(store.place()).toBe("elsewhere");
  });

  test("the file is tried again by itself: a disk gets room, and nobody needs to restart", async () => {
    const { store, disk, written, places, clock } = bench();
    disk.file = "broken";
    disk.elsewhere = "broken";
    await store.append(body("refused")).catch(() => undefined);
    await store.append(body("kept"));
    clock.advance(30_000);
    // Still broken: what was judged as kept in memory is kept there, not refused once more.
    await store.append(body("kept too"));
    disk.file = "ok";
    clock.advance(29_999);
    await store.append(body("not yet"));
    expect(store.place()).toBe("memory");
    clock.advance(1);
    await store.append(body("next"));
    expect(written.file).toEqual(["kept", "kept too", "not yet", "next"]);
    expect([store.place(), store.problem(), places.at(-1)]).toEqual(["file", undefined, "file"]);
  });

  test("when the file is back, what memory kept comes first", async () => {
    const { store, disk, written } = bench();
    disk.file = "broken";
    disk.elsewhere = "broken";
    await store.append(body("refused")).catch(() => undefined);
    await store.append(body("kept"));
    disk.file = "ok";
    store.retry();
    await store.append(body("next"));
    expect(written.file).toEqual(["kept", "next"]);
    expect([store.place(), store.problem()]).toEqual(["file", undefined]);
  });

  test.each(["file", "elsewhere"] as const)(
    "closing writes what memory kept, when the %s takes it",
    async (mended) => {
      const { store, disk, written } = bench();
      disk.file = "broken";
      disk.elsewhere = "broken";
      await store.append(body("refused")).catch(() => undefined);
      await store.append(body("kept"));
      disk[mended] = "ok";
      await store.close();
      expect(written).toEqual({ file: [], elsewhere: [], [mended]: ["kept"] });
    },
  );
});
