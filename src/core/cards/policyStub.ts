/** What a new policy begins as: an observer, which cannot stop anything. Pure. */

export const policyStub = `import { defineToolPolicy } from "countersign/policy";

export default defineToolPolicy({
  policyKind: "observer",
  async afterToolCall(event) {
    // Observe tool results here; errors are swallowed.
  },
});
`;
