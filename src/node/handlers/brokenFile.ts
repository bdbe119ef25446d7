/** What is wrong with the handlers of a file that is broken elsewhere too: all of it is told at once. Runs no code of them. */
import type { Problem } from "../../core/errors";
import { type ConfigText, handlersDespite } from "../../core/rules/parse";
import { type HandlerSource, reachOfHandlers } from "./build";

/** In the order of the text, the ones already known among them; at most a hundred. Never rejects. */
export async function withHandlerProblems(
  problems: readonly Problem[],
  config: ConfigText,
  where: Pick<HandlerSource, "folder" | "env" | "log">,
): Promise<readonly Problem[]> {
  const hooks = handlersDespite(config);
  const found = await reachOfHandlers({ hooks, config, ...where });
  if (found.ok) return problems;
  const all = [...problems, ...found.problems].sort((a, b) => a.line - b.line || a.column - b.column);
  return all.slice(0, MAX_PROBLEMS);
}

const MAX_PROBLEMS = 100;
