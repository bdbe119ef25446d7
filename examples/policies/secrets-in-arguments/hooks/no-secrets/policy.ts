import { defineToolPolicy } from "countersign/policy";
import { secretIn } from "./shapes";

export default defineToolPolicy({
  policyKind: "enforcement",
  timeoutMs: 2000,

  beforeToolCall({ input }) {
    for (const [name, value] of Object.entries(input)) {
      const kind = secretIn(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
      if (kind !== undefined) {
        return {
          action: "deny",
          reason: `The argument ${name} holds ${kind}. Name where it is kept instead.`,
        };
      }
    }
    return undefined;
  },
});
