/** `countersign audit key|checkpoint`: what a person takes to another machine to check a log with. Never prints a private key. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { parseCheckpointFile } from "../core/audit/checkpoint";
import { formatNote } from "../core/audit/signedNote";
import { CountersignError, messageOf } from "../core/errors";
import { anchorStore, fileText } from "../node/auditCheckpointFile";
import { openSignedAuditLog } from "../node/auditCheckpointLog";
import { readRecords } from "../node/auditFile";
import { fileHeadStore, headFolder } from "../node/auditHead";
import { defaultKeyFolder, fileKeyStore, loadPublicKey, savePublicKey } from "../node/auditKeys";
import { checkpointsFile } from "../node/auditPlace";
import { closedSegments, logIdOf } from "../node/auditSegment";
import { version } from "../version";
import type { Io } from "./io";
import { answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign audit key [--file FILE]
       countersign audit checkpoint [--file FILE]

  key           print the verifier key of the log, for countersign verify --vkey
  checkpoint    sign how far the log has come and print that, for countersign verify --anchor
  --file FILE   the log; default .countersign/storage/default/audit.jsonl

On the command line the private key lies in ~/.countersign/keys, readable by whatever runs as you; a log that the
editor opened has its key in the editor's secret storage, and only the editor signs for it.

Exit: 0 printed, 1 there is no key here, 2 unreadable or wrong usage.
`;

const USUAL = ".countersign/storage/default/audit.jsonl";

const LINE = { name: "audit", usage: USAGE, texts: ["file"], words: 1 } as const;

type AuditIo = Pick<Io, "stdout" | "stderr" | "cwd">;

/** Where this machine keeps what it knows of logs. */
export interface AuditFolders {
  /** Default `~/.countersign/keys`. */
  readonly keyFolder?: string;
  /** Default `~/.countersign/heads`. */
  readonly headFolder?: string;
}

const ACTIONS = { key: printKey, checkpoint: printCheckpoint } as const;

export async function runAudit(
  argv: readonly string[],
  io: AuditIo,
  folders: AuditFolders = {},
): Promise<number> {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const [word = ""] = asked.words;
  if (word !== "key" && word !== "checkpoint") {
    return answerUsage({ kind: "wrong", why: "say key or checkpoint" }, LINE, io);
  }
  const file = path.resolve(io.cwd, asked.values.file ?? USUAL);
  try {
    if (fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new CountersignError("audit.unreadable", `${file} is a folder.`, {
        hint: `Name the log in it: --file ${path.join(asked.values.file ?? ".", "audit.jsonl")}`,
      });
    const logId = logIdOf(file);
    if (logId === undefined)
      throw new CountersignError("audit.unreadable", `There is no audit log at ${file}.`, {
        hint: "Name the log with --file FILE, or go to the folder whose .countersign holds it.",
      });
    return await ACTIONS[word]({ file, logId }, io, folders);
  } catch (error) {
    const hint = error instanceof CountersignError && error.hint !== undefined ? ` ${error.hint}` : "";
    io.stderr(`${messageOf(error)}${hint}\n`);
    return 2;
  }
}

interface Named {
  readonly file: string;
  readonly logId: string;
}

async function printKey({ file, logId }: Named, io: AuditIo, folders: AuditFolders): Promise<number> {
  const known = await loadPublicKey(logId, folders.keyFolder);
  if (known !== undefined) {
    await io.stdout(`${known}\n`);
    return 0;
  }
  const stated = await statedKey(file);
  if (stated === undefined) {
    io.stderr(
      `The log ${file} has no key: nobody has signed anything in it. \`countersign audit checkpoint\` makes one and signs.\n`,
    );
    return 1;
  }
  io.stderr("note: this machine did not open the log; the key is what the log says of itself\n");
  await io.stdout(`${stated}\n`);
  return 0;
}

/** The first key that the log names. */
async function statedKey(log: string): Promise<string | undefined> {
  for (const file of [...closedSegments(log).map((closed) => closed.file), log]) {
    for await (const { record } of readRecords(file)) {
      const vkey = record?.event === "log.open" ? record.data?.vkey : undefined;
      if (typeof vkey === "string") return vkey;
    }
  }
  return undefined;
}

async function printCheckpoint({ file, logId }: Named, io: AuditIo, folders: AuditFolders): Promise<number> {
  const keys = folders.keyFolder ?? defaultKeyFolder();
  const heads = folders.headFolder ?? path.join(os.homedir(), ".countersign", "heads");
  const own = headFolder(heads, file);
  const problems: string[] = [];
  const log = await openSignedAuditLog({
    path: file,
    role: "cli",
    version,
    head: fileHeadStore(heads, file),
    keys: fileKeyStore(keys),
    anchor: anchorStore(fileText(path.join(own, "anchor"))),
    placeFile: path.join(own, "checkpoint-place"),
    publish: (id, vkey) => savePublicKey(id, vkey, keys),
    onProblem: (problem) => problems.push(problem),
  });
  try {
    if (!(await log.holdsKey())) {
      io.stderr("The key of this log is not held here: only the editor that opened it signs for it.\n");
      return 1;
    }
    await log.append({
      event: "log.heartbeat",
      data: { asked: "countersign audit checkpoint" },
      error: null,
    });
    await log.checkpointNow();
  } finally {
    await log.close();
  }
  const { size } = log.checkpoints().last ?? {};
  const newest = parseCheckpointFile(readText(checkpointsFile(file)))
    .checkpoints.filter(({ checkpoint }) => checkpoint.logId === logId && checkpoint.size === size)
    .at(-1);
  if (newest === undefined) {
    for (const problem of problems) io.stderr(`${problem}\n`);
    return 1;
  }
  await io.stdout(formatNote(newest.note));
  return 0;
}

function readText(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}
