import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, test } from "vitest";
import { SECRET_CONTEXTS } from "../../../src/core/audit/secretContexts";
import { secretKeys } from "../../../src/core/audit/secretKeys";
import { SECRET_SHAPES } from "../../../src/core/audit/secretShapes";
import { SPOKEN_SECRETS } from "../../../src/core/audit/secretSpoken";
import { redactText } from "../../../src/core/audit/secretText";
import { lookAlikeRows, type SecretRow, secondLook, secretRows, survives } from "./secretsSet";

const names = secretKeys();
const clean = (text: string): string => redactText(text, names).text;
const preset = createRequire(import.meta.url).resolve("@secretlint/secretlint-rule-preset-recommend");
const program = readFileSync(preset, "utf8");

const missed = (rows: readonly SecretRow[], redact: (text: string) => string): SecretRow[] =>
  rows.filter((row) => row.secrets.some((secret) => survives(secret, redact(row.text))));
const changed = (rows: readonly SecretRow[], redact: (text: string) => string): SecretRow[] =>
  rows.filter((row) => redact(row.text) !== row.text);
const names_ = (rows: readonly SecretRow[]): string[] => rows.map((row) => `${row.name} ${row.text}`);

const secrets = secretRows(program);
const lookAlikes = lookAlikeRows();
const second = secondLook();

describe("the set", () => {
  test("is as large as promised, and half of its shapes are other people's", () => {
    const shapes = new Set(secrets.map((row) => row.name.replace(/:\d$/, "")));
    const others = [...shapes].filter((name) => !name.startsWith("secrets.txt"));
    expect(secrets.length).toBeGreaterThan(300);
    expect(lookAlikes.length).toBeGreaterThanOrEqual(200);
    expect(others.length / SECRET_SHAPES.length).toBeGreaterThan(1);
    expect(secrets.every((row) => row.secrets.length > 0 && row.secrets.every((one) => one !== ""))).toBe(
      true,
    );
  });

  test("half of the drawn shapes come from secretlint and gitleaks", () => {
    const drawn = secrets.filter((row) => !row.name.startsWith("secrets.txt"));
    expect(drawn.length / secrets.length).toBeGreaterThanOrEqual(0.5);
    expect(drawn.filter((row) => row.name.startsWith("secretlint")).length).toBeGreaterThanOrEqual(40);
  });
});

describe.each([
  ["worked on", false],
  ["held out", true],
] as const)("%s", (_name, heldOut) => {
  const ours = secrets.filter((row) => row.heldOut === heldOut);
  const others = lookAlikes.filter((row) => row.heldOut === heldOut);

  test("no secret survives", () => {
    expect(names_(missed(ours, clean))).toEqual([]);
  });
  test("at most 3 % of the look-alikes are touched", () => {
    const touched = changed(others, clean);
    expect(touched.length / others.length, names_(touched).join("\n")).toBeLessThanOrEqual(0.03);
  });
});

describe("written once the rules stood", () => {
  test("no secret survives", () => {
    expect(names_(missed(second.secrets, clean))).toEqual([]);
  });
  test("no look-alike is touched", () => {
    expect(names_(changed(second.lookAlikes, clean))).toEqual([]);
  });
});

describe("with other letters", () => {
  // A rule that fits one draw by luck fails another.
  test.each([1, 2, 3, 4])("draw %i", (seed) => {
    const rows = secretRows(program, seed);
    expect(names_(missed(rows, clean))).toEqual([]);
    const alike = lookAlikeRows(seed);
    expect(changed(alike, clean).length / alike.length).toBeLessThanOrEqual(0.03);
  });
});

test("redacting the whole set twice is redacting it once", () => {
  const all = [...secrets, ...lookAlikes, ...second.secrets, ...second.lookAlikes];
  for (const { text } of all) expect(clean(clean(text))).toBe(clean(text));
});

