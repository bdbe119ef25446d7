/** Two test files that begin together and need the same folder made: the second waits for the first. Knows nothing of what is made. */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const STALE_MS = 240_000;

/** Resolves, once nobody else is at it, with what ends the turn. One who died is not waited for longer than four minutes. */
export async function takeTurn(folder) {
  const lock = join(folder, "lock");
  const leave = () => rmSync(lock, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      return leave;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > STALE_MS) leave();
      await setTimeout(200);
    }
  }
}
