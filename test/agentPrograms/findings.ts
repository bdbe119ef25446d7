/** What a run found out about each program, kept for the table in docs/agents.md. */
import { appendFileSync } from "node:fs";
import type { Program } from "./programs";

/** One finding per column; without a file to write to, nothing is kept. */
export function note(program: Program, found: Readonly<Record<string, string>>): void {
  const file = process.env.COUNTERSIGN_TEST_FINDINGS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ agent: program.id, ...found })}\n`);
}
