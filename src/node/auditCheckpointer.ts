/** Signs how far the log has come: after each denial, every thousand records, every minute in which something was written, and at the end. Never signs a log that no longer goes on from what was signed before. Knows nothing of editors or keys' storage. */
import * as path from "node:path";
import { toBase64 } from "../core/audit/base64";
import type { Anchor, Checkpoint } from "../core/audit/checkpoint";
import { messageOf } from "../core/errors";
import { CutError, isActive, openCursor, type SegmentCursor } from "./auditCheckpointCursor";
import { appendNote } from "./auditCheckpointFile";
import type { Checkpointer, CheckpointerOptions } from "./auditCheckpointOptions";
import { rememberedPlace, rememberPlace } from "./auditCheckpointPlace";
import { checkpointsFile, lookAtLog } from "./auditPlace";
import { closedFile } from "./auditSegment";

const MINUTE = 60_000;

export function createCheckpointer(options: CheckpointerOptions): Checkpointer {
  const { file } = options;
  const everyRecords = options.everyRecords ?? 1000;
  let cursor: SegmentCursor | undefined;
  let last: Checkpoint | undefined;
  let replaces: string | undefined;
  let problem: string | undefined;
  let running: Promise<void> | undefined;
  let asked = false;
  let all = false;
  let seen = 0;
  let aliveAt = options.clock.now();
  let stopped = false;
  let ended = false;

  function report(error: unknown): void {
    options.onProblem(`no checkpoint of the audit log was signed: ${messageOf(error)}`);
  }

  /** From now on a signature would vouch for a log that is not the one signed before. */
  async function refuse(why: string): Promise<void> {
    const text = `the audit log ${file} does not go on from its last checkpoint: ${why}`;
    if (problem !== text) options.onProblem(text);
    problem = text;
    // Next time the log is compared with the anchor from scratch: it may have been put back.
    await cursor?.close();
    cursor = undefined;
  }

  async function begin(): Promise<SegmentCursor | undefined> {
    if (lookAtLog(file) === undefined) return undefined;
    const anchor = await options.anchor.load();
    const active = await openCursor(file);
    if (active === undefined) return undefined;
    if (anchor === undefined) return earliest(active);
    const isOurs = anchor.log_id === active.logId;
    if (!isOurs && options.onMissing === "recover") {
      replaces = anchor.log_id;
      return active;
    }
    await active.close();
    // A record in the log that says so proves nothing: whoever put it there could write one.
    if (!isOurs) throw new CutError("another log stands in its place");
    options.keyring.closed(anchor.segment - 1);
    if (anchor.segment > active.segment) throw new CutError("an older part of it stands in its place");
    return resume(anchor);
  }

  /** Nothing was signed yet: from the first segment that the keys at hand are for. */
  async function earliest(active: SegmentCursor): Promise<SegmentCursor | undefined> {
    const segment = options.keyring.oldest() ?? active.segment;
    if (segment >= active.segment || lookAtLog(closedFile(file, segment)) === undefined) return active;
    await active.close();
    return openSegment(segment);
  }

  /** Goes on from the remembered place, or reads the segment anew and compares the root on the way. */
  async function resume(anchor: Anchor): Promise<SegmentCursor> {
    const from = rememberedPlace(options.placeFile, anchor);
    const at = {
      size: anchor.size,
      check(root: Uint8Array) {
        if (toBase64(root) !== anchor.root) throw new CutError("records were changed");
      },
    };
    const resumed = await openSegment(anchor.segment, { from, at });
    try {
      await resumed.readToEnd();
      if (resumed.size < anchor.size) throw new CutError("records are missing from its end");
      return resumed;
    } catch (error) {
      await resumed.close();
      throw error;
    }
  }

  async function sign(at: SegmentCursor): Promise<void> {
    const { logId, segment, size, head } = at;
    const checkpoint: Checkpoint = { logId, segment, size, root: at.root() };
    const place = at.place();
    const note = options.keyring.note(checkpoint);
    if (note === undefined) throw new Error("there is no key");
    seen = 0;
    // A checkpoint ahead of its log would look like a cut after a power failure.
    await at.flush();
    await appendNote(checkpointsFile(file), note);
    at.settle();
    last = checkpoint;
    const ts = new Date(options.clock.now()).toISOString();
    const root = toBase64(checkpoint.root);
    options.anchor.next({ log_id: logId, segment, size, root, head, ts }, { replaces });
    try {
      // Without a signature it would pass for somebody else's.
      if (options.keyring.trouble() === undefined)
        await options.append({ event: "log.checkpoint", data: { segment, size, root }, error: null });
    } finally {
      await options.anchor
        .settle()
        .catch((error: unknown) =>
          options.onProblem(`the anchor of the audit log cannot be kept: ${messageOf(error)}`),
        );
      rememberPlace(options.placeFile, place);
    }
    aliveAt = options.clock.now();
  }

  /** Reads to the end of the log over closed segments; each gets its last checkpoint. */
  async function catchUp(): Promise<SegmentCursor | undefined> {
    cursor ??= await begin();
    while (cursor !== undefined) {
      const active = isActive(cursor, file);
      await cursor.readToEnd();
      if (active) return cursor;
      cursor = await stepOver(cursor);
    }
    return undefined;
  }

  async function stepOver(done: SegmentCursor): Promise<SegmentCursor | undefined> {
    const active = await openCursor(file);
    if (active === undefined) return done;
    await active.close();
    if (active.logId !== done.logId || active.segment <= done.segment) {
      await done.close();
      return begin();
    }
    // Where its key is gone, another window has signed its last checkpoint.
    if (done.lines > 0 && (await hasKeys(done)) && (options.keyring.oldest() ?? 0) <= done.segment)
      await sign(done);
    options.keyring.closed(done.segment);
    await done.close();
    return openSegment(done.segment + 1);
  }

  /** Whether it is closed may change while we look. */
  async function openSegment(
    segment: number,
    options: Parameters<typeof openCursor>[1] = {},
  ): Promise<SegmentCursor> {
    const closed = closedFile(file, segment);
    for (const name of [closed, file, closed]) {
      const found = lookAtLog(name) === undefined ? undefined : await openCursor(name, options);
      if (found?.segment === segment) return found;
      await found?.close();
    }
    throw new CutError(`its part ${path.basename(closed)} is missing`);
  }

  /** The key comes with a record of ours: where only others wrote, or another window has named a newer one, one is needed. */
  async function withKey(at: SegmentCursor | undefined): Promise<SegmentCursor | undefined> {
    if (at === undefined || !(all ? at.lines > 0 : at.pending > 0)) return at;
    if (options.keyring.oldest() === undefined && at.pending === 0) return at;
    if (options.keyring.reaches(at.segment)) return at;
    return (await hasKeys(at)) ? catchUp() : undefined;
  }

  /** The keys at hand are those of the last record of ours: a record more, and they are those of now. */
  async function hasKeys({ logId, segment }: SegmentCursor): Promise<boolean> {
    const { keyring } = options;
    if (keyring.reaches(segment)) return true;
    if (!(await keyring.holdsKey(logId))) return false;
    await options.append({ event: "log.heartbeat", data: { segment }, error: null });
    return keyring.reaches(segment);
  }

  async function round(): Promise<void> {
    const at = await withKey(await catchUp());
    const due = at === undefined ? 0 : all ? at.lines : at.pending;
    all = false;
    if (at !== undefined && due > 0) await sign(at);
  }

  async function loop(): Promise<void> {
    while (asked) {
      asked = false;
      try {
        await round();
        problem = undefined;
      } catch (error) {
        if (error instanceof CutError) await refuse(error.message);
        else report(error);
      }
    }
  }

  function look(): Promise<void> {
    if (ended) return Promise.resolve();
    asked = true;
    running ??= loop().finally(() => {
      running = undefined;
      return asked ? look() : undefined;
    });
    return running;
  }

  async function tick(): Promise<void> {
    const isQuiet = options.clock.now() - aliveAt >= (options.heartbeatMs ?? 15 * MINUTE);
    const hasKey = options.keyring.oldest() !== undefined;
    if (isQuiet && hasKey && cursor !== undefined && problem === undefined) {
      aliveAt = options.clock.now();
      await options
        .append({ event: "log.heartbeat", data: { segment: cursor.segment }, error: null })
        .catch(report);
      all = true;
    }
    await look();
  }

  const timer = setInterval(() => void tick(), options.everyMs ?? MINUTE);
  timer.unref();

  return {
    saw(record) {
      if (stopped || record.event === "log.checkpoint" || record.event === "log.heartbeat") return;
      seen += 1;
      // From then on a log without any checkpoint is a log that lost them.
      const isNewKey = record.event === "log.open" || record.event === "log.key";
      if (isNewKey || record.decision === "denied" || seen >= everyRecords) void look();
    },
    now() {
      all = true;
      return look();
    },
    last: () => last,
    problem: () => problem,
    async stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      await look();
      ended = true;
      await cursor?.close();
      cursor = undefined;
    },
  };
}
