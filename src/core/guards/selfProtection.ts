/** The guard `self_protection`: whatever could switch governance off, or run later unseen, is asked for. */
import type { FileSystem } from "../../ports";
import type { Args, Facets, ReadFacets, ToolCall } from "../call";
import { Allow, AskUser, type Decision } from "../decision";
import type { Hook } from "../hook";
import { inFolder } from "../paths/changeFolder";
import { locateCommands } from "../paths/commandTree";
import { touchedPaths } from "../paths/pathsInCommand";
import { PROTECTED_PLACES } from "../paths/protectedPlaces";
import { rememberLooks } from "../paths/rememberLooks";
import { editorToolRisk } from "./editorTools";
import { riskyCommand } from "./ownCommands";
import { type Change, type PlaceGuard, placeGuard } from "./protectedChange";
import { switchedOff } from "./switchedOff";

export interface SelfProtectionOptions {
  readonly fs: FileSystem | ((call: ToolCall) => FileSystem);
  readonly facets: ReadFacets;
  /** Files and folders beside the built-in table: the audit file, policies, handlers' scripts. Absolute, or relative to the cwd. */
  readonly protectedPlaces?: readonly string[] | ((call: ToolCall) => readonly string[]);
}

interface Reason {
  readonly prompt: string;
  readonly details: Args;
}

/** Milliseconds: as many files as one command may name, on a slow disk. */
const DEADLINE_MS = 4000;

export function selfProtection(options: SelfProtectionOptions): Hook {
  return {
    name: "self_protection",
    guard: true,
    deadlineMs: DEADLINE_MS,
    async preToolUse(ctx, _toolName, args) {
      const { call } = ctx;
      const tool = editorToolRisk(call.toolName, args);
      if (tool !== undefined) return AskUser({ prompt: tool, details: { tool: call.toolName } });
      const facets = options.facets(call, args);
      if (facets.paths.length === 0 && facets.commands.length === 0) return Allow();
      const fs = rememberLooks(typeof options.fs === "function" ? options.fs(call) : options.fs);
      const given = options.protectedPlaces ?? [];
      const extra = typeof given === "function" ? given(call) : given;
      const guard = await placeGuard({ fs, cwd: call.cwd, extra });
      const reason = (await fromPaths(call, facets, guard)) ?? (await fromCommands(facets, guard));
      return verdict(reason, guard);
    },
  };
}

function verdict(reason: Reason | undefined, guard: PlaceGuard): Decision {
  const binding = guard.binding();
  if (reason === undefined) return Allow({ binding });
  return AskUser({ ...reason, binding });
}

/** Files that the tool itself names. Those of its commands come with what happens to them, below. */
async function fromPaths(call: ToolCall, facets: Facets, guard: PlaceGuard): Promise<Reason | undefined> {
  const inCommands = new Set(facets.commands.map(({ arg }) => arg));
  const takes = /delete|remove|move|rename/i.test(call.toolName);
  for (const { path, access, arg } of facets.paths) {
    if (access === "read" || inCommands.has(arg)) continue;
    const change = await guard.judge({ path, action: takes ? "move" : "write" });
    if (change !== undefined) return reasonOf(change, path);
  }
  return undefined;
}

async function fromCommands(facets: Facets, guard: PlaceGuard): Promise<Reason | undefined> {
  for (const { text, shell, folder } of facets.commands) {
    const read = locateCommands(text, shell);
    if (read.cut)
      return {
        prompt: "Run a command that is too long or too deeply nested to be read through.",
        details: { command: text },
      };
    for (const located of read.commands) {
      const risk = riskyCommand(located) ?? switchedOff(located, read.commands);
      if (risk !== undefined) return { prompt: risk, details: { command: text } };
    }
    const touched = touchedPaths(read.commands, shell, PROTECTED_PLACES);
    if (touched.cut)
      return {
        prompt: "Run a command that touches more files than can be looked at one by one.",
        details: { command: text },
      };
    // All of them wait for the disk at once; the first one is what is asked about.
    const changes = await Promise.all(
      touched.paths.map((touch) => guard.judge({ ...touch, path: inFolder(touch.path, folder) })),
    );
    for (const [i, change] of changes.entries()) {
      if (change === undefined) continue;
      const reason = reasonOf(change, touched.paths[i]?.path ?? change.real);
      return { ...reason, details: { ...reason.details, command: text } };
    }
  }
  return undefined;
}

function reasonOf({ place, real, via }: Change, path: string): Reason {
  const where = real === path ? real : `${path} (really ${real})`;
  const why = {
    off: "It could switch governance off.",
    later: "What is written there runs later, without a question.",
    own: "It is how tampering would be noticed.",
  }[place.kind];
  const what = via === "under" ? `${where}, which holds ${place.what}` : `${where}: ${place.what}`;
  return {
    prompt: `Change ${what}. ${why}`,
    details: { path, real, protects: place.what, class: place.kind },
  };
}
