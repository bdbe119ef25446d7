/** What the commands of a group read on standard input. Knows no program. */
import type { Redirection } from "unbash";
import { isStdin, UNKNOWN_COMMAND } from "../shell/command";
import { readRedirects } from "../shell/words";
import type { Run } from "./locatedCommand";

export function withUnknownInput(run: Run): Run {
  return { ...run, stdin: { pipedFrom: UNKNOWN_COMMAND, redirects: [] } };
}

/** What is given to a group is read by what stands in it. */
export function withStdin(run: Run, redirections: readonly Redirection[]): Run {
  const { redirects, heredoc } = readRedirects(redirections);
  const inputs = redirects.filter(isStdin);
  if (inputs.length === 0) return run;
  return { ...run, stdin: { redirects: inputs, ...(heredoc === undefined ? {} : { heredoc }) } };
}
