/** What the audit panel's page may ask of the host, checked where it arrives. No message changes anything but what is shown. */
import * as z from "zod";
import { EXPORT_FORMATS, PAGE_ROWS, PROTOCOL_VERSION, UPKEEP_CHOICES } from "./messages";

const count = z.int().min(0);
const short = z.string().max(1000);
const rowFilter = z.strictObject({
  decision: short.exactOptional(),
  agent: short.exactOptional(),
  tool: short.exactOptional(),
  event: short.exactOptional(),
  session: short.exactOptional(),
  /** ISO 8601: from this time on, and before that one. */
  since: z.iso.datetime().exactOptional(),
  until: z.iso.datetime().exactOptional(),
  text: short.exactOptional(),
});

const upkeep = z.enum(UPKEEP_CHOICES);

/** Lines count from 1 through all files of the log; below 0 they count back from the end, while a big log is still being read. */
const line = z.int().refine((value) => value !== 0);

/** What a jump looks for: a line, the first row at or after a time, the newest row of a call. */
const target = z.union([
  z.strictObject({ line }),
  z.strictObject({ time: z.iso.datetime() }),
  z.strictObject({ callId: short }),
]);

export const pageMessage = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready"), version: z.literal(PROTOCOL_VERSION) }),
  /** `offset` counts from the oldest row of the filtered list. `token` comes back with the answer. */
  z.strictObject({
    type: z.literal("query"),
    token: count,
    filter: rowFilter,
    upkeep,
    offset: count,
    limit: z.int().min(1).max(PAGE_ROWS),
  }),
  z.strictObject({ type: z.literal("details"), line }),
  z.strictObject({ type: z.literal("locate"), token: count, target }),
  /** Counts over time of the list; `offsetMinutes` east of Greenwich, so that days begin at midnight. */
  z.strictObject({ type: z.literal("chart"), token: count, offsetMinutes: z.int().min(-1440).max(1440) }),
  z.strictObject({ type: z.literal("verify") }),
  z.strictObject({ type: z.literal("cancelVerify") }),
  /** The records of the list, to a file that the person picks in the editor's own dialog. */
  z.strictObject({ type: z.literal("export"), token: count, format: z.enum(EXPORT_FORMATS) }),
  z.strictObject({ type: z.literal("cancelExport") }),
  z.strictObject({ type: z.literal("openLog") }),
  /** Brings the waiting question's dialog back; the dialog alone decides. */
  z.strictObject({ type: z.literal("answer"), askId: short }),
]);
export type PageMessage = z.infer<typeof pageMessage>;

export type RowFilterMessage = z.infer<typeof rowFilter>;
