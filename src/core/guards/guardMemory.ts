/** What the guards of one window, server or program remember across calls: given by whoever builds chains, so that a rebuilt chain forgets nothing. */
import { type EgressMemory, egressMemory } from "./egressMemory";
import { type WrittenFiles, writtenFilesMemory } from "./writtenFilesMemory";

export interface GuardMemory {
  readonly egress: EgressMemory;
  readonly written: WrittenFiles;
}

export function guardMemory(): GuardMemory {
  return { egress: egressMemory(), written: writtenFilesMemory() };
}
