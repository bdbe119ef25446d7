/** What agents are told when a person, or nobody, decided. Knows nothing of how that came about. */
import type { AskAnswer } from "../ports";

/** What the agent is told when a person, or nobody, decided. English by default; the editor passes its own language. */
export interface Sentences {
  readonly confirmed: string;
  readonly cancelled: string;
  readonly expired: string;
  readonly nobody: string;
  readonly paused: string;
  readonly gone: string;
  readonly approvedLater: string;
}

export const englishSentences: Sentences = {
  confirmed: "Confirmed, continue.",
  cancelled: "A person declined this call. Do not continue, answer another way.",
  expired: "Nobody answered in time, so the call was not run. Ask the person, then try again.",
  nobody:
    "This call needs a person's approval and nobody can be asked here. Open the workspace in the editor with Countersign and try again.",
  paused: "A person paused this agent. Stop and wait until they resume it.",
  gone: "The caller went away before a person answered.",
  approvedLater: "A person approved this call. Call the tool again with the same arguments.",
};

/** Why a call that was asked for does not run. */
export function refusalReason(sentences: Sentences, answer: Exclude<AskAnswer, { kind: "allow" }>): string {
  switch (answer.kind) {
    case "busy":
      return answer.reason;
    case "expired":
      return sentences.expired;
    case "cancelled":
      return sentences.gone;
    case "dismissed":
      return sentences.cancelled;
    case "deny":
      if (answer.pauseAgent === true) return sentences.paused;
      return answer.sentence === undefined
        ? sentences.cancelled
        : `${sentences.cancelled} ${answer.sentence}`;
    default:
      return answer satisfies never;
  }
}
