/** Guard for the time in which no audit file can be written: reads go on, the rest waits for a person's word. */
import type { ReadFacets } from "../call";
import { Allow, Deny } from "../decision";
import type { Hook } from "../hook";

export interface AuditHealthOptions {
  readonly facets: ReadFacets;
  /** True while records go to memory only and no person has allowed that. */
  readonly blocked: () => boolean;
}

export function auditHealth(options: AuditHealthOptions): Hook {
  return {
    name: "audit_health",
    guard: true,
    preToolUse(ctx, _toolName, args) {
      if (!options.blocked() || options.facets(ctx.call, args).effect === "read") return Allow();
      return Deny(
        "The audit log cannot be written, so only reads run. A person can mend the folder or run “Countersign: Continue Unaudited for 30 Minutes”.",
      );
    },
  };
}
