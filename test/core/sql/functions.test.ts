import { beforeAll, describe, expect, test } from "vitest";
import { type Catalogue, type CatalogueEngine, readCatalogues } from "../../../scripts/sqlFunctions.mjs";
import { classifySql } from "../../../src/core/sql/classify";
import { isDenied, KEYWORDS } from "../../../src/core/sql/functionNames";
import { judgeFunction, REVIEWED } from "../../../src/core/sql/functions";
import { CURATED } from "../../../src/core/sql/functionsCurated";
import { COMPUTING, VOLATILE } from "../../../src/core/sql/functionsData";
import { wordsOf } from "../../../src/core/sql/wordList";

const ENGINES: readonly CatalogueEngine[] = ["postgres", "mysql", "sqlite", "duckdb"];
const HAND_MADE = Object.values(CURATED).flatMap(wordsOf);

describe("the catalogues of the running engines", () => {
  let catalogues: Readonly<Record<CatalogueEngine, Catalogue>>;
  beforeAll(async () => {
    catalogues = await readCatalogues();
  }, 90_000);

  test.each(ENGINES)("what acts in %s is never taken for computing", (engine) => {
    const { acting } = catalogues[engine];
    expect(acting.length).toBeGreaterThan(1);
    expect(
      acting.filter((name) => !REVIEWED.has(name) && judgeFunction(name, engine) === "computes"),
    ).toEqual([]);
  });

  test.each(ENGINES)("what computes in %s passes there", (engine) => {
    const { computing } = catalogues[engine];
    const judged = computing.filter((name) => !isDenied(name));
    const known = judged.filter(
      (name) => classifySql(`SELECT ${name}(a) FROM t`, { dialect: engine }).rule !== "function",
    );
    // Another version of the engine may have a few more.
    expect(known.length).toBeGreaterThan(judged.length * 0.97);
  });

  test("each reviewed name is one that an engine calls volatile", () => {
    const acting = new Set(ENGINES.flatMap((engine) => catalogues[engine].acting));
    expect([...REVIEWED].filter((name) => !acting.has(name))).toEqual([]);
  });

  test("no hand-made name is volatile in an engine", () => {
    const acting = new Set(ENGINES.flatMap((engine) => catalogues[engine].acting));
    expect(HAND_MADE.filter((name) => acting.has(name) || isDenied(name))).toEqual([]);
  });
});

test.each(ENGINES)("a name that %s calls volatile acts there, whoever else has it", (engine) => {
  const own = Object.entries(VOLATILE).flatMap(([engines, names]) =>
    engines.split(" ").includes(engine) ? wordsOf(names) : [],
  );
  expect(own.filter((name) => !REVIEWED.has(name) && judgeFunction(name, engine) !== "acts")).toEqual([]);
});

test("one engine's plain words are no functions of another", () => {
  expect(classifySql("SELECT combine(a) FROM t", { dialect: "duckdb" }).verdict).toBe("allow");
  expect(judgeFunction("combine", "postgres")).toBe("unknown");
  expect(classifySql("SELECT combine(a) FROM t", { dialect: "postgres" }).verdict).toBe("ask");
});

test("a hand-made name counts where its engine is named, and anywhere while none is", () => {
  const groups = Object.entries(CURATED).map(([engines, names]) => ({ engines: engines.split(" "), names }));
  for (const family of ["postgres", "mysql", "sqlite", "oracle"] as const) {
    const foreign = groups
      .filter(({ engines }) => engines.includes("others"))
      .flatMap(({ names }) => wordsOf(names));
    const known = foreign.filter((name) => judgeFunction(name, family) === "computes");
    // What is left is in the engine's own catalogue.
    expect(known.filter((name) => ownNames(family).has(name) === false)).toEqual([]);
    expect(foreign.filter((name) => judgeFunction(name, family, null) !== "computes")).toEqual([]);
  }
  expect(HAND_MADE.length).toBe(new Set(HAND_MADE).size);
});

function ownNames(family: string): ReadonlySet<string> {
  return new Set(
    Object.entries(COMPUTING).flatMap(([engines, names]) =>
      wordsOf(names).filter((name) => engines.split(" ").includes(family) || /[_\d]/.test(name)),
    ),
  );
}

test("the denied names win over every list", () => {
  const names = [...Object.values(COMPUTING), ...Object.values(CURATED)].flatMap(wordsOf);
  expect(names.filter((name) => isDenied(name) && judgeFunction(name, "postgres") !== "acts")).toEqual([]);
  for (const name of ["query_to_xml", "DBLINK_EXEC", "set_config", "load_file", "Sleep"])
    expect(judgeFunction(name, "postgres")).toBe("acts");
});

test("no word that stands before a bracket is a function that acts", () => {
  expect([...KEYWORDS].filter(isDenied)).toEqual([]);
});

test("a prefix in front of brackets stands before each word in them", () => {
  expect(wordsOf(" a st_(area\n  x buffer) b json_(a) c ")).toEqual(
    "a st_area st_x st_buffer b json_a c".split(" "),
  );
  expect(HAND_MADE.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
});

test("the lists stay small", () => {
  const size = [...Object.values(COMPUTING), ...Object.values(VOLATILE), ...Object.values(CURATED)].join(
    " ",
  ).length;
  expect(size).toBeLessThan(40 * 1024);
});
