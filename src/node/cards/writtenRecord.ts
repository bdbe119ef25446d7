/** What `countersign write` wrote into a workspace, kept beside the audit log: `<data folder>/written.json`. Writes nothing else. */
import { join } from "node:path";
import * as z from "zod";
import { readPrivateFile, writePrivateFile } from "../privateFile";

const writtenSchema = z.object({
  version: z.literal(1),
  /** Skill file below the workspace → SHA-256 of what was written. */
  skills: z.record(z.string(), z.string()),
  servers: z.record(
    z.string(),
    z.object({
      servers: z.array(z.object({ name: z.string(), value: z.string(), block: z.string().exactOptional() })),
      created: z.boolean(),
      made: z.array(z.array(z.string())),
    }),
  ),
});
export type Written = z.infer<typeof writtenSchema>;
const NOTHING: Written = { version: 1, skills: {}, servers: {} };

export async function readWritten(dataFolder: string): Promise<Written> {
  try {
    const text = await readPrivateFile(join(dataFolder, "written.json"));
    return text === undefined ? NOTHING : writtenSchema.parse(JSON.parse(text));
  } catch {
    // Then nothing counts as ours, and nothing of anybody's is taken out.
    return NOTHING;
  }
}

export const saveWritten = (dataFolder: string, written: Written): Promise<void> =>
  writePrivateFile(join(dataFolder, "written.json"), `${JSON.stringify(written, null, 2)}\n`);
