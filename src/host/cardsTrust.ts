/**
 * The dialog about a card's hooks: all that a person trusts, "no" first, nothing agreed to unseen or by a double click. Its return
 * value is the only yes. Reaches the editor only through what it is handed.
 */

import type { Translate } from "../core/askText";
import type { TrustPrompt } from "../core/cards/trustRequest";
import { visibleLine } from "../core/visible";

export interface TrustItem {
  readonly title: string;
}

export interface CardsTrustDeps {
  /** `window.showWarningMessage` with its modal form. */
  readonly show: (
    title: string,
    options: { readonly modal: true; readonly detail: string },
    ...items: TrustItem[]
  ) => PromiseLike<TrustItem | undefined>;
  /** Shows every file as a whole; true once the person wants the question back. Rejects where a file is not what the prompt says. */
  readonly showFiles: (prompt: TrustPrompt, lines: readonly string[]) => Promise<boolean>;
  /** Bytes. */
  readonly sizeOf: (absolute: string) => Promise<number>;
  /** Whether the runtime keeps policies from files and programs. */
  readonly confined: () => Promise<boolean>;
  /** Milliseconds, for durations. */
  readonly monotonic: () => number;
  readonly t: Translate;
}

/** A click this soon after the dialog appeared was meant for something else. */
const TOO_SOON_MS = 800;
const MAX_LINES = 16;
const MAX_CHARS = 1400;

export async function confirmTrust(prompt: TrustPrompt, deps: CardsTrustDeps): Promise<boolean> {
  return prompt.to === "trust" ? askTrust(prompt, deps) : askUntrust(prompt, deps);
}

async function askTrust(prompt: TrustPrompt, deps: CardsTrustDeps): Promise<boolean> {
  const { t } = deps;
  const title = t("Trust the policies of {0} {1}?", prompt.card, prompt.version);
  const head = headLines(prompt, await deps.confined(), t);
  const files = await fileLines(prompt, deps);
  const all = [...head, ...files];
  const fits = all.length <= MAX_LINES && all.join("\n").length <= MAX_CHARS;
  const keep: TrustItem = { title: t("Do not trust") };
  const look: TrustItem = { title: t("Show the files") };
  const trust: TrustItem = { title: t("Trust") };
  const listed = t("All {0} files stand in the editor.", String(files.length));
  let seen = false;
  let note = "";
  for (;;) {
    const lines = fits
      ? all
      : seen
        ? [...head, listed]
        : [...head, t("{0} files: look at them first.", String(files.length))];
    const items = fits || seen ? [keep, look, trust] : [keep, look];
    const shown = deps.monotonic();
    const answer = await deps.show(title, { modal: true, detail: note + lines.join("\n") }, ...items);
    note = "";
    if (answer?.title === look.title) {
      if (!(await deps.showFiles(prompt, all))) return false;
      seen = true;
      continue;
    }
    if (answer?.title !== trust.title || !items.includes(trust)) return false;
    if (deps.monotonic() - shown >= TOO_SOON_MS) return true;
    note = `${t("Your click came too fast to count. Please choose again.")}\n`;
  }
}

function headLines(prompt: TrustPrompt, confined: boolean, t: Translate): readonly string[] {
  const { root, range, digest, policies, gone, unconfined } = prompt;
  const kinds = policies.map(({ name, kind }) =>
    kind === "observer"
      ? t("Policy {0}: observer, blocks nothing", name)
      : kind === "enforcement"
        ? t("Policy {0}: enforcement, can deny, ask and change calls", name)
        : t("Policy {0}: its kind cannot be told before it runs; taken for enforcement", name),
  );
  return [
    t("In {0}, versions {1}, only with exactly these files.", visibleLine(root), range),
    t("Content SHA-256 {0}", digest),
    ...kinds,
    ...(confined
      ? [t("They run in a process of their own, without files, programs or network.")]
      : [
          t("This runtime cannot keep them from your files, programs and network."),
          unconfined
            ? t(
                "With Trust they run all the same, with your rights: trust their author as you trust a program.",
              )
            : t("They stay off here until they are trusted with --unconfined."),
        ]),
    ...gone.map((path) => t("{0} is gone since it was trusted", visibleLine(path))),
  ];
}

/** One line a file: the person trusts these exact contents. */
async function fileLines({ files }: TrustPrompt, { sizeOf, t }: CardsTrustDeps): Promise<readonly string[]> {
  return Promise.all(
    files.map(async ({ path, absolute, sha256, change }) => {
      const size = String(await sizeOf(absolute));
      const mark = change === undefined ? "" : ` (${markOf(change, t)})`;
      return t("{0}{1}, {2} bytes, SHA-256 {3}…", visibleLine(path), mark, size, sha256.slice(0, 16));
    }),
  );
}

function markOf(change: NonNullable<TrustPrompt["files"][number]["change"]>, t: Translate): string {
  switch (change) {
    case "new":
      return t("new");
    case "changed":
      return t("changed");
    case "as trusted":
      return t("as trusted");
    default:
      return change satisfies never;
  }
}

async function askUntrust(prompt: TrustPrompt, deps: CardsTrustDeps): Promise<boolean> {
  const { t } = deps;
  const keep: TrustItem = { title: t("Keep trusting") };
  const end: TrustItem = { title: t("Stop trusting") };
  const detail = [
    t("In {0}", visibleLine(prompt.root)),
    ...prompt.policies.map(({ name, kind }) =>
      kind === "observer"
        ? t("{0} observes no call any more.", name)
        : t("{0} stops no call any more.", name),
    ),
  ].join("\n");
  for (let note = ""; ; note = `${t("Your click came too fast to count. Please choose again.")}\n`) {
    const shown = deps.monotonic();
    const title = t("Stop trusting the policies of {0}?", prompt.card);
    const answer = await deps.show(title, { modal: true, detail: note + detail }, keep, end);
    if (answer?.title !== end.title) return false;
    if (deps.monotonic() - shown >= TOO_SOON_MS) return true;
  }
}
