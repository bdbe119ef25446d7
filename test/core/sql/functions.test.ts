import { beforeAll, describe, expect, test } from "vitest";
import { type Catalogue, type CatalogueEngine, readCatalogues } from "../../../scripts/sqlFunctions.mjs";
import { classifySql } from "../../../src/core/sql/classify";
import { isDenied, KEYWORDS } from "../../../src/core/sql/functionNames";
import { judgeFunction, REVIEWED } from "../../../src/core/sql/functions";
import { CURATED } from "../../../src/core/sql/functionsCurated";
import { COMPUTING, VOLATILE } from "../../../src/core/sql/functionsData";

const ENGINES: readonly CatalogueEngine[] = ["postgres", "mysql", "sqlite", "duckdb"];
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

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
    const known = judged.filter((name) => judgeFunction(name, engine) === "computes");
    // Another version of the engine may have a few more.
    expect(known.length).toBeGreaterThan(judged.length * 0.97);
  });

  test("each reviewed name is one that an engine calls volatile", () => {
    const acting = new Set(ENGINES.flatMap((engine) => catalogues[engine].acting));
    expect([...REVIEWED].filter((name) => !acting.has(name))).toEqual([]);
  });

  test("no hand-made name is volatile in an engine", () => {
    const acting = new Set(ENGINES.flatMap((engine) => catalogues[engine].acting));
    expect(words(CURATED).filter((name) => acting.has(name) || isDenied(name))).toEqual([]);
  });
});

test.each(ENGINES)("a name that %s calls volatile acts there, whoever else has it", (engine) => {
  const own = Object.entries(VOLATILE).flatMap(([engines, names]) =>
    engines.split(" ").includes(engine) ? words(names) : [],
  );
  expect(own.filter((name) => !REVIEWED.has(name) && judgeFunction(name, engine) !== "acts")).toEqual([]);
});

test("one engine's plain words are no functions of another", () => {
  expect(judgeFunction("combine", "duckdb")).toBe("computes");
  expect(judgeFunction("combine", "postgres")).toBe("unknown");
  expect(classifySql("SELECT combine(a) FROM t", { dialect: "postgres" }).verdict).toBe("ask");
});

test("the denied names win over every list", () => {
  const names = [...Object.values(COMPUTING), CURATED].flatMap(words);
  expect(names.filter((name) => isDenied(name) && judgeFunction(name, "postgres") !== "acts")).toEqual([]);
  for (const name of ["query_to_xml", "DBLINK_EXEC", "set_config", "load_file", "Sleep"])
    expect(judgeFunction(name, "postgres")).toBe("acts");
});

test("no word that stands before a bracket is a function that acts", () => {
  expect([...KEYWORDS].filter(isDenied)).toEqual([]);
});

test("the lists stay small", () => {
  const size = [...Object.values(COMPUTING), ...Object.values(VOLATILE), CURATED].join(" ").length;
  expect(size).toBeLessThan(45 * 1024);
});