describe("beside secretlint's recommended rules", () => {
  /** Each found range replaced, as we replace ours. */
  const theirs = async (text: string): Promise<string> => {
    const result = await lintSource({
      source: { filePath: "text.txt", content: text, contentType: "text", ext: ".txt" },
      options: { config: { rules: [{ id: creator.meta.id, rule: creator, options: {} }] } },
    });
    let out = text;
    for (const { range } of [...result.messages].sort((a, b) => b.range[0] - a.range[0]))
      out = `${out.slice(0, range[0])}[X]${out.slice(range[1])}`;
    return out;
  };
  const found = async (rows: readonly SecretRow[]): Promise<Map<string, string>> => {
    const out = new Map<string, string>();
    for (const { text } of rows) out.set(text, await theirs(text));
    return out;
  };

  test("ours misses less", { timeout: 120_000 }, async () => {
    const map = await found([...secrets, ...lookAlikes]);
    const of = (text: string): string => map.get(text) ?? text;
    const [theirMisses, theirAlarms] = [missed(secrets, of).length, changed(lookAlikes, of).length];
    const [ourMisses, ourAlarms] = [missed(secrets, clean).length, changed(lookAlikes, clean).length];
    console.log(
      `secretlint: recall ${(100 - (100 * theirMisses) / secrets.length).toFixed(1)} %, false positives ${((100 * theirAlarms) / lookAlikes.length).toFixed(1)} %; ours: recall ${(100 - (100 * ourMisses) / secrets.length).toFixed(1)} %, false positives ${((100 * ourAlarms) / lookAlikes.length).toFixed(1)} %`,
    );
    expect(ourMisses).toBeLessThan(theirMisses);
    // Otherwise the rules did not run, and the comparison says nothing.
    expect(theirMisses).toBeLessThan(secrets.length);
  });
});

/** What an attacker would repeat to make this pattern slow: its own beginning. */
function beginnings(pattern: RegExp): string[] {
  const plain = pattern.source.replace(/\(\?<?[!=][^()]*(?:\([^()]*\)[^()]*)*\)/g, "");
  const word = plain.match(/[A-Za-z0-9_.:/~-]{2,}/g) ?? [];
  return [...new Set(word.slice(0, 4))].filter((part) => !/^\d+$/.test(part));
}

describe("every rule is linear in what the agent writes", () => {
  const rules = [
    ...SECRET_SHAPES.map(({ type, pattern, gate }) => ({ type, pattern, gate })),
    ...[...SECRET_CONTEXTS, ...SPOKEN_SECRETS].map(({ type, pattern, gate }) => ({ type, pattern, gate })),
  ];
  const time = (pattern: RegExp, text: string, rounds: number): number => {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 2; i += 1) {
      const started = process.threadCpuUsage();
      for (let n = 0; n < rounds; n += 1) {
        if (!pattern.global) pattern.test(text);
        else for (const _m of text.matchAll(pattern)) void _m;
      }
      best = Math.min(best, process.threadCpuUsage(started).user / 1000);
    }
    return best;
  };

  test.each(rules.map((rule, index) => [index, rule.type, rule] as const))("%i %s", (_i, _type, rule) => {
    for (const unit of [...beginnings(rule.gate), ...beginnings(rule.pattern)]) {
      for (const repeated of [unit, `${unit} `, `${unit}a1`]) {
        const whole = repeated.repeat(Math.ceil(65_536 / repeated.length));
        const cost = (size: number, rounds: number): number =>
          Math.max(...[rule.gate, rule.pattern].map((one) => time(one, whole.slice(0, size), rounds)));
        const small = cost(8192, 8);
        const large = cost(65_536, 1);
        // The same amount of text: linear is 1, quadratic is 8. Short times are noise.
        expect(large < 20 || large / small < 3, `${JSON.stringify(repeated)}: ${small} ms, ${large} ms`).toBe(
          true,
        );
      }
    }
  });
});
