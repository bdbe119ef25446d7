/** Rules whose handlers cannot be built: they still deny, and what needs code is broken. No rule is dropped. */
import { type HooksConfig, rulesIn } from "../rules/schemaHooks";
import type { Handler, Rule } from "./types";

/** `why` is told with each denial. */
export function brokenRules(hooks: HooksConfig, why: string): readonly Rule[] {
  return rulesIn(hooks).map(({ event, name, rule }): Rule => {
    const { matcher, vendor, arg, before = false } = rule;
    return {
      name,
      event,
      before,
      handlers: rule.handlers.map((one): Handler => {
        const label = one.name ?? name;
        if (one.type === "deny") {
          const { reason = "" } = one;
          return { name: label, kind: "deny", run: async () => ({ kind: "deny", reason }) };
        }
        return { name: label, kind: one.type, run: async () => ({ kind: "broken", why }) };
      }),
      ...(matcher === undefined ? {} : { matcher }),
      ...(vendor === undefined ? {} : { vendor }),
      ...(arg === undefined ? {} : { arg }),
    };
  });
}
