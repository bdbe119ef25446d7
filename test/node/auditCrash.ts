/** Kills writers at random points and crowds them on one log, and says what became of every record. Used by the tests and by `scripts/auditCrash.mjs`. */
import * as fs from "node:fs";
import * as path from "node:path";
import { readRecords } from "../../src/node/auditFile";
import { fileHeadStore } from "../../src/node/auditHead";
import { verifyFile } from "../../src/node/auditVerify";
import { openAuditLog } from "../../src/node/auditWriter";
import { bundleChild, type Child, newFolder, startChild } from "./auditProcess";

export interface Told {
  readonly acknowledged: string[];
  readonly intended: string[];
}

export interface Tally {
  readonly kills: number;
  /** Kills before which the killed writer had no record acknowledged: such a kill proves nothing. */
  readonly idleKills: number;
  readonly acknowledged: number;
  readonly intended: number;
  /** Acknowledged, and not in the log. */
  readonly lost: readonly string[];
  /** Run by us, and without any record. */
  readonly unaccounted: readonly string[];
  /** Calls with two records. */
  readonly twice: readonly string[];
  readonly ok: boolean;
  readonly count: number;
  readonly damage: readonly unknown[];
  readonly torn: number;
  readonly spooled: number;
  readonly endedUnknown: number;
  /** Left beside the log after the last writer closed. */
  readonly left: number;
}

/** `lanes` writers work on one log all the time; each is killed at a random moment and replaced, until there were `rounds` kills. */
export async function crash(options: { rounds: number; lanes: number }): Promise<Tally> {
  const folder = newFolder();
  try {
    const bundle = await bundleChild(folder);
    const file = path.join(folder, "log", "audit.jsonl");
    const told: Told = { acknowledged: [], intended: [] };
    let kills = 0;
    let idleKills = 0;
    let started = 0;
    async function lane(): Promise<void> {
      while (started < options.rounds) {
        started += 1;
        const child = startChild(bundle, ["work", file, "1000000", `k${started}`]);
        await child.said("ack ");
        await somewhere(child);
        child.process.kill("SIGKILL");
        const { stderr } = await child.ended;
        if (stderr !== "") throw new Error(stderr);
        kills += 1;
        if (!tellOf(child, told)) idleKills += 1;
      }
    }
    // Somebody holds the lock now and then, so that records wait in the spool too.
    const holder = startChild(bundle, ["hold", file, "1000000", "15", "100"]);
    await Promise.all(Array.from({ length: options.lanes }, lane));
    holder.process.kill("SIGKILL");
    await holder.ended;
    return { ...(await tally(file, told)), kills, idleKills };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** After some of its records, in the middle of whatever it does then. */
async function somewhere(child: Child): Promise<void> {
  const lines = child.lines.length + Math.random() * 20;
  const end = performance.now() + 300;
  while (child.lines.length < lines && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
}

/** `processes` writers at once, each with `records` records, while another program holds the lock now and then. */
export async function crowd(options: { processes: number; records: number }): Promise<Tally> {
  const folder = newFolder();
  try {
    const bundle = await bundleChild(folder);
    const file = path.join(folder, "log", "audit.jsonl");
    const told: Told = { acknowledged: [], intended: [] };
    // From its first record on a log is known elsewhere; before that, who finds it locked is refused.
    const first = await openAuditLog({ path: file, role: "cli", version: "0.0.0", head: headsOf(file) });
    await first.append({ event: "call", call_id: "first", decision: "denied", error: null });
    await first.close();
    const children = Array.from({ length: options.processes }, (_, n) =>
      startChild(bundle, ["work", file, String(options.records), `p${n}`]),
    );
    await children[0]?.said("ack ");
    const holder = startChild(bundle, ["hold", file, "20", "20", "40"]);
    for (const child of children) {
      const { code, stderr } = await child.ended;
      if (code !== 0 || stderr !== "") throw new Error(`${code}: ${stderr}`);
      tellOf(child, told);
    }
    await holder.ended;
    return { ...(await tally(file, told)), kills: 0, idleKills: 0 };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** True when the child had a record acknowledged. */
function tellOf(child: Child, told: Told): boolean {
  const named = (what: string): string[] =>
    child.lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.split(" ")[1] ?? "");
  const acknowledged = named("ack");
  told.acknowledged.push(...acknowledged);
  told.intended.push(...named("intended"));
  return acknowledged.length > 0;
}

function headsOf(file: string): ReturnType<typeof fileHeadStore> {
  return fileHeadStore(path.join(path.dirname(path.dirname(file)), "heads"), file);
}

async function tally(file: string, told: Told): Promise<Omit<Tally, "kills" | "idleKills">> {
  const store = headsOf(file);
  // Whoever comes next mends what the dead left.
  const log = await openAuditLog({ path: file, role: "cli", version: "0.0.0", head: store });
  await log.close();
  const head = await store.load();
  const { ok, count, damage } = await verifyFile(file, head === undefined ? {} : { head });
  const seen = new Map<string, number>();
  const found = { torn: 0, spooled: 0, endedUnknown: 0 };
  for await (const { record } of readRecords(file)) {
    if (record?.event === "log.recovered") found.torn += 1;
    if (record?.call_id === undefined) continue;
    seen.set(record.call_id, (seen.get(record.call_id) ?? 0) + 1);
    const codes = (record.findings ?? []).map(({ code }) => code);
    if (codes.includes("spooled")) found.spooled += 1;
    if (codes.includes("ended_unknown")) found.endedUnknown += 1;
  }
  return {
    acknowledged: told.acknowledged.length,
    intended: told.intended.length,
    lost: told.acknowledged.filter((id) => !seen.has(id)),
    unaccounted: told.intended.filter((id) => !seen.has(id)),
    twice: [...seen].filter(([, times]) => times > 1).map(([id]) => id),
    ok,
    count,
    damage,
    ...found,
    left: ["audit.spool", "audit.intents"].flatMap((name) => listed(path.join(path.dirname(file), name)))
      .length,
  };
}

function listed(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
}
