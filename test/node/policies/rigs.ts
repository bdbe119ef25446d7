/** Cards on the disk, opened as the editor opens them, and one call asked of them. */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import type { Args } from "../../../src/core/call";
import type { CallPolicies, PolicySource } from "../../../src/core/policies/types";
import { openPolicies } from "../../../src/node/policies/policyHost";
import { nodeClock } from "../../../src/node/ports";
import { call, quietLog } from "../../core/fixtures";

export const NEVER = new AbortController().signal;
const folders: string[] = [];
const opened: CallPolicies[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.dispose()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cs-policies-")));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** The policies of a card: `hooks/<name>/policy.ts`, trusted as they lie there. */
export function cardOf(files: Readonly<Record<string, string>>, card = "@test/card"): PolicySource[] {
  const folder = folderOf(files);
  const hashed = Object.entries(files).map(([path, text]) => ({
    path,
    sha256: createHash("sha256").update(text).digest("hex"),
  }));
  return Object.keys(files)
    .filter((path) => path.endsWith("/policy.ts"))
    .map((path) => ({
      name: `${card}/${path.split("/").at(-2)}`,
      card,
      folder,
      entry: join(folder, path),
      files: hashed,
      digest: "d",
    }));
}

/** One policy whose `beforeToolCall` has this body. */
export function policyText(body: string, more = 'policyKind: "enforcement",'): string {
  return `import { defineToolPolicy } from "countersign/policy";
export default defineToolPolicy({
  ${more}
  async beforeToolCall(event: any): Promise<any> {
    ${body}
  },
});
`;
}

export const one = (text: string, more: Readonly<Record<string, string>> = {}): PolicySource[] =>
  cardOf({ "hooks/p/policy.ts": text, ...more });

export interface Opened {
  readonly policies: CallPolicies;
  readonly printed: string[];
  ask(input?: Args, toolName?: string): ReturnType<CallPolicies["before"]>;
}

export async function open(
  sources: readonly PolicySource[],
  options: {
    readonly defaultTimeoutMs?: number;
    readonly keep?: true;
    readonly runtime?: string;
    readonly loadLimitMs?: number;
  } = {},
): Promise<Opened> {
  const printed: string[] = [];
  const policies = await openPolicies(sources, {
    log: quietLog,
    clock: nodeClock,
    onConsole: (name, level, text) => printed.push(`${name} ${level}: ${text}`),
    ...options,
  });
  if (options.keep !== true) opened.push(policies);
  return {
    policies,
    printed,
    ask: (input = { command: "ls" }, toolName = "Bash") =>
      policies.before(call(toolName, input), input, NEVER),
  };
}

/** `deny: …`, `rewrite {…}`, `log-only` or `allow`, with what was found behind it. */
export async function said(sources: readonly PolicySource[], input?: Args): Promise<string> {
  const { ask, policies } = await open(sources);
  const run = await ask(input);
  const issues = policies.issues().map(({ code }) => code);
  const word =
    run.deny !== undefined
      ? `deny: ${run.deny.reason}`
      : run.rewritten
        ? `rewrite ${JSON.stringify(run.args)}`
        : run.logOnly
          ? "log-only"
          : "allow";
  return [word, ...run.findings.map(({ code }) => `[${code}]`), ...issues.map((code) => `{${code}}`)].join(
    " ",
  );
}

/** One card of many policies, each asked by a tool name of its own: one process for all rows. */
export function rowsCard(bodies: readonly string[], more = 'policyKind: "enforcement"'): PolicySource[] {
  const files = bodies.map((body, i) => [
    `hooks/r${i}/policy.ts`,
    policyText(body, `${more}, matcher: "t${i}",`),
  ]);
  return cardOf(Object.fromEntries(files));
}

/** Processes of policies that this one has started and that still run. */
export function running(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const isOurs = Number(parent) === process.pid && state !== "Z";
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("policyProcess");
      } catch {
        return false;
      }
    })
    .map(Number);
}
