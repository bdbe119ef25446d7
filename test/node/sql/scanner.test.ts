import { loadModule, scanSync } from "libpg-query";
import { beforeAll, describe, expect, test } from "vitest";
import { classifySql } from "../../../src/core/sql/classify";
import { findDialect, type Profile } from "../../../src/core/sql/dialects";
import { lex } from "../../../src/core/sql/lexer";
import { ATTACKS } from "../../core/sql/attacks";
import { EVERYDAY } from "../../core/sql/everyday";
import { randomFrom, sqlText } from "../../engines/fuzzTexts.mjs";

beforeAll(() => loadModule());

/** The usual reading first, then the one of a server where a backslash escapes. */
function postgres(): readonly [Profile, ...Profile[]] {
  const [profile, ...others] = findDialect("postgres")?.readings ?? [];
  if (profile === undefined) throw new Error("no such dialect");
  return [profile, ...others];
}

/** Words outside quotes and comments, each with its place; undefined where PostgreSQL's scanner gives up. */
function scannedWords(text: string): readonly string[] | undefined {
  const bytes = Buffer.from(text);
  try {
    return scanSync(text).tokens.flatMap(({ start, end }) => {
      // The scanner counts bytes.
      const word = bytes.subarray(start, end).toString();
      const before = bytes.subarray(0, start).toString();
      // `$1_000` is a parameter and the name `_000` to PostgreSQL, one number to us: no verb begins like that.
      const isWord =
        /^[A-Za-z_\u0080-\uffff][^'"]*$/.test(word) && !(/\$\d+$/.test(before) && /^_\d/.test(word));
      return isWord ? [`${before.length} ${word.toUpperCase()}`] : [];
    });
  } catch (error) {
    // The package reads the scanner's complaint as if it were an answer. Anything else would say nothing of the text.
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

interface Reading {
  readonly missed: readonly string[];
  /** A number that stands right before `$$` is asked about, whatever follows. */
  readonly isExcused: boolean;
}

/** The first profile must see every word. */
function readBeside(
  text: string,
  scanned: readonly string[],
  [profile, ...others]: readonly [Profile, ...Profile[]],
): Reading {
  const missed = missedBy(text, scanned, profile);
  // Behind a `$` alone, which PostgreSQL's grammar does not have, E'..' is a parameter and a plain string to us. The other
  // reading, whose verdict counts as much, escapes in it.
  const [other] = others;
  if (missed.length > 0 && other !== undefined && /\$E'/i.test(text))
    return { missed: missedBy(text, missed, other), isExcused: false };
  const isGlued = /\d\$\w*\$/.test(text) && lex(text, profile).floors.includes("number and word glued");
  return { missed, isExcused: isGlued };
}

function missedBy(text: string, scanned: readonly string[], profile: Profile): readonly string[] {
  const ours = new Set(
    lex(text, profile).tokens.flatMap(({ kind, start, end }) => {
      if (kind === "word") return [`${start} ${text.slice(start, end).toUpperCase()}`];
      // What stands behind a `$` alone is a driver's parameter to us, and no more of the text with it.
      const isNamed = kind === "param" && text[start] === "$";
      return isNamed ? [`${start + 1} ${text.slice(start + 1, end).toUpperCase()}`] : [];
    }),
  );
  return scanned.filter((word) => !ours.has(word));
}

/** Pieces whose mix decides where a quote, a comment or a word ends. */
const PIECES = (
  "' '' \" \"\" ` \\ -- /* */ /*/ */* $$ $a$ $1 $é$ $ E' e' E'\\'' \\' U&' U&\" N' B' X' b'1' 1 1. .5 1e 1e5 0x1F 0b1 1_000 . .. , ; ( ) [ ] : :: = - + * / % ^ | || ! @ @> # & && ~ ? < > " +
  "DELETE drop Update truncate a b_1 _x é ß İ ſ K SELECT FROM ::int x$y$ a$ 1a UESCAPE"
).split(" ");
const BLANKS = [" ", "\n", "\r", "\t", "\f", "\v", "\r\n", "\u00a0", "\u2028", "\ufeff", ""];

function randomPieces(random: () => number): string {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? "";
  return Array.from(
    { length: 1 + Math.floor(random() * 14) },
    () => pick(PIECES) + (random() < 0.5 ? pick(BLANKS) : ""),
  ).join("");
}

const STRINGS = Number(process.env.COUNTERSIGN_STRINGS ?? 24_000);
/** Of random pieces most are not even tokens. */
const READABLE = 5_000;

describe("PostgreSQL's own scanner sees no word that our lexer misses", () => {
  test("in the rows that the rules are tested with", () => {
    const profile = postgres();
    let read = 0;
    for (const { sql } of [...ATTACKS, ...EVERYDAY]) {
      const scanned = sql.includes("\0") ? undefined : scannedWords(sql);
      if (scanned === undefined) continue;
      read++;
      const { missed, isExcused } = readBeside(sql, scanned, profile);
      if (!isExcused) expect(missed, sql).toEqual([]);
    }
    expect(read).toBeGreaterThan(400);
  });

  test.each([
    ["pieces", randomPieces],
    ["statements with attacks inside", sqlText],
  ] as const)(
    "in random %s",
    (_, make) => {
      const profile = postgres();
      const seed = Number(process.env.COUNTERSIGN_SEED ?? Date.now() % 2 ** 31);
      const random = randomFrom(seed);
      let read = 0;
      let excused = 0;
      for (let i = 0; i < STRINGS; i++) {
        const text = make(random);
        const scanned = text.includes("\0") || !text.isWellFormed() ? undefined : scannedWords(text);
        if (scanned === undefined) continue;
        read++;
        const { missed, isExcused } = readBeside(text, scanned, profile);
        if (missed.length === 0) continue;
        if (isExcused) excused++;
        else expect.fail(`seed ${seed}: ${JSON.stringify(text)} hides ${missed.join(", ")}`);
      }
      expect(read).toBeGreaterThan(READABLE);
      expect(excused).toBeLessThan(read / 100);
    },
    120_000,
  );

  test.each([
    "SELECT $1_0$$; DELETE FROM t; --$$",
    "SELECT $1.5_0$$; DELETE FROM t; --$$",
    "SELECT $E'\\''; DELETE FROM t; --'",
  ])("where PostgreSQL's versions do not agree, a person is asked: %s", (sql) =>
    expect(classifySql(sql, { dialect: "postgres" }).verdict).toBe("ask"),
  );

  test.each([
    ["dollars quote nothing", { dollar: "none" }, "SELECT $$ ' $$, a"],
    ["comments do not nest", { nestedComment: false }, "/* /* */ ' */ a"],
    ["a backslash escapes everywhere", { backslash: true }, "SELECT '\\' a '' b"],
    ["E strings have no escapes", { eString: false }, "SELECT E'\\'' a"],
    ["a carriage return does not end a comment", { returnEndsComment: false }, "-- x\r a"],
    ["back-ticks quote", { backtick: "name" }, "SELECT a ` b ` c"],
    ["# begins a comment", { hash: "comment" }, "SELECT 1 # a"],
    ["brackets quote", { bracket: "plain" }, "SELECT x[a] b"],
  ] satisfies [string, Partial<Profile>, string][])(
    "a lexer that is wrong is found out: %s",
    (_, wrong, text) => {
      const [right] = postgres();
      const scanned = scannedWords(text) ?? [];
      expect(readBeside(text, scanned, [right]).missed).toEqual([]);
      expect(readBeside(text, scanned, [{ ...right, ...wrong }]).missed).not.toEqual([]);
    },
  );
});
