import { defineToolPolicy } from "countersign/policy";

const TENANT = "acme-staging";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "crm_.*|mcp__crm__.*",

  beforeToolCall({ input }) {
    if (input.tenant === TENANT) return { action: "allow" };
    return {
      action: "allow",
      updatedInput: { ...input, tenant: TENANT },
      additionalContext: `The tenant is always ${TENANT} here.`,
    };
  },
});
