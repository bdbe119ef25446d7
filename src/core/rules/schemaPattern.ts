/** Patterns in a configuration, checked where they are read. Knows nothing of rules. */
import * as z from "zod";
import { compileNamePattern } from "../hookRules/namePattern";
import { type CompiledPattern, compilePattern, type PatternMistake } from "../hookRules/pattern";

/** What an issue says of the part of a pattern that is wrong. */
export interface PatternIssue {
  readonly mistake: PatternMistake;
}

/** `*` is no pattern, and everywhere taken for "all". */
export const namePattern = () =>
  z.string().superRefine((text, ctx) => (text === "*" ? undefined : check(compileNamePattern(text), ctx)));

export const pattern = () => z.string().superRefine((text, ctx) => check(compilePattern(text), ctx));

function check(compiled: CompiledPattern, ctx: z.core.$RefinementCtx<string>): void {
  if (!compiled.ok) {
    const params: PatternIssue = { mistake: compiled.mistake };
    ctx.addIssue({ code: "custom", message: compiled.mistake.message, params: { ...params } });
  }
}
