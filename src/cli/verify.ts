/** `countersign verify FILE`: says whether an audit log is whole, or what is wrong with it and where. Runs on Node 20, without an editor. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Anchor, headOfAnchor, parseAnchor } from "../core/audit/checkpoint";
import { parseVerifierKey } from "../core/audit/signedNote";
import type { Head, VerifyReport } from "../core/audit/verifyReport";
import { CountersignError, messageOf } from "../core/errors";
import { anchorStore, fileText } from "../node/auditCheckpointFile";
import { fileHeadStore, headFolder, parseHead } from "../node/auditHead";
import { loadPublicKey } from "../node/auditKeys";
import { hashBytes } from "../node/auditKeysEd25519";
import { type VerifyOptions, type VerifyProgress, verifyLog } from "../node/auditVerify";
import { findLog } from "../node/auditVerifyFiles";
import { type Asked, answerUsage, readOptions } from "./options";
import { describeReport } from "./verifyText";

export interface VerifyIo {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Where relative paths start; default the process's own. */
  readonly cwd?: string;
  /** Whether somebody watches standard error. */
  readonly isTerminal?: boolean;
}

const USAGE = `usage: countersign verify FILE|FOLDER [options]

Checks every record of an audit log, all its files in order.
  --vkey KEY          the log's verifier key, or a file that holds it; default: the one this machine knows
  --head FILE         compare with the newest record as remembered elsewhere
  --anchor FILE       compare with a checkpoint that was kept on another machine
  --digests           compare closed files by their digests alone where signed checkpoints
                      name them: fast, and level 1 at most; a log without closed
                      files is read whole all the same
  --from-checkpoint   read only what came after the last such pass, and remember this one
  --require-level N   exit 3 when the log is ok but level N (0 to 4) was not reached
  --json              print {ok, firstBad, count, level, damage, warnings, checkpoints}, and error where unreadable

Exit: 0 ok, 1 broken, 2 unreadable or missing, 3 level not reached.
`;

const LINE = {
  name: "verify",
  usage: USAGE,
  texts: ["vkey", "head", "anchor", "require-level"],
  flags: ["json", "digests", "from-checkpoint"],
  words: 1,
} as const;

type AskedVerify = Asked<(typeof LINE.texts)[number], (typeof LINE.flags)[number]>;

interface Arguments {
  readonly file: string;
  readonly json: boolean;
  readonly digests: boolean;
  readonly fromCheckpoint: boolean;
  readonly requiredLevel: number;
  readonly vkey?: string;
  readonly head?: string;
  readonly anchor?: string;
}

/** Where this machine keeps what it knows of logs. */
export interface VerifyFolders {
  /** Heads; default `~/.countersign/heads`. */
  readonly headFolder?: string;
  /** Public keys; default `~/.countersign/keys`. */
  readonly keyFolder?: string;
  /** How far logs were verified; default `~/.countersign/verified`. */
  readonly verifiedFolder?: string;
}

