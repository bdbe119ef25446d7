/**
 * Where one hook process leaves an authorized call for the process that reports its result: `~/.countersign/calls`.
 * What lies there names what a record is about and decides nothing.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCall } from "../core/call";
import type { RunOutcome } from "../core/hook";
import { stableText } from "../core/values";
import { sha256 } from "./ports";
import { ensurePrivateFolder, hasCode, readPrivateFile, writePrivateFile } from "./privateFile";

export interface Shelved {
  readonly call: ToolCall;
  readonly outcome: RunOutcome;
}

export interface CallShelf {
  put(call: ToolCall, outcome: RunOutcome): Promise<void>;
  /** The call that this result belongs to; taken away, so that a second result finds nothing. */
  take(call: ToolCall): Promise<Shelved | undefined>;
  /** All that is left of a session; taken away. */
  takeAll(sessionId: string): Promise<readonly Shelved[]>;
}

/** What nobody reported within a day is forgotten. */
const OLD_MS = 24 * 60 * 60_000;

export function createCallShelf(home: string, now: () => number): CallShelf {
  const base = join(home, ".countersign");
  const folder = join(base, "calls");
  const session = (id: string): string => sha256(id).slice(0, 16);
  const nameOf = (call: ToolCall, args: unknown): string => {
    const { toolUseId } = call.extra;
    const which = typeof toolUseId === "string" ? toolUseId : stableText(args);
    return `${session(call.sessionId)}-${sha256(JSON.stringify([call.toolName, which])).slice(0, 32)}.json`;
  };
  const read = async (name: string): Promise<Shelved | undefined> => {
    const path = join(folder, name);
    const text = await readPrivateFile(path).catch(() => undefined);
    if (text === undefined) return undefined;
    await rm(path, { force: true });
    // Written by us in a folder that is ours alone.
    return JSON.parse(text) as Shelved;
  };
  const names = async (): Promise<readonly string[]> => {
    try {
      return await readdir(folder);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  };
  return {
    async put(call, outcome) {
      await ensurePrivateFolder(base);
      await ensurePrivateFolder(folder);
      for (const name of await names()) await forgetOld(join(folder, name), now());
      await writePrivateFile(join(folder, nameOf(call, outcome.args)), JSON.stringify({ call, outcome }));
    },
    take: (call) => read(nameOf(call, call.input)),
    async takeAll(sessionId) {
      const ours = (await names()).filter((name) => name.startsWith(`${session(sessionId)}-`));
      const found = await Promise.all(ours.map(read));
      return found.filter((one) => one !== undefined);
    },
  };
}

async function forgetOld(path: string, now: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && now - found.mtimeMs > OLD_MS) await rm(path, { force: true });
}
