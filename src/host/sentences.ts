/** What an agent is told when a person, or nobody, decided: in the editor's language. */
import { consentSentences } from "../core/askText";
import { englishSentences, type Sentences } from "../core/sentences";
import { translate } from "./auditPanel";

export function hostSentences(): Sentences {
  const { confirm, cancel } = consentSentences(translate);
  return {
    confirmed: confirm,
    cancelled: cancel,
    expired: translate(englishSentences.expired),
    nobody: translate(englishSentences.nobody),
    paused: translate(englishSentences.paused),
    gone: translate(englishSentences.gone),
    approvedLater: translate(englishSentences.approvedLater),
  };
}
