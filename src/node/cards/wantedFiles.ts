/** Which skill files and MCP servers the agents of a workspace should have from its cards. Pure; a name that two cards use is the first one's. */
import { agentPlaces, type ServerFile, type WrittenAgent } from "../../core/cards/agentPlaces";
import { serversOf, skillsOf } from "../../core/cards/cardManifest";
import type { CardState } from "./cardsInForce";

/** By path below the workspace folder. */
export type Wanted<T> = ReadonlyMap<string, T>;

export function wantedSkills(
  cards: readonly CardState[],
  agents: readonly WrittenAgent[],
  warnings: string[],
): Wanted<Uint8Array> {
  const wanted = new Map<string, Uint8Array>();
  const owners = new Map<string, string>();
  for (const { card, found } of cards) {
    for (const skill of found === undefined ? [] : skillsOf(found.content.manifest)) {
      const owner = owners.get(skill) ?? card;
      owners.set(skill, owner);
      if (owner !== card) {
        warnings.push(`skill ${skill} of ${card} is left out: ${owner} has one of that name`);
        continue;
      }
      for (const { path, bytes } of found?.files ?? [])
        if (path.startsWith(`skills/${skill}/`))
          for (const agent of agents)
            wanted.set(`${agentPlaces[agent].skills}/${path.slice("skills/".length)}`, bytes);
    }
  }
  return wanted;
}

export interface WantedServers {
  readonly place: ServerFile;
  readonly servers: Record<string, unknown>;
}

export function wantedServers(
  cards: readonly CardState[],
  agents: readonly WrittenAgent[],
  warnings: string[],
): Wanted<WantedServers> {
  const wanted = new Map<string, WantedServers>();
  const owners = new Map<string, string>();
  for (const { card, found } of cards) {
    for (const [name, server] of Object.entries(
      found === undefined ? {} : serversOf(found.content.manifest),
    )) {
      const owner = owners.get(name) ?? card;
      owners.set(name, owner);
      if (owner !== card) {
        warnings.push(`MCP server ${name} of ${card} is left out: ${owner} has one of that name`);
        continue;
      }
      for (const agent of agents) {
        const place = agentPlaces[agent].servers;
        const at = wanted.get(place.file) ?? { place, servers: {} };
        at.servers[name] = place.shape(server);
        wanted.set(place.file, at);
      }
    }
  }
  return wanted;
}
