/** The file of signed checkpoints, and the newest one kept elsewhere. Knows nothing of how a checkpoint comes about. */
import * as fs from "node:fs";
import { type Anchor, isFurther, parseAnchor } from "../core/audit/checkpoint";
import { openLog } from "./auditPlace";
import { readPrivateFile, writePrivateFile } from "./privateFile";

/** On the disk when it resolves. Notes follow each other after one blank line, also after one whose write was cut short. */
export async function appendNote(file: string, note: string): Promise<void> {
  const fd = openLog(file, { create: true });
  try {
    const { size } = fs.fstatSync(fd);
    const last = Buffer.alloc(1);
    if (size > 0) fs.readSync(fd, last, 0, 1, size - 1);
    const between = size === 0 ? "" : last[0] === 0x0a ? "\n" : "\n\n";
    // One write: two windows may append at once.
    fs.writeSync(fd, `${between}${note}`);
    await new Promise<void>((resolve, reject) => {
      fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    });
  } finally {
    fs.closeSync(fd);
  }
}

/** The newest checkpoint of one log, in a store that programs without our rights cannot write. */
export interface AnchorStore {
  load(): Promise<Anchor | undefined>;
  /** Ignored unless it is further on. One of another log is ignored too, unless `replaces` names the one that is known. */
  store(anchor: Anchor, options?: { readonly replaces?: string | undefined }): Promise<void>;
}

/** One text, wherever it is kept. */
export interface SecretText {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** A private file as the place of a text. Who runs as this user can change it. */
export function fileText(file: string): SecretText {
  return {
    load: () => readPrivateFile(file),
    save: (text) => writePrivateFile(file, text),
  };
}

export function anchorStore(secret: SecretText): AnchorStore {
  const load = async (): Promise<Anchor | undefined> => {
    const text = await secret.load();
    return text === undefined ? undefined : parseAnchor(text);
  };
  return {
    load,
    async store(anchor, options = {}) {
      const known = await load();
      if (known !== undefined) {
        if (known.log_id !== anchor.log_id && options.replaces !== known.log_id) return;
        if (known.log_id === anchor.log_id && !isFurther(anchor, known)) return;
      }
      await secret.save(JSON.stringify(anchor));
    },
  };
}
