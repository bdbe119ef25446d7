/**
 * The native dialog behind the `Ask` port: Deny first, closing denies, nothing allowed unseen or by a double click.
 * Knows nothing of how questions are judged, and reaches VS Code only through what it is handed.
 */
import { type AskText, askText, type Translate } from "../core/askText";
import type { Ask, AskAnswer, AskRequest, Clock, Log } from "../ports";
import { askQueue, type Turn } from "./askQueue";

/** `window.showWarningMessage` with its modal form. */
export type ShowModal = (
  title: string,
  options: { readonly modal: true; readonly detail: string },
  ...buttons: string[]
) => PromiseLike<string | undefined>;

/** What stands behind "More…"; undefined = the person went back. */
export type MoreAnswer =
  | { readonly kind: "sentence"; readonly sentence: string }
  | { readonly kind: "pause" }
  | undefined;

export interface AskModalOptions {
  readonly show: ShowModal;
  readonly more: (request: AskRequest, signal: AbortSignal) => Promise<MoreAnswer>;
  /** Shows the exact arguments; resolves when the person wants to answer. `signal` ends it. */
  readonly openDetails: (request: AskRequest, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly t: Translate;
  /** The person's time in milliseconds, default 5 minutes. */
  readonly timeoutMs?: number;
  readonly onWaiting?: (count: number) => void;
  readonly onLate?: (request: AskRequest, answer: AskAnswer) => void;
}

/** A click this soon after the dialog appeared was meant for something else. */
export const TOO_SOON_MS = 800;
export const GAP_MS = 1000;
export const PER_SESSION = 3;
export const PERSON_MS = 5 * 60_000;

type Choice = "deny" | "once" | "session" | "details" | "more";

interface Button {
  readonly choice: Choice;
  readonly label: string;
}

/** The buttons in order; the first one is the default, so it denies. */
function buttonsFor(
  request: AskRequest,
  { cut, seen, t }: { cut: boolean; seen: boolean; t: Translate },
): Button[] {
  const deny: Button = { choice: "deny", label: t("Deny") };
  const details: Button = { choice: "details", label: t("Show details") };
  if (cut && !seen) return [deny, details];
  const session: Button[] =
    request.sessionScope === undefined ? [] : [{ choice: "session", label: t("Allow in this session") }];
  return [
    deny,
    { choice: "once", label: t("Allow once") },
    ...session,
    details,
    { choice: "more", label: t("More…") },
  ];
}

function detailOf(text: AskText, { seen, soon, t }: { seen: boolean; soon: boolean; t: Translate }): string {
  const notes = [
    soon ? t("Your click came too fast to count. Please choose again.") : null,
    text.cut && seen ? t("You opened the details of this call; answer for all that they show.") : null,
  ].filter((note) => note !== null);
  const detail = text.cut && seen ? text.detail.slice(0, text.detail.lastIndexOf("\n")) : text.detail;
  return [...notes, detail].join("\n");
}

/** The `Ask` port as a native modal. */
export function askModal(options: AskModalOptions): Ask {
  const { clock, log, t } = options;

  /** One dialog. `tooSoon` tells whether the click came too soon to be meant. */
  async function choose(
    request: AskRequest,
    turn: Turn,
    flags: { seen: boolean; soon: boolean },
  ): Promise<{ choice: Choice | null; tooSoon: boolean }> {
    const text = askText(request, t);
    const buttons = buttonsFor(request, { cut: text.cut, seen: flags.seen, t });
    const detail = detailOf(text, { ...flags, t });
    const shownAt = clock.monotonic();
    try {
      const label = await options.show(
        text.title,
        { modal: true, detail },
        ...buttons.map((button) => button.label),
      );
      const choice = buttons.find((button) => button.label === label)?.choice ?? null;
      return { choice, tooSoon: clock.monotonic() - shownAt < TOO_SOON_MS };
    } finally {
      turn.ended();
    }
  }

  async function more(request: AskRequest, turn: Turn): Promise<AskAnswer | null> {
    const answer = await options.more(request, turn.signal);
    if (answer === undefined) return null;
    return answer.kind === "pause"
      ? { kind: "deny", pauseAgent: true }
      : { kind: "deny", ...(answer.sentence === "" ? {} : { sentence: answer.sentence }) };
  }

  async function present(request: AskRequest, turn: Turn): Promise<AskAnswer | null> {
    let seen = false;
    let soon = false;
    for (;;) {
      await turn.pace();
      if (turn.over()) return null;
      const { choice, tooSoon } = await choose(request, turn, { seen, soon });
      soon = false;
      switch (choice) {
        case null:
          return { kind: "dismissed" };
        case "deny":
          return { kind: "deny" };
        case "once":
        case "session":
          // Once the turn is over the queue drops the answer and tells of it, however fast it came.
          if (!tooSoon || turn.over()) return { kind: "allow", scope: choice };
          log.info("An allow within 800 ms of the dialog was not counted; asking again.");
          soon = true;
          break;
        case "details":
          if (turn.over()) return null;
          await options.openDetails(request, turn.signal);
          seen = true;
          break;
        case "more": {
          if (turn.over()) return null;
          const answer = await more(request, turn);
          if (answer !== null) return answer;
          break;
        }
        default:
          choice satisfies never;
      }
    }
  }

  return askQueue({
    present,
    clock,
    log,
    timeoutMs: options.timeoutMs ?? PERSON_MS,
    gapMs: GAP_MS,
    perSession: PER_SESSION,
    tooMany: () =>
      t(
        "Denied without asking: {0} questions of this session already wait for a person. Try again later.",
        PER_SESSION,
      ),
    onWaiting: options.onWaiting ?? (() => undefined),
    onLate: (request, answer) => {
      log.warn(
        `Late answer ignored (${answer.kind}) for ${request.call.toolName}, question ${request.askId}.`,
      );
      options.onLate?.(request, answer);
    },
  });
}
