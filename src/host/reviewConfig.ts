/**
 * Asks a person to accept a changed workspace configuration. The dialog's return value is the only way to accept.
 * Reaches the editor only through what it is handed.
 */
import type { Translate } from "../core/askText";
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
  /** Milliseconds, for durations. */
  readonly monotonic: () => number;
  readonly t: Translate;
}

export interface Review {
  /** Name of the workspace folder. */
  readonly folder: string;
  readonly pending: PendingChange;
  readonly trusted: boolean;
}

/** A click this soon after the dialog appeared was meant for something else. */
const TOO_SOON_MS = 800;
const MAX_LINES = 8;
const MAX_CHARS = 600;

/** True only when the person chose Accept; closing the dialog keeps what is in force. */
export async function reviewChange(review: Review, deps: ReviewDeps): Promise<boolean> {
  const { t } = deps;
  const lines = review.pending.lines;
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
  if (!fits) {
    const showAll: ReviewItem = { title: t("Show all changes") };
    const detail = cut(lines, t).join("\n");
    const answer = await deps.show(titleOf(review, t), { modal: true, detail }, keep, showAll);
    if (answer?.title !== showAll.title) return false;
    await deps.openAll(lines);
  }
  const detail = fits
    ? plainDetail(lines, t)
    : t("All {0} changes are listed in the editor.", String(lines.length));
  return askToAccept(review, { detail, keep }, deps);
}

async function askToAccept(
  review: Review,
  { detail, keep }: { readonly detail: string; readonly keep: ReviewItem },
  deps: ReviewDeps,
): Promise<boolean> {
  const accept: ReviewItem = { title: deps.t("Accept") };
  let note = "";
  for (;;) {
    const shown = deps.monotonic();
    const text = note + detail;
    const answer = await deps.show(titleOf(review, deps.t), { modal: true, detail: text }, keep, accept);
    if (answer?.title !== accept.title) return false;
    if (deps.monotonic() - shown >= TOO_SOON_MS) return true;
    note = `${deps.t("Your click came too fast to count. Please choose again.")}\n`;
  }
}

function titleOf({ folder, pending }: Review, t: Translate): string {
  return pending.file === undefined
    ? t("{0}: the configuration file is gone. Accept that?", folder)
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