/** Exit code 0 chain ok, 1 broken, 2 unreadable, missing or wrong usage, 3 `--require-level` not reached. */
export async function runVerify(
  argv: readonly string[],
  io: VerifyIo,
  folders: VerifyFolders = {},
): Promise<number> {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const args = readArguments(asked);
  if ("why" in args) return answerUsage({ kind: "wrong", why: args.why }, LINE, io);
  try {
    const report = await verifyAsAsked(args, io, folders);
    io.stdout(args.json ? `${JSON.stringify(report)}\n` : describeReport(args.file, report));
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

async function verifyAsAsked(args: Arguments, io: VerifyIo, folders: VerifyFolders): Promise<VerifyReport> {
  const at = (file: string): string => path.resolve(io.cwd ?? process.cwd(), file);
  const file = at(args.file);
  const { log } = findLog(file);
  // A log whose active file is gone may still have its closed ones.
  mustBeReadable("audit log", fs.existsSync(log) || !isClosedBeside(log) ? file : path.dirname(log));
  const head = args.head === undefined ? await keptHead(log, folders) : readHead(at(args.head));
  if (args.anchor !== undefined) mustBeReadable("checkpoint", at(args.anchor));
  // What `audit checkpoint` on this machine keeps.
  const kept = args.head === undefined ? await keptAnchor(log, folders) : undefined;
  const known = args.fromCheckpoint
    ? (await import("../node/auditVerifyStart")).startStore(
        folders.verifiedFolder ?? ownFolder("verified"),
        log,
      )
    : undefined;
  const from = known?.load();
  const { report, position } = await verifyLog(file, {
    ...keyOf(args, { at, folders }),
    ...(head === undefined ? {} : { head }),
    ...(kept === undefined ? {} : { kept }),
    ...(args.anchor === undefined ? {} : { anchor: at(args.anchor) }),
    ...(args.digests ? { closed: "digest" } : {}),
    ...(from === undefined ? {} : { from }),
    ...(io.isTerminal === true ? { onProgress: progressLine(io) } : {}),
  });
  if (io.isTerminal === true) io.stderr("\r\u001b[K");
  if (position !== undefined) known?.save(position);
  return report;
}

function isClosedBeside(log: string): boolean {
  return findLog(log).closed.length > 0;
}

function ownFolder(name: string): string {
  return path.join(os.homedir(), ".countersign", name);
}

/** The key as text or in a file, else what this machine knows. */
function keyOf(
  { vkey }: Arguments,
  { at, folders }: { readonly at: (file: string) => string; readonly folders: VerifyFolders },
): Pick<VerifyOptions, "vkey" | "knownKey"> {
  if (vkey === undefined) {
    const folder = folders.keyFolder ?? ownFolder("keys");
    return { knownKey: (logId) => loadPublicKey(logId, folder) };
  }
  const text = fs.existsSync(at(vkey)) ? fs.readFileSync(at(vkey), "utf8").trim() : vkey;
  if (parseVerifierKey(text, hashBytes) !== undefined) return { vkey: text };
  throw new CountersignError(
    "audit.unreadable",
    `"${vkey}" is neither a verifier key nor a file that holds one.`,
    {
      hint: "It looks like countersign/log_…+1a2b3c4d+Ab…; `countersign audit key` prints it.",
    },
  );
}

const PROGRESS_MS = 100;

function progressLine(io: VerifyIo): (progress: VerifyProgress) => void {
  let shown = 0;
  return ({ done, total }) => {
    const now = performance.now();
    if (now - shown < PROGRESS_MS || total <= 0) return;
    shown = now;
    const mb = (bytes: number): string => (bytes / 1_000_000).toFixed(0);
    io.stderr(`\r\u001b[Kverifying: ${Math.floor((100 * done) / total)} % of ${mb(total)} MB`);
  };
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
function mustBeReadable(what: "audit log" | "head" | "checkpoint", file: string): void {
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

function readArguments(asked: AskedVerify): Arguments | { readonly why: string } {
  const { vkey, head, anchor, "require-level": level = "0" } = asked.values;
  const [file] = asked.words;
  if (file === undefined) return { why: "which audit log? Give FILE" };
  if (!/^[0-4]$/.test(level)) return { why: `--require-level must be 0 to 4, not "${level}"` };
  return {
    file,
    json: asked.flags.has("json"),
    digests: asked.flags.has("digests"),
    fromCheckpoint: asked.flags.has("from-checkpoint"),
    requiredLevel: Number(level),
    ...(vkey === undefined ? {} : { vkey }),
    ...(head === undefined ? {} : { head }),
    ...(anchor === undefined ? {} : { anchor }),
  };
}

function readHead(file: string): Head {
  mustBeReadable("head", file);
  const text = fs.readFileSync(file, "utf8");
  const head = parseHead(text);
  if (head !== undefined) return head;
  const anchor = parseAnchor(text);
  if (anchor === undefined)
    throw new CountersignError("audit.unreadable", `The file ${file} is not the head of a log.`);
  return headOfAnchor(anchor);
}

function keptAnchor(log: string, folders: VerifyFolders): Promise<Anchor | undefined> {
  const heads = folders.headFolder ?? ownFolder("heads");
  return anchorStore(fileText(path.join(headFolder(heads, log), "anchor"))).load();
}

/** The head that writers on this machine keep in the home folder. */
function keptHead(log: string, folders: VerifyFolders): Promise<Head | undefined> {
  return fileHeadStore(folders.headFolder ?? ownFolder("heads"), log).load();
}
