/** `countersign card source add-hook|remove-hook|doctor`: work on a card that somebody writes. Runs none of its code. */
import { relative } from "node:path";
import { messageOf } from "../core/errors";
import { applyEdit, type PlannedEdit, planAddHook, planRemoveHook } from "../node/cards/editSource";
import { diagnoseSource, issueLine } from "../node/cards/sourceDoctor";
import { sourceOf } from "./cardPlace";
import type { Io, Run } from "./io";
import { answerUsage, didYouMean, readOptions } from "./options";

const USAGE = `usage: countersign card source add-hook CARD POLICY [--dry-run] [--json] [--dir DIR]
       countersign card source remove-hook CARD POLICY [--keep-files] [--dry-run] [--json] [--dir DIR]
       countersign card source doctor CARD [--json] [--dir DIR]

  add-hook     writes hooks/POLICY/policy.ts, an observer, and names it in card.json
  remove-hook  takes it out again, with its folder
  doctor       every mistake with its place and how to mend it; nothing is run
  --dir        the card's folder; else it is looked for in, around and below this one
  --dry-run    shows the change and writes nothing
  --keep-files leaves hooks/POLICY where it is
  --json       for programs

Exit: 0 done, or nothing is wrong; 1 it is refused, or doctor found errors; 2 wrong usage.
`;

const LINE = {
  name: "card source",
  usage: USAGE,
  texts: ["dir"],
  flags: ["dry-run", "json", "keep-files"],
  words: 3,
} as const;
const VERBS = ["add-hook", "remove-hook", "doctor"];

export const runCardSource: Run = async (argv, io) => {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const [verb, card, policy] = asked.words;
  const wrong = (why: string): number => answerUsage({ kind: "wrong", why }, LINE, io);
  if (verb === undefined || !VERBS.includes(verb))
    return wrong(
      verb === undefined
        ? `name one of ${VERBS.join(", ")}`
        : `there is no "${verb}"${didYouMean(verb, VERBS)}`,
    );
  if (card === undefined) return wrong("name the card: @handle/name");
  if (verb === "doctor" ? policy !== undefined : policy === undefined)
    return wrong(verb === "doctor" ? `unexpected argument "${policy}"` : "name the policy");
  if (asked.flags.has("keep-files") && verb !== "remove-hook")
    return wrong("--keep-files belongs to remove-hook");
  if (asked.flags.has("dry-run") && verb === "doctor")
    return wrong("--dry-run belongs to add-hook and remove-hook");
  const form = asked.flags.has("json") ? "json" : "text";
  const source = await sourceOf(card, asked.values.dir, io);
  if (!source.ok) return refuse({ ok: false, code: "card.missing", why: source.why }, form, io);
  if (verb === "doctor") return doctor(source.folder, card, { form, io });
  const named = { card, policy: policy ?? "" };
  const planned =
    verb === "add-hook"
      ? await planAddHook(source.folder, named)
      : await planRemoveHook(source.folder, {
          ...named,
          files: asked.flags.has("keep-files") ? "keep" : "remove",
        });
  return change(planned, {
    folder: source.folder,
    dry: asked.flags.has("dry-run") ? "dry" : "write",
    form,
    io,
  });
};

type Form = "json" | "text";

async function change(
  planned: PlannedEdit,
  {
    folder,
    dry,
    form,
    io,
  }: { readonly folder: string; readonly dry: "dry" | "write"; readonly form: Form; readonly io: Io },
): Promise<number> {
  if (!planned.ok) return refuse(planned, form, io);
  const { creates, removes, diff } = planned.edit;
  try {
    if (dry === "write") await applyEdit(folder, planned.edit);
  } catch (error) {
    return refuse({ ok: false, code: "card.unwritable", why: messageOf(error) }, form, io);
  }
  if (form === "json") {
    await io.stdout(
      `${JSON.stringify({ ok: true, written: dry === "write", folder, creates, removes }, null, 2)}\n`,
    );
    return 0;
  }
  const said =
    dry === "dry"
      ? [...diff, ...removes.map((path) => `removes ${path}`)]
      : [
          ...creates.map((path) => `${path} is written`),
          ...removes.map((path) => `${path} is removed`),
          "card.json is changed",
        ];
  await io.stdout(`${said.join("\n")}\n`);
  return 0;
}

function refuse(refused: PlannedEdit & { readonly ok: false }, form: Form, io: Io): number {
  const { code, why } = refused;
  if (form === "json") io.stdout(`${JSON.stringify({ ok: false, code, message: why }, null, 2)}\n`);
  else io.stderr(`countersign card source: ${why}\n`);
  return 1;
}

async function doctor(
  folder: string,
  card: string,
  { form, io }: { readonly form: Form; readonly io: Io },
): Promise<number> {
  const { issues } = await diagnoseSource(folder, card);
  const bad = issues.some(({ severity }) => severity === "error");
  if (form === "json") {
    await io.stdout(`${JSON.stringify({ ok: !bad, folder, issues }, null, 2)}\n`);
    return bad ? 1 : 0;
  }
  const inside = relative(io.cwd, folder);
  const named = (file: string): string =>
    inside === "" || inside.startsWith("..") ? file : `${inside}/${file}`;
  for (const issue of issues) {
    const placed = issue.file === undefined ? issue : { ...issue, file: named(issue.file) };
    await io.stdout(`${issue.severity} ${issue.code} ${issueLine(placed)}\n`);
  }
  if (issues.length === 0) await io.stdout(`${card}: nothing is wrong\n`);
  return bad ? 1 : 0;
}
