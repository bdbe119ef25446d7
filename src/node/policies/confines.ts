/** Whether the runtime that policies get here keeps them from files and programs: asked of such a process, once. Runs no policy. */
import { tmpdir } from "node:os";
import type { Log } from "../../ports";
import { nodeClock } from "../ports";
import { createCardProcess } from "./cardProcess";

/** False also where that cannot be told. Never rejects. */
export function confinement({ log }: { readonly log: Log }): () => Promise<boolean> {
  let known: Promise<boolean> | undefined;
  const probe = async (): Promise<boolean> => {
    const plan = {
      name: "nothing",
      folder: tmpdir(),
      entries: [],
      modules: [],
      unconfined: false,
      log,
      onPrinted: () => undefined,
    };
    const child = createCardProcess(plan, { clock: nodeClock, onBroken: () => undefined });
    try {
      const report = await child.report();
      return typeof report !== "string" && report.confined;
    } finally {
      await child.close();
    }
  };
  return () => {
    known ??= probe().catch(() => false);
    return known;
  };
}
