import { defineToolPolicy } from "countersign/policy";
import { wholeTargets } from "./targets";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  timeoutMs: 1000,

  beforeToolCall(event) {
    const command = String(event.input ?? "");
    const [target] = wholeTargets(command);
    if (target === undefined) return undefined;
    return {
      action: "deny",
      reason: `A recursive delete of ${target} is not permitted. Name the folder that is meant.`,
    };
  },
});
