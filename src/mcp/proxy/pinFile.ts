/** Keeps the pins of one server in a file that only this user may read or change. Knows nothing of what a definition says. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { messageOf } from "../../core/errors";
import type { ToolSighting } from "../../core/guards/toolPin";
import { sha256 } from "../../node/ports";
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from "../../node/privateFile";
import type { Log } from "../../ports";
import { approved, type Pins, seen, sightingOf } from "./toolPins";

export interface PinStore {
  /** Told of each list that the server gives. */
  listed(tools: readonly unknown[]): Promise<void>;
  of(tool: string): Promise<ToolSighting>;
  approve(tool: string, digest: string): Promise<void>;
}

export interface PinPlace {
  readonly home: string;
  /** What makes a server the same one the next time: the person's name for it and the folder it is used in. */
  readonly server: string;
  readonly root: string;
  readonly log: Log;
}

const text = z.string();
const definition = z.object({
  title: text.exactOptional(),
  description: text.exactOptional(),
  inputSchema: text.exactOptional(),
  outputSchema: text.exactOptional(),
  annotations: text.exactOptional(),
});
const fileSchema = z.object({
  server: text,
  root: text,
  tools: z.record(
    text,
    z.object({
      digest: text,
      definition,
      late: z.literal(true).exactOptional(),
      now: z.object({ digest: text, definition }).exactOptional(),
    }),
  ),
});

/** The file is read anew each time, since several clients may run the same server. A file that cannot be believed makes every tool a changed one. */
export function pinStore(place: PinPlace): PinStore {
  const { home, server, root, log } = place;
  const name = createHash("sha256")
    .update(JSON.stringify([server, root]))
    .digest("hex")
    .slice(0, 40);
  const file = join(home, ".countersign", "mcp", `${name}.json`);
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work, work);
    turn = done.catch(() => undefined);
    return done;
  };
  const change = (how: (pins: Pins) => Pins): Promise<void> =>
    inTurn(async () => {
      const before = await read(file);
      const after = how(before);
      if (JSON.stringify(after) === JSON.stringify(before)) return;
      await ensurePrivateFolder(join(home, ".countersign"));
      await writePrivateFile(file, `${JSON.stringify({ server, root, tools: after })}\n`);
    });
  const told = async (work: Promise<void>): Promise<void> => {
    await work.catch((error: unknown) => log.error(`what is known of ${server}: ${messageOf(error)}`));
  };
  return {
    listed: (tools) => told(change((pins) => seen(pins, tools, sha256))),
    approve: (tool, digest) => told(change((pins) => approved(pins, tool, digest))),
    of: (tool) =>
      inTurn(async () => {
        try {
          return sightingOf(await read(file), tool);
        } catch (error) {
          const why = messageOf(error);
          return { state: "changed", parts: [`what was approved cannot be read (${why})`], lines: [] };
        }
      }),
  };
}

async function read(file: string): Promise<Pins> {
  const found = await readPrivateFile(file);
  return found === undefined ? {} : fileSchema.parse(JSON.parse(found)).tools;
}
