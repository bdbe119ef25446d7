/** A verification's result in words: what was found, what level that is, and what it does not prove. Knows nothing of files or options. */
import type { Damage, DamageKind, VerifyReport } from "../core/audit/verifyReport";

interface Level {
  readonly proves: string;
  readonly notProven: string;
}

const LEVELS: Readonly<Record<number, Level>> = {
  0: {
    proves: "a chain without numbers or strict bytes, as other writers make it",
    notProven: "respelt bytes, a cut end, or a chain that was made anew as a whole",
  },
  1: {
    proves: "every record is linked, numbered and unchanged byte for byte",
    notProven: "a cut end, or a chain that was made anew from some record on",
  },
  2: {
    proves: "as level 1, and checkpoints signed by the known key agree",
    notProven: "changes after the newest checkpoint, or an old copy put back together with its checkpoints",
  },
  3: {
    proves:
      "every record is linked, numbered and unchanged byte for byte, and the end agrees with the head kept elsewhere",
    notProven: "changes by somebody who holds the place of the head too, and the key where there is one",
  },
  4: {
    proves: "as level 3, and a checkpoint kept on another machine agrees",
    notProven: "changes after that checkpoint by somebody who also holds the key and the place of the head",
  },
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
  forked: "the log's key signed two histories; this is not the one that another checkpoint speaks of",
  rolled_back: "an old copy of the log was put back: a head or checkpoint kept elsewhere knows of more",
  missing_segment: "a whole file of the log is gone",
  unattested: "no valid signature of the log's key: another program may have written it",
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

export function describeReport(file: string, report: VerifyReport): string {
  const lines = report.ok ? describeOk(file, report) : describeBroken(file, report);
  lines.push(...report.warnings.map((warning) => `  note: ${warning}`));
  return `${lines.join("\n")}\n`;
}

function describeOk(file: string, report: VerifyReport): string[] {
  const level = LEVELS[report.level];
  return [
    `ok: ${file}: ${report.count} record(s), no tampering detected`,
    `  level ${report.level}: ${level?.proves ?? ""}`,
    `  not proven: ${level?.notProven ?? ""}; events that were never recorded`,
    ...describeSigned(report),
  ];
}

function describeSigned({ checkpoints, level }: VerifyReport): string[] {
  if (checkpoints === undefined) return ["  no signatures: the log names no key"];
  const { valid, last, pinned, vkey } = checkpoints;
  const reach = last === undefined ? "" : `, the newest over record ${last.size} of file ${last.segment}`;
  const lines = [`  ${valid} valid checkpoint(s)${reach}`];
  if (!pinned && level < 4) lines.push(`  the key is the log's own word; to rely on it: --vkey '${vkey}'`);
  return lines;
}

function describeBroken(file: string, report: VerifyReport): string[] {
  const [first] = report.damage;
  const shown = report.damage.slice(0, SHOWN).map(describeDamage);
  const more = report.damage.length - shown.length;
  return [
    `BROKEN: ${file}: first bad record at ${first?.file === undefined ? "" : `${first.file} `}line ${report.firstBad}, byte ${first?.offset ?? 0} (${report.count} line(s) read)`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
    `  What to do: ${(first === undefined ? undefined : ADVICE[first.kind]) ?? COMMON_ADVICE}`,
  ];
}

function describeDamage(damage: Damage): string {
  return `  ${damage.file === undefined ? "" : `${damage.file}: `}line ${damage.line}, byte ${damage.offset}: ${damage.kind}: ${MEANINGS[damage.kind]}`;
}
