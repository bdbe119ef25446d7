/** What a person is asked when a tool of a server says by its own words that it takes something away. Knows no tool. */
import type { Args, DestroyFacet, ToolCall } from "../call";
import { type AskDecision, AskUser } from "../decision";
import { visibleLine } from "../visible";

const SAFER = "Look first at what it names; allow it only where you know that it is not needed any more.";
/** UTF-16 units. */
const LONGEST = 240;

/** For this very call alone: what is taken away cannot be had back by taking back an approval. */
export function askedOfTool(
  { shown, reason, id, arg }: DestroyFacet,
  { toolName }: Pick<ToolCall, "toolName">,
  args: Args,
): AskDecision {
  const judged = visibleLine(`${toolName} ${JSON.stringify(args)}`.slice(0, LONGEST));
  return AskUser({
    prompt: `${visibleLine(shown.slice(0, LONGEST))} (${visibleLine(toolName.slice(0, LONGEST))}): ${reason} ${SAFER}`,
    details: { judged, reason, safer: SAFER, rule: `tool.${id}`, ...(arg === "" ? {} : { argument: arg }) },
  });
}
