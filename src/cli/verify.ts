/** `countersign verify FILE`: says whether an audit log is whole, or what is wrong with it and where. Runs on Node 20, without an editor. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { Damage, DamageKind, Head, VerifyReport } from "../core/audit/verifyReport";
import { CountersignError, messageOf } from "../core/errors";
import { verifyFile } from "../node/auditFile";
import { fileHeadStore, parseHead } from "../node/auditHead";
import { type Asked, answerUsage, readOptions } from "./options";

export interface VerifyIo {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Where relative paths start; default the process's own. */
  readonly cwd?: string;
}

const USAGE = `usage: countersign verify FILE [--json] [--head FILE] [--require-level N]

Checks every record of an audit log.
  --json              print {ok, firstBad, count, level, damage, warnings}, and error where unreadable
  --head FILE         compare with the newest record as remembered elsewhere
  --require-level N   exit 3 when the log is ok but level N (0, 1 or 3) was not reached

Exit: 0 ok, 1 broken, 2 unreadable or missing, 3 level not reached.
`;

const LINE = {
  name: "verify",
  usage: USAGE,
  texts: ["head", "require-level"],
  flags: ["json"],
  words: 1,
} as const;

interface Arguments {
  readonly file: string;
  readonly json: boolean;
  readonly headFile?: string;
  readonly requiredLevel: number;
}

/** Exit code 0 chain ok, 1 broken, 2 unreadable, missing or wrong usage, 3 `--require-level` not reached. `headFolder` is where this machine keeps the heads of its logs, default `~/.countersign/heads`. */
export async function runVerify(
  argv: readonly string[],
  io: VerifyIo,
  options: { readonly headFolder?: string } = {},
): Promise<number> {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const args = readArguments(asked);
  if ("why" in args) return answerUsage({ kind: "wrong", why: args.why }, LINE, io);
  try {
    const at = (file: string): string => path.resolve(io.cwd ?? process.cwd(), file);
    const file = at(args.file);
    mustBeReadable("audit log", file);
    const head = args.headFile === undefined ? await keptHead(file, options) : readHead(at(args.headFile));
    const report = await verifyFile(file, head === undefined ? {} : { head });
    io.stdout(args.json ? `${JSON.stringify(report)}\n` : describe(args.file, report));
    if (!report.ok) return 1;
    return report.level < args.requiredLevel ? levelMissed(report.level, args, io) : 0;
  } catch (error) {
    const hint = error instanceof CountersignError && error.hint !== undefined ? ` ${error.hint}` : "";
    const text = `${messageOf(error)}${hint}`;
    if (args.json) io.stdout(`${JSON.stringify({ ...UNREAD, error: text })}\n`);
    else io.stderr(`${text}\n`);
    return 2;
  }
}

/** For readers of the JSON, a log that could not be read has the shape of one that is not ok. */
const UNREAD: VerifyReport = { ok: false, firstBad: null, count: 0, level: 0, damage: [], warnings: [] };

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "you may not read it",
  EPERM: "you may not read it",
};

/** Asked first, because the system's own words name the path again. */
function mustBeReadable(what: "audit log" | "head", file: string): void {
  try {
    fs.accessSync(file, fs.constants.R_OK);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new CountersignError(
      "audit.unreadable",
      `The ${what} ${file} cannot be read: ${REASONS[code] ?? code}.`,
    );
  }
}

function levelMissed(reached: number, args: Arguments, io: VerifyIo): number {
  io.stderr(`Level ${args.requiredLevel} is required; the log reaches level ${reached}.\n`);
  return 3;
}

function readArguments(
  asked: Asked<(typeof LINE.texts)[number], (typeof LINE.flags)[number]>,
): Arguments | { readonly why: string } {
  const { head, "require-level": level = "0" } = asked.values;
  const [file] = asked.words;
  if (file === undefined) return { why: "which audit log? Give FILE" };
  if (!Object.hasOwn(LEVELS, level)) return { why: `--require-level must be 0, 1 or 3, not "${level}"` };
  const json = asked.flags.has("json");
  return { file, json, requiredLevel: Number(level), ...(head === undefined ? {} : { headFile: head }) };
}

function readHead(file: string): Head {
  mustBeReadable("head", file);
  const head = parseHead(fs.readFileSync(file, "utf8"));
  if (head !== undefined) return head;
  throw new CountersignError("audit.unreadable", `The file ${file} is not the head of a log.`);
}

/** The head that writers on this machine keep in the home folder. */
function keptHead(file: string, options: { readonly headFolder?: string }): Promise<Head | undefined> {
  return fileHeadStore(options.headFolder ?? path.join(os.homedir(), ".countersign", "heads"), file).load();
}

const LEVELS: Readonly<Record<number, string>> = {
  0: "level 0: a chain without numbers or strict bytes, as other writers make it",
  1: "level 1: every record is linked, numbered and unchanged byte for byte; a cut end would not show",
  3: "level 3: as level 1, and the end agrees with the head kept elsewhere",
};

const MEANINGS: Readonly<Record<DamageKind, string>> = {
  modified: "the bytes of this record were changed after it was written",
  deleted: "one or more records before this line are gone",
  inserted: "this line repeats an old record or was put in",
  reordered: "records were moved",
  rewritten: "the chain breaks here: this record or the one before it was replaced",
  respelt: "this record says the right thing in bytes that no writer of ours writes",
  foreign: "this line belongs to another log, or is no record at all",
  torn: "the last line has no end: a write was cut short",
  truncated: "records are missing from the end: a head kept elsewhere knows of more",
  unlinked: "the chain does not continue here: a record was deleted, replaced or moved",
  spool_lost: "a record that was accepted while the log was locked has vanished",
};

const ADVICE: Readonly<Partial<Record<DamageKind, string>>> = {
  torn: "If a program was killed while it wrote, open the log with Countersign: it sets the torn bytes aside and goes on.",
  truncated: "Look for a copy of the file and compare it; treat what the agents did since as unknown.",
};
const COMMON_ADVICE =
  "Keep this file as evidence, compare it with a backup, and trust no record from this line on without other proof.";

const SHOWN = 10;

function describe(file: string, report: VerifyReport): string {
  const lines = report.ok ? describeOk(file, report) : describeBroken(file, report);
  lines.push(...report.warnings.map((warning) => `  note: ${warning}`));
  return `${lines.join("\n")}\n`;
}

function describeOk(file: string, report: VerifyReport): string[] {
  return [
    `ok: ${file}: ${report.count} record(s), no tampering detected`,
    `  ${LEVELS[report.level] ?? `level ${report.level}`}`,
  ];
}

function describeBroken(file: string, report: VerifyReport): string[] {
  const [first] = report.damage;
  const shown = report.damage.slice(0, SHOWN).map(describeDamage);
  const more = report.damage.length - shown.length;
  return [
    `BROKEN: ${file}: first bad record at line ${report.firstBad}, byte ${first?.offset ?? 0} (${report.count} line(s) read)`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
    `  What to do: ${(first === undefined ? undefined : ADVICE[first.kind]) ?? COMMON_ADVICE}`,
  ];
}

function describeDamage(damage: Damage): string {
  return `  line ${damage.line}, byte ${damage.offset}: ${damage.kind}: ${MEANINGS[damage.kind]}`;
}
