/**
 * Asks a person to accept a changed workspace configuration. The dialog's return value is the only way to accept.
 * Reaches the editor only through what it is handed.
 */
import { dirname, relative, sep } from "node:path";
import type { Translate } from "../core/askText";
import { formatProblem } from "../core/errors";
import { visibleText } from "../core/visible";
import type { AcceptedFile } from "../node/acceptedFiles";
import { ABSENT } from "../node/handlers/fileDigest";
import type { PendingChange } from "../node/resolveWorkspace";

export interface ReviewItem {
  readonly title: string;
}

export interface ReviewDeps {
  /** `window.showWarningMessage` with its modal form. */
  readonly show: (
    title: string,
    options: { readonly modal: true; readonly detail: string },
    ...items: ReviewItem[]
  ) => PromiseLike<ReviewItem | undefined>;
  /** Opens the whole list of changes beside the dialog. */
  readonly openAll: (lines: readonly string[]) => Promise<void>;
  /** Opens what changed in the configuration and in the files that its rules reach, old beside new. */
  readonly openDiff: () => Promise<void>;
  /** Milliseconds, for durations. */
  readonly monotonic: () => number;
  readonly t: Translate;
}

export interface Review {
  /** Name of the workspace folder. */
  readonly folder: string;
  readonly pending: PendingChange;
  readonly trusted: boolean;
  /** By absolute path, what the person accepted the last time. */
  readonly accepted: ReadonlyMap<string, AcceptedFile>;
}

/** A click this soon after the dialog appeared was meant for something else. */
const TOO_SOON_MS = 800;
const MAX_LINES = 8;
const MAX_CHARS = 600;

/** True only when the person chose Accept; closing the dialog keeps what is in force. */
export async function reviewChange(review: Review, deps: ReviewDeps): Promise<boolean> {
  const { t } = deps;
  const lines = [...review.pending.lines, ...reachedLines(review, "short", t)];
  const fits = lines.length <= MAX_LINES && lines.join("\n").length <= MAX_CHARS;
  // First and no close affordance: the editor never makes such an item the default, and the default must not accept.
  const keep: ReviewItem = { title: t("Keep current") };
  if (!review.trusted) {
    const detail = [
      t("Trust this workspace first; until then only what tightens applies."),
      ...cut(lines, t),
    ];
    await deps.show(titleOf(review, t), { modal: true, detail: detail.join("\n") }, keep);
    return false;
  }
  if (review.pending.unbuilt !== undefined) {
    await deps.show(titleOf(review, t), { modal: true, detail: unbuiltDetail(review, t) }, keep);
    return false;
  }
  if (!fits) {
    const showAll: ReviewItem = { title: t("Show all changes") };
    const detail = cut(lines, t).join("\n");
    const answer = await deps.show(titleOf(review, t), { modal: true, detail }, keep, showAll);
    if (answer?.title !== showAll.title) return false;
    await deps.openAll([...review.pending.lines, ...reachedLines(review, "whole", t)]);
  }
  const detail = fits
    ? plainDetail(lines, t)
    : t("All {0} lines are listed in the editor.", String(lines.length));
  return askToAccept(review, { detail, keep }, deps);
}

async function askToAccept(
  review: Review,
  { detail, keep }: { readonly detail: string; readonly keep: ReviewItem },
  deps: ReviewDeps,
): Promise<boolean> {
  const { t } = deps;
  const accept: ReviewItem = { title: t("Accept") };
  const differences: ReviewItem = { title: t("Show differences") };
  const { text, reached } = review.pending;
  const items = text === undefined && reached === undefined ? [keep, accept] : [keep, differences, accept];
  let note = "";
  for (;;) {
    const shown = deps.monotonic();
    const options = { modal: true, detail: note + detail } as const;
    const answer = await deps.show(titleOf(review, t), options, ...items);
    if (answer?.title === differences.title) {
      await deps.openDiff();
      // The dialog would cover them: the person opens it again once they have looked.
      return false;
    }
    if (answer?.title !== accept.title) return false;
    if (deps.monotonic() - shown >= TOO_SOON_MS) return true;
    note = `${t("Your click came too fast to count. Please choose again.")}\n`;
  }
}

/** One line per local file that the rules run or load; the person trusts these exact contents. */
function reachedLines(
  { pending, accepted }: Review,
  digests: "short" | "whole",
  t: Translate,
): readonly string[] {
  const files = [...(pending.reached?.files ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  return files.map(([path, digest]) => {
    const before = accepted.get(path)?.digest;
    const mark = before === undefined ? t("new") : before === digest ? t("as accepted") : t("changed");
    const name = visibleText(shownPath(path, pending.file));
    if (digest === ABSENT) return t("Reaches {0}, which is not there ({1})", name, mark);
    const short = digests === "short" ? `${digest.slice(0, 16)}…` : digest;
    return t("Reaches {0} ({1}), SHA-256 {2}", name, mark, short);
  });
}

/** Below the configuration's folder without it. */
function shownPath(path: string, config: string | undefined): string {
  if (config === undefined) return path;
  const inside = relative(dirname(config), path);
  return inside.startsWith(`..${sep}`) || inside === ".." ? path : inside;
}

function unbuiltDetail({ pending }: Review, t: Translate): string {
  const problems = (pending.unbuilt ?? []).map((problem) => visibleText(formatProblem(problem)));
  return [t("It cannot be accepted before these are mended:"), ...cut(problems, t)].join("\n");
}

function titleOf({ folder, pending }: Review, t: Translate): string {
  if (pending.file === undefined) return t("{0}: the configuration file is gone. Accept that?", folder);
  const onlyFiles = pending.lines.length === 0 && pending.reached !== undefined;
  return onlyFiles
    ? t("{0}: accept the files that the rules run?", folder)
    : t("{0}: accept the changed configuration?", folder);
}

function plainDetail(lines: readonly string[], t: Translate): string {
  return lines.length > 0
    ? lines.join("\n")
    : t("The record of what was accepted here cannot be read. Effective settings do not change.");
}

/** As many lines as fit, then how many are left. */
function cut(lines: readonly string[], t: Translate): readonly string[] {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, MAX_LINES)) {
    const part = line.length > 200 ? `${line.slice(0, 199)}…` : line;
    length += part.length + 1;
    if (length > MAX_CHARS) break;
    shown.push(part);
  }
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, t("… and {0} more", String(left))] : shown;
}
