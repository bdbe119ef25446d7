/** What `import … from "countersign/policy"` gives: the typed declaration of a policy. */
export type { PolicyDecision, PolicyEvent, PolicyVerdict, ToolPolicy } from "./core/policies/define";
export { defineToolPolicy } from "./core/policies/define";
