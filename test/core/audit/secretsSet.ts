/** The set that redaction is measured on: secrets and look-alikes in the places where agents put them, drawn anew from a seed. No line of it was ever a key. */
import { readFileSync } from "node:fs";
import * as fc from "fast-check";

export interface SecretRow {
  readonly name: string;
  readonly area: string;
  readonly text: string;
  /** What must not survive; empty for a look-alike. */
  readonly secrets: readonly string[];
  /** A seeded third that nobody looks at while rules change. */
  readonly heldOut: boolean;
}

const ALPHABETS: Readonly<Record<string, string>> = {
  A: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  a: "abcdefghijklmnopqrstuvwxyz0123456789",
  h: "0123456789abcdef",
  U: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  b: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  u: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  d: "0123456789",
};

type Random = () => number;

/** Mulberry32: small, and the same everywhere. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function drawn(template: string, random: Random): string {
  return template
    .replaceAll("⏎", "\n")
    .replace(/<([AahUbud])(\d{1,3})>/g, (_whole, kind: string, count: string) => {
      const alphabet = ALPHABETS[kind] ?? "";
      // Not an edge sign: a secret that ends in "-" or "_" would be cut by the row, not by us.
      const one = (): string => alphabet[Math.floor(random() * Math.min(alphabet.length, 62))] ?? "";
      const any = (): string => alphabet[Math.floor(random() * alphabet.length)] ?? "";
      const length = Number(count);
      return Array.from({ length }, (_v, i) => (i === 0 || i === length - 1 ? one() : any())).join("");
    });
}

function row(name: string, area: string, marked: string, random: Random): SecretRow {
  const secrets = [...marked.matchAll(/«([^»]*)»/g)].map((m) => m[1] ?? "");
  return { name, area, text: marked.replace(/[«»]/g, ""), secrets, heldOut: random() < 1 / 3 };
}

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

/** Rows written by hand: one a line, `area | text`. */
function written(file: string, random: Random): SecretRow[] {
  return read(file)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, index) => {
      const bar = line.indexOf(" | ");
      return row(`${file}:${index}`, line.slice(0, bar), drawn(line.slice(bar + 3), random), random);
    });
}

/** Where a drawn secret is put: most places do not name it, so that its looks alone must tell. */
const PLACES: readonly (readonly [string, string])[] = [
  ["command", "deploy --region eu «@» --dry-run"],
  ["command", "echo '«@»' | tool login --stdin"],
  ["url", "https://api.example.com/v2/items?k=«@»&page=2"],
  ["header", 'curl -H "X-Thing: «@»" https://api.example.com'],
  ["json", '{"value":"«@»","n":1}'],
  ["json", '{\\"thing\\":\\"«@»\\"}'],
  ["env", "THING=«@»"],
  ["yaml", "thing: «@»\nport: 80"],
  ["sql", "INSERT INTO t VALUES (1, '«@»')"],
  ["prompt", "Please call the service with «@», thanks."],
  ["error", "request failed (credential «@»): 401"],
  ["result", "line 1\n«@»\nline 3"],
  ["code", "const x = f(`«@»`);"],
];

function placed(shapes: Readonly<Record<string, string>>, origin: string, random: Random): SecretRow[] {
  return Object.entries(shapes).flatMap(([id, source]) => {
    const seed = Math.floor(random() * 2 ** 31);
    const texts = fc.sample(fc.noBias(fc.stringMatching(new RegExp(`^(?:${source})$`))), {
      seed,
      numRuns: 2,
    });
    return texts.map((text, nth) => {
      const [area, place] = PLACES[Math.floor(random() * PLACES.length)] ?? ["", "«@»"];
      return row(
        `${origin}:${id}:${nth}`,
        area,
        place.replace("@", () => text),
        random,
      );
    });
  });
}

/** The patterns that secretlint's recommended rules look for, as they stand in its program, where they begin with letters of their own. */
export function secretlintShapes(program: string): Record<string, string> {
  const shapes: Record<string, string> = {};
  for (const m of program.matchAll(/= \/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/gu?;/g)) {
    const source = (m[1] ?? "")
      .replace(/\(\?<?[!=](?:[^()\\]|\\.)*\)/g, "")
      .replace(/\(\?<\w+>/g, "(?:")
      .replace(/\\b/g, "")
      // A range from one up says "some"; what is drawn must be as long as the real ones.
      .replace(/\{(\d+),(\d+)\}/g, (_all, low: string, high: string) => {
        const from = low === "1" && Number(high) > 100 ? 16 : Number(low);
        return `{${from},${Math.min(Number(high), Math.max(from, 20) + 20)}}`;
      });
    const prefix =
      /^(?:\(\?:)?[A-Za-z][A-Za-z0-9]+(?:\|[A-Za-z0-9_]+)*\)?[_-]/.exec(source) ??
      /^(?:SG|hv[sbr])\\\.|^dapi/.exec(source);
    if (prefix !== null && !/:\/\/|secretlint/.test(source)) shapes[source.slice(0, 24)] = source;
  }
  return shapes;
}

const SEED = 20_260_104;

export function secretRows(secretlintProgram: string, draw = 0): SecretRow[] {
  const random = seeded(SEED + 100 * draw);
  const { shapes } = JSON.parse(read("secretsShapes.json")) as { shapes: Record<string, string> };
  return [
    ...written("secrets.txt", random),
    ...placed(shapes, "gitleaks", random),
    ...placed(secretlintShapes(secretlintProgram), "secretlint", random),
  ];
}

/** The set that was written once the rules stood. */
export function secondLook(): { readonly secrets: SecretRow[]; readonly lookAlikes: SecretRow[] } {
  const rows = written("secretsAgain.txt", seeded(SEED + 2));
  const isLookAlike = (row: SecretRow): boolean => row.area.startsWith("-");
  return { secrets: rows.filter((row) => !isLookAlike(row)), lookAlikes: rows.filter(isLookAlike) };
}

export function lookAlikeRows(draw = 0): SecretRow[] {
  return written("secretsLookalikes.txt", seeded(SEED + 1 + 100 * draw));
}

/** Whether the secret, or a run of it long enough to be of use, can still be read. */
export function survives(secret: string, output: string): boolean {
  const needle = 12;
  if (secret.length <= needle) return output.includes(secret);
  for (let i = 0; i + needle <= secret.length; i += 1) {
    const part = secret.slice(i, i + needle);
    if (!part.includes("PRIVATE KEY") && !part.includes("-----") && output.includes(part)) return true;
  }
  return false;
}
