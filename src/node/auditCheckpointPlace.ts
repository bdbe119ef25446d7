/** Where the reading for checkpoints stood, kept in a file, so that a restart need not read all. Knows nothing of keys or lines. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Anchor } from "../core/audit/checkpoint";
import { type CursorPlace, formatPlace, parsePlace } from "./auditCheckpointCursor";

/** Believed only as far as the anchor bears it out: whoever can write this file could otherwise have another history signed. */
export function rememberedPlace(file: string, anchor: Anchor): CursorPlace | undefined {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  const kept = parsePlace(text);
  if (kept === undefined || kept.root !== anchor.root || kept.place.head !== anchor.head) return undefined;
  const { logId, segment, frontier } = kept.place;
  const isThere = logId === anchor.log_id && segment === anchor.segment && frontier.size === anchor.size;
  return isThere ? kept.place : undefined;
}

/** Where it cannot be kept, the segment is read anew next time. */
export function rememberPlace(file: string, place: CursorPlace): void {
  const draft = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(draft, formatPlace(place), { mode: 0o600 });
    fs.renameSync(draft, file);
  } catch {
    fs.rmSync(draft, { force: true });
  }
}
