/** A whole run with a secret in every place that takes text: `run|crash|locked|asked|torn FOLDER`. What it leaves on the disk is looked through by the test. */
import * as fs from "node:fs";
import * as path from "node:path";
import { redactedLog } from "../../../src/core/audit/redactedLog";
import { Deny } from "../../../src/core/decision";
import { exportRows } from "../../../src/host/panelExport";
import { fullList } from "../../../src/host/panelListFull";
import { anchorStore, fileText } from "../../../src/node/auditCheckpointFile";
import { openSignedAuditLog } from "../../../src/node/auditCheckpointLog";
import { fileHeadStore } from "../../../src/node/auditHead";
import { fileKeyStore } from "../../../src/node/auditKeys";
import { auditRows } from "../../../src/node/auditRows";
import { openAuditLog } from "../../../src/node/auditWriter";
import { createHooks } from "../../../src/node/hooks";
import { openOtlpSink } from "../../../src/node/otlp/sink";
import { askedRun } from "./secretsCanaryAsk";

/** `ghp_` and 36 letters of the place's own: what leaks tells where. */
const canary = (place: string): string => `ghp_${`${place}Canary`.padEnd(36, "Zq7")}`;
const password = (place: string): string => `Pw9${place}Canary`;

const [mode = "", folder = ""] = process.argv.slice(2);
const audit = path.join(folder, "workspace", "audit.jsonl");
const say = (text: string): void => void fs.writeSync(1, `${text}\n`);

function callOf(place: string): Record<string, unknown> {
  return {
    command: `PGPASSWORD=${password(`${place}Env`)} psql postgres://u:${password(`${place}Url`)}@h/d --token ${canary(`${place}Flag`)}`,
    headers: { Authorization: `Bearer ${canary(`${place}Header`)}` },
    [canary(`${place}Key`)]: 1,
    nested: [[{ note: `use ${canary(`${place}Nested`)} please` }]],
    password: password(`${place}Field`),
  };
}

async function run(): Promise<void> {
  const hooks = await createHooks({
    auditPath: audit,
    roots: [path.join(folder, "workspace")],
    sessionId: canary("session"),
    profile: canary("profile"),
  });
  hooks.chain.add({
    name: "guard",
    preToolUse: (_ctx: unknown, tool: string) =>
      tool === "denied"
        ? Deny(`refused ${canary("reason")}`, { details: { seen: canary("details") } } as never)
        : undefined,
  } as never);
  const more = { callId: canary("callId"), agent: canary("agent"), traceId: canary("trace") };
  const govern = (tool: string, place: string, handler: () => unknown) =>
    hooks.governor.govern(hooks.call(tool, callOf(place), more), handler as never).catch(() => undefined);
  await govern("allowed", "allowed", () => ({ text: canary("result") }));
  await govern("denied", "denied", () => "");
  await govern("broken", "broken", () => {
    throw new Error(`no such host ${canary("error")} postgres://u:${password("errorUrl")}@h/d`);
  });
  await govern(canary("tool"), "tool", () => "");
  const sql = `DROP TABLE t -- ${canary("sql")}`;
  await hooks.govern("db_query_sql", { sql }, () => "").catch(() => undefined);
  await hooks.close();
}

async function special(): Promise<void> {
  const log = await openAuditLog({ path: audit, role: "library", version: "0" });
  const sink = openOtlpSink({
    folder: path.join(folder, "home", "otlp"),
    target: {
      url: new URL("http://127.0.0.1:9/v1/logs"),
      headers: { "x-api-key": canary("otlpHeader") },
      timeoutMs: 100,
    },
    origin: { version: "0" },
    onLost: () => undefined,
    onProblem: () => undefined,
  });
  log.onAppend((record) => sink.add(record));
  await log.append({
    event: "human_choice",
    approver: canary("approver"),
    ask_id: canary("ask"),
    data: { sentence: `no, ${canary("sentence")}`, diff: [`+ url = "postgres://u:${password("diff")}@h/d"`] },
    findings: [
      {
        code: "x",
        message: canary("finding"),
        by: "g",
        severity: "info",
        details: { a: canary("findingDetail") },
      },
    ],
    trail: [{ by: "g", stage: "pre", decision: "deny", ms: 1, note: canary("trail") }],
    error: `x ${canary("errorText")}`,
  } as never);
  await sink.close(100);
  await log.close();
}

async function crash(): Promise<void> {
  const log = await openAuditLog({ path: audit, role: "library", version: "0" });
  await log.intend({
    event: "call",
    call_id: canary("intentId"),
    tool: "t",
    args: callOf("intent"),
    error: null,
  });
  say("ready");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Another process holds the lock: the record waits in the spool. */
async function locked(): Promise<void> {
  const head = fileHeadStore(path.join(folder, "home", "heads"), audit);
  const log = await openAuditLog({ path: audit, role: "library", version: "0", lockMs: 50, head });
  await log
    .append({ event: "call", call_id: canary("spoolId"), tool: "t", args: callOf("spool"), error: null })
    .catch(() => undefined);
  say("ready");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** A person is asked; the records are signed. Then the panel exports what it lists. */
async function askedAndExported(): Promise<void> {
  // The dialog's own timers keep no process alive.
  const alive = setInterval(() => undefined, 1000);
  const home = path.join(folder, "home");
  const log = await openSignedAuditLog({
    path: audit,
    role: "extension",
    version: "0",
    keys: fileKeyStore(path.join(home, "keys")),
    anchor: anchorStore(fileText(path.join(home, "anchors", "anchor"))),
    placeFile: path.join(home, "place"),
  });
  const printed = { info: say, warn: say, error: say };
  await askedRun({ store: log, log: redactedLog(printed), canary, argsOf: callOf as never });
  await log.close();
  const rows = auditRows(audit, { indexFile: path.join(home, "panel.index") });
  await rows.follow();
  const list = await fullList(
    rows,
    { filter: {}, upkeep: "shown" },
    { signal: new AbortController().signal, revealed: new Set() },
  );
  for (const format of ["json", "csv"] as const) {
    const file = path.join(home, `export.${format}`);
    const signal = new AbortController().signal;
    if (list !== null)
      await exportRows({ file, format, list, rows, at: "", signal, onProgress: () => undefined });
  }
  clearInterval(alive);
  say("ready");
}

/** The last line was cut: the next writer keeps what is left of it beside the log. */
async function torn(): Promise<void> {
  fs.truncateSync(audit, fs.statSync(audit).size - 20);
  const log = await openAuditLog({ path: audit, role: "library", version: "0" });
  await log.append({
    event: "call",
    call_id: canary("tornId"),
    tool: "t",
    args: callOf("torn"),
    error: null,
  });
  await log.close();
  say("ready");
}

const modes: Readonly<Record<string, () => Promise<void>>> = {
  run: async () => {
    await run();
    await special();
    say("ready");
  },
  crash,
  locked,
  asked: askedAndExported,
  torn,
};
await modes[mode]?.();
