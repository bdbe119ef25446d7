/** The policies of a workspace from the disk to the call: in force, reloaded, broken, ended. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCardConsents } from "../../../src/node/cards/cardConsents";
import { policyConsole } from "../../../src/node/policies/policyConsole";
import {
  createWorkspacePolicies,
  type WorkspacePolicies,
} from "../../../src/node/policies/workspacePolicies";
import { createTrustStore } from "../../../src/node/trustStore";
import { call, quietLog } from "../../core/fixtures";
import { cardFiles, type Folder, newFolder, put } from "../cards/cardBench";
import { NEVER } from "./rigs";
import { CARD, installedAt, installFrom, trustInstalled } from "./trustedCard";

let base: Folder;
let policies: WorkspacePolicies;
const at = (name: string): string => join(base.path, name);
const place = () => ({ root: at("workspace"), home: at("home") });
const installed = (path: string): string => installedAt(place(), path);
const consents = () => createCardConsents({ home: at("home") });

beforeEach(() => {
  base = newFolder();
  mkdirSync(at("workspace"));
  mkdirSync(at("home"), { mode: 0o700 });
  policies = createWorkspacePolicies({ log: quietLog, onConsole: () => undefined });
});
afterEach(async () => {
  await policies.close();
  base.remove();
});

async function install(files = cardFiles()): Promise<void> {
  rmSync(at("source"), { recursive: true, force: true });
  put(at("source"), files);
  await installFrom(place(), at("source"));
}

const trust = () => trustInstalled(place());

const inForcePlace = (trusted = true, cards: readonly string[] = [CARD]) => ({
  root: at("workspace"),
  dataFolder: join(at("workspace"), ".countersign"),
  trust: createTrustStore({ home: at("home"), now: Date.now }),
  consents: consents(),
  inForce: {
    policies: { cards: [...cards], exclude: [], default_timeout_ms: 25_000, strict: false },
    trusted,
  },
});
const inForce = (trusted = true, cards: readonly string[] = [CARD]) =>
  policies.of([inForcePlace(trusted, cards)]);

async function verdict(found: Awaited<ReturnType<typeof inForce>>): Promise<string> {
  const { policies: asked, broken } = found;
  if (broken.length > 0) return `broken ${broken[0]?.code}`;
  const input = { command: "rm -rf /" };
  const run = await asked?.before(call("Bash", input), input, NEVER);
  return run === undefined ? "not asked" : (run.deny?.reason ?? "passes");
}

test("inert until trusted, then in force by the same object while nothing changes", async () => {
  await install();
  expect(await verdict(await inForce())).toBe("not asked");
  expect((await inForce()).pending.map(({ name }) => name)).toEqual([`${CARD}/no-root`]);
  await trust();
  const first = await inForce();
  expect(await verdict(first)).toBe("Not the root.");
  expect((await inForce()).policies).toBe(first.policies);
});

test("in a workspace that is not trusted, or not named, no policy runs", async () => {
  await install();
  await trust();
  expect(await verdict(await inForce(false))).toBe("not asked");
  expect(await verdict(await inForce(true, []))).toBe("not asked");
  expect(await verdict(await inForce())).toBe("Not the root.");
});

test("a changed file breaks at the next call what stops calls, whatever ran before; its old bytes mend it", async () => {
  await install();
  await trust();
  expect(await verdict(await inForce())).toBe("Not the root.");
  appendFileSync(installed("hooks/no-root/policy.ts"), "\n");
  expect(await verdict(await inForce())).toBe("broken card.integrity");
  writeFileSync(installed("hooks/no-root/policy.ts"), cardFiles()["hooks/no-root/policy.ts"] ?? "");
  expect(await verdict(await inForce())).toBe("Not the root.");
});

test("trust taken back ends it at the next call", async () => {
  await install();
  await trust();
  expect(await verdict(await inForce())).toBe("Not the root.");
  await consents().save(at("workspace"), CARD, undefined);
  expect(await verdict(await inForce())).toBe("not asked");
});

test("another version that is trusted takes its place", async () => {
  await install();
  await trust();
  const before = await inForce();
  expect(await verdict(before)).toBe("Not the root.");
  const files = cardFiles();
  const text = files["hooks/no-root/policy.ts"] ?? "";
  rmSync(join(at("workspace"), "card.lock"));
  await install({ ...files, "hooks/no-root/policy.ts": text.replace("Not the root.", "Still not.") });
  await trust();
  const after = await inForce();
  expect(await verdict(after)).toBe("Still not.");
  // Calls that are under way still have theirs.
  expect(await verdict(before)).toBe("Not the root.");
});

test("calls at once open each policy once", async () => {
  await install();
  await trust();
  const found = await Promise.all(Array.from({ length: 8 }, () => inForce()));
  expect(new Set(found.map((one) => one.policies)).size).toBe(1);
});

test("what a policy prints goes to the log under its name, at its level, on one line", async () => {
  const lines: string[] = [];
  const keep = (level: string) => (text: string) => void lines.push(`${level} ${text}`);
  const log = { info: keep("info"), warn: keep("warn"), error: keep("error") };
  const printing = createWorkspacePolicies({ log, onConsole: policyConsole(log) });
  try {
    const files = cardFiles();
    const text = files["hooks/no-root/policy.ts"] ?? "";
    const prints =
      'console.warn("Observed:", String(event.input)); console.error("two\\nlines"); console.log("fine"); return';
    await install({ ...files, "hooks/no-root/policy.ts": text.replace("return", prints) });
    await trust();
    const found = await printing.of([inForcePlace()]);
    expect(await verdict(found)).toBe("Not the root.");
    const name = `${CARD}/no-root`;
    await expect
      .poll(() => lines)
      .toEqual([`warn ${name}: Observed: rm -rf /`, `error ${name}: two ⏎ lines`, `info ${name}: fine`]);
  } finally {
    await printing.close();
  }
});
