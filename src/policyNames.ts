/** The typed declaration under its two other names, for a project whose `tsconfig.json` has `"types": ["countersign/policy-names"]`. */
declare module "darwinian-minds/hook-policy" {
  export type PolicyDecision = import("./core/policies/define").PolicyDecision;
  export type PolicyEvent = import("./core/policies/define").PolicyEvent;
  export type PolicyVerdict = import("./core/policies/define").PolicyVerdict;
  export type ToolPolicy = import("./core/policies/define").ToolPolicy;
  export const defineToolPolicy: typeof import("./core/policies/define").defineToolPolicy;
}

declare module "darwinian/hook-policy" {
  export type PolicyDecision = import("./core/policies/define").PolicyDecision;
  export type PolicyEvent = import("./core/policies/define").PolicyEvent;
  export type PolicyVerdict = import("./core/policies/define").PolicyVerdict;
  export type ToolPolicy = import("./core/policies/define").ToolPolicy;
  export const defineToolPolicy: typeof import("./core/policies/define").defineToolPolicy;
}
