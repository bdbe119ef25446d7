/** Guard for calls that a database engine has refused before: what it would really do is asked for. Knows no database. */
import { AskUser } from "../decision";
import type { Hook } from "../hook";

/** The key of `call.extra` under which the door that runs SQL hands over what the engine refused. */
export const ENGINE_REFUSED = "engine_refused";

export const ENGINE_REFUSAL = "engine_refusal";

export interface RefusedAct {
  readonly verb: string;
  readonly table: string | null;
  /** The trigger, rule or function through which it would happen. */
  readonly via?: string;
}

export function engineRefusal(options: { readonly confirmArg: string }): Hook {
  return {
    name: ENGINE_REFUSAL,
    guard: true,
    preToolUse(ctx) {
      const acts = refusedActs(ctx.call.extra[ENGINE_REFUSED]);
      if (acts.length === 0) return undefined;
      const words = acts.map(describeRefusedAct);
      return AskUser({
        prompt: `The database refused this call before: it would also ${words.join(", and ")}.`,
        details: { acts },
        confirmArgs: { [options.confirmArg]: true },
        binding: { engine: words.join("; ") },
      });
    },
  };
}

/** Only a door fills `extra`; what is not of this shape is no act. */
export function refusedActs(value: unknown): readonly RefusedAct[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRefusedAct);
}

function isRefusedAct(value: unknown): value is RefusedAct {
  if (typeof value !== "object" || value === null || !("verb" in value) || !("table" in value)) return false;
  return typeof value.verb === "string" && (value.table === null || typeof value.table === "string");
}

/** "DELETE on log (through trg)", "CALL f (through view v)" */
export function describeRefusedAct(act: RefusedAct): string {
  const between = act.verb === "CALL" ? " " : " on ";
  const on = act.table === null ? act.verb : `${act.verb}${between}${act.table}`;
  return act.via === undefined ? on : `${on} (through ${act.via})`;
}
