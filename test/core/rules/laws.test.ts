import * as fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parseJsonText } from "../../../src/core/rules/jsonText";
import { keyPaths, keyRules, readKey } from "../../../src/core/rules/keyRules";
import { effective } from "../../../src/core/rules/layers";
import { parseConfig } from "../../../src/core/rules/parse";
import { type Config, type ConfigFile, configSchema } from "../../../src/core/rules/schema";
import { strictestOf } from "../../../src/core/rules/strict";
import { sameConfig, tightens } from "../../../src/core/rules/tightens";
import { anyLayer } from "./anyConfig";

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const accepted = (workspace: ConfigFile): Config =>
  effective({ workspace, accepted: workspace, environmentMode: "tighten" }).config;
const base = accepted({});

describe("parsing", () => {
  test("what is written as TOML or JSON is read back", () => {
    fc.assert(
      fc.property(anyLayer, (layer) => {
        for (const [text, format] of [
          [stringify(layer), "toml"],
          [JSON.stringify(layer, null, 2), "json"],
        ] as const) {
          const read = parseConfig({ text, file: "f", format });
          expect(read.ok && plain(read.value)).toEqual(plain(layer));
        }
      }),
    );
  });

  const pieces = [
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "=",
    ".",
    "\n",
    "\r\n",
    "#",
    ",",
    ":",
    "\\u",
    "chain",
    "enabled",
    "true",
    "0",
    "-",
    "\u0000",
    "\ufeff",
    "😀",
    "__proto__",
    '"""',
  ];
  const anyText = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join("")),
  );

  test("no text makes it throw, and every problem lies in the text", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom("toml" as const, "json" as const), (text, format) => {
        const read = parseConfig({ text, file: "f", format });
        if (read.ok) return;
        const lines = text.split("\n").length;
        for (const { line, column, endLine, endColumn } of read.problems) {
          expect(line >= 1 && line <= lines + 1 && column >= 1).toBe(true);
          expect((endLine ?? line) > line || (endColumn ?? column) >= column).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("text damaged by one character never throws", () => {
    fc.assert(
      fc.property(anyLayer, fc.nat(), fc.constantFrom(...pieces), (layer, at, piece) => {
        const text = stringify(layer);
        const cut = text.length === 0 ? 0 : at % text.length;
        parseConfig({ text: text.slice(0, cut) + piece + text.slice(cut + 1), file: "f", format: "toml" });
      }),
    );
  });

  test("JSON is read as the language reads it, but for keys set twice", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), anyText), (text) => {
        const read = parseJsonText(text);
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(read.ok).toBe(false);
          return;
        }
        if (!read.ok && /set twice|nested deeper/u.test(read.message)) return;
        expect(read.ok && read.value).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("layers", () => {
  test("an effective configuration is a valid one", () => {
    fc.assert(
      fc.property(anyLayer, anyLayer, (user, workspace) => {
        const { config } = effective({ user, workspace, accepted: workspace, environmentMode: "tighten" });
        expect(configSchema.safeParse(plain(config)).success).toBe(true);
      }),
    );
  });

  test("what nobody accepted only tightens", () => {
    fc.assert(
      fc.property(anyLayer, anyLayer, anyLayer, (user, workspace, environment) => {
        const before = effective({ user, environmentMode: "tighten" }).config;
        const after = effective({ user, workspace, environment, environmentMode: "tighten" }).config;
        expect(tightens(before, after).loosening).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("with everything locked, even what was accepted only tightens", () => {
    fc.assert(
      fc.property(anyLayer, anyLayer, (user, workspace) => {
        const before = effective({ user, environmentMode: "tighten" }).config;
        const input = {
          user,
          workspace,
          accepted: workspace,
          locked: ["*"],
          environmentMode: "tighten",
        } as const;
        expect(tightens(before, effective(input).config).loosening).toEqual([]);
      }),
    );
  });

  test("a workspace never changes a mapping", () => {
    fc.assert(
      fc.property(anyLayer, anyLayer, (user, workspace) => {
        const before = effective({ user, environmentMode: "tighten" }).config;
        const after = effective({ user, workspace, accepted: workspace, environmentMode: "tighten" }).config;
        for (const key of keyPaths.filter((k) => keyRules[k].kind === "mapping")) {
          expect(readKey(after, key)).toMatchObject(readKey(before, key) as object);
        }
      }),
    );
  });

  test("tightening is reflexive and transitive, and both ways only between equals of effect", () => {
    fc.assert(
      fc.property(anyLayer, anyLayer, anyLayer, (x, y, z) => {
        const [a, b, c] = [accepted(x), accepted(y), accepted(z)];
        expect(tightens(a, a).pure).toBe(true);
        if (tightens(a, b).pure && tightens(b, c).pure) expect(tightens(a, c).pure).toBe(true);
        if (tightens(a, b).pure && tightens(b, a).pure && a.chain.quota) {
          const sorted = (config: Config) => JSON.stringify(plain(config)).split("").sort().join("");
          expect(sorted(a)).toBe(sorted(b));
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("the strictest of two is no looser than either, where they can be compared", () => {
    const fixed = keyPaths.filter((key) =>
      ["fixed", "fixed-list", "mapping", "rules"].includes(keyRules[key].kind),
    );
    fc.assert(
      fc.property(anyLayer, anyLayer, (x, y) => {
        const [a, b] = [accepted(x), accepted(y)];
        const both = strictestOf(a, b);
        for (const one of [a, b]) {
          expect(tightens(one, both).loosening.filter((key) => !fixed.includes(key))).toEqual([]);
        }
        expect(sameConfig(strictestOf(base, base), base)).toBe(true);
      }),
    );
  });
});
