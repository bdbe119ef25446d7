/** Patterns in a configuration, checked where they are read. Knows nothing of rules. */
import * as z from "zod";
import { compilePattern, type PatternMistake } from "../hookRules/pattern";

/** What an issue says of the part of a pattern that is wrong. */
export interface PatternIssue {
  readonly mistake: PatternMistake;
}

/** `*` is no pattern, and everywhere taken for "all". */
export const namePattern = () =>
  z.string().superRefine((text, ctx) => (text === "*" ? undefined : checkPattern(text, ctx)));

export const pattern = () => z.string().superRefine(checkPattern);

function checkPattern(text: string, ctx: z.core.$RefinementCtx<string>): void {
  const compiled = compilePattern(text);
  if (!compiled.ok) {
    const params: PatternIssue = { mistake: compiled.mistake };
    ctx.addIssue({ code: "custom", message: compiled.mistake.message, params: { ...params } });
  }
}
