/**
 * An answer as one text for the launcher: `CS1 <exit code> <text>`, where the text goes to standard output, or for exit 2 to
 * standard error. The first word is what makes silence and garbage differ from an allow. Knows nothing of who carries it.
 */

import type { BrokerAnswer } from "../agents/hookRequest";
import { token } from "../agents/plugin/token";

export function answerText({ stdout, stderr = "", exitCode = 0 }: BrokerAnswer): string {
  return `${token}${exitCode} ${exitCode === 2 ? stderr : stdout}`;
}
