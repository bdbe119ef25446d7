/** Names of agents on the page: as people know them, with nothing hidden in them. */
import { agentName } from "../src/core/askText";

export function agentLabel(agent: string): string {
  return agent === "" ? "" : agentName(agent);
}
