/** What an outcome means for the program that asked, before it is put into that program's words. Knows no program. */
import type { Args } from "../core/call";
import type { Outcome } from "../core/hook";
import type { CallPayload, Capabilities } from "./agentDoor";
import { brokenText } from "./denial";

export type Verdict =
  | { readonly kind: "deny"; readonly reason: string }
  | {
      readonly kind: "go";
      /** A person clicked on these exact arguments: the program need not ask again. */
      readonly clicked: boolean;
      /** The whole arguments to run with, where they are to be sent back. */
      readonly input?: Args;
      readonly context?: string;
    };

type Asked = Pick<CallPayload, "agent" | "rawInput">;

/** A hook cannot replace a result: what stands in for it is told behind the reason. */
function insteadOf(output: unknown): string {
  if (output === undefined) return "";
  return `\n${typeof output === "string" ? output : (JSON.stringify(output) ?? "")}`;
}

export function verdictOf(payload: Asked, outcome: Outcome, able: Capabilities): Verdict {
  if (outcome.kind === "denied") {
    const reason = outcome.broken ? brokenText(outcome.reason, payload.agent) : outcome.reason;
    return deny(`${reason}${insteadOf(outcome.syntheticOutput)}`);
  }
  if (outcome.kind === "asks_user") {
    return deny(`${outcome.prompt}\nThis needs a person's approval, and nobody could be asked here.`);
  }
  if (outcome.rewritten && !able.rewrite) return deny(useInstead(outcome.args));
  if (outcome.rewritten && payload.rawInput === true) {
    const why = "this call was rewritten, and its tool takes no rewritten arguments";
    return deny(brokenText(why, payload.agent));
  }
  const clicked = outcome.consent === "once" || outcome.consent === "session";
  // An approved call is sent back whole: what another hook made of it meanwhile is not what the person saw.
  const sendsBack = outcome.rewritten || (clicked && payload.rawInput !== true && able.rewrite);
  return {
    kind: "go",
    clicked,
    ...(sendsBack ? { input: outcome.args } : {}),
    ...(outcome.contexts.length === 0 ? {} : { context: outcome.contexts.join("\n") }),
  };
}

/** No program takes an empty reason for a denial. */
function deny(reason: string): Verdict {
  return { kind: "deny", reason: reason.trim() === "" ? "denied" : reason };
}

function useInstead(args: Args): string {
  return `This call must run with other arguments, and this program does not let them be replaced. Call the tool again with exactly these: ${JSON.stringify(args)}`;
}
