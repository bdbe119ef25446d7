/** Opens a file and makes sure that the descriptor is the file that was judged, whatever has become of its path since. */
import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { CountersignError, messageOf } from "../core/errors";

export interface OpenedFile {
  readonly handle: FileHandle;
  /** Real path of the open descriptor. */
  readonly real: string;
  readonly size: number;
}

export interface OpenApprovedOptions {
  /** Real path that was judged; a descriptor elsewhere is refused. */
  readonly approvedReal?: string;
  /** Real path of a folder that must hold the file. */
  readonly within?: string;
}

/** The caller closes `handle`. Throws `payload.malformed`: not a file, not readable, or no longer the approved one. */
export async function openApproved(path: string, options: OpenApprovedOptions = {}): Promise<OpenedFile> {
  const handle = await openReading(path);
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw refused(`${path} is not a regular file.`, "Name a regular file.");
    const real = await realPathOf(handle, path);
    if (options.approvedReal !== undefined && real !== options.approvedReal) {
      throw refused(
        `${path} is no longer the file that was approved: it is now ${real}.`,
        "Call the tool again, so that the new file is judged.",
      );
    }
    if (options.within !== undefined && !real.startsWith(withSeparator(options.within))) {
      throw refused(`${path} leads out of its folder, to ${real}.`, "Name the file itself.");
    }
    return { handle, real, size: info.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openReading(path: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK a named pipe would hold the call for ever.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw refused(`${path} cannot be opened: ${messageOf(error)}`, "Check the path and its permissions.");
  }
}

async function realPathOf(handle: FileHandle, path: string): Promise<string> {
  if (process.platform === "linux") return readlink(`/proc/self/fd/${handle.fd}`);
  const real = await realpath(path);
  const [opened, named] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })]);
  if (opened.dev === named.dev && opened.ino === named.ino) return real;
  throw refused(`${path} changed while it was being opened.`, "Call the tool again.");
}

function withSeparator(folder: string): string {
  return /[\\/]$/.test(folder) ? folder : `${folder}${process.platform === "win32" ? "\\" : "/"}`;
}

function refused(message: string, hint: string): CountersignError {
  return new CountersignError("payload.malformed", message, { hint });
}
