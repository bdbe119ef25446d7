/** Where anyone may write: temporary folders, and devices that keep nothing. Pure data, per system. */
import { type Place, placeTable } from "./placeTable";

const rows = (what: string, os: Place["os"], places: string): readonly Place[] =>
  places
    .trim()
    .split(/\s*\n\s*/)
    .map((at) => ({ at, what, ...(os === undefined ? {} : { os }) }));

/** Reads and writes. What may be written here may be written by every program of the machine anyway. */
const TEMP_PLACES: readonly Place[] = [
  ...rows("a temporary folder", ["linux"], "/tmp/**\n/var/tmp/**\n/dev/shm/**"),
  ...rows(
    "a temporary folder",
    ["darwin"],
    "/tmp/**\n/private/tmp/**\n/var/tmp/**\n/private/var/tmp/**\n/var/folders/**\n/private/var/folders/**",
  ),
  ...rows("a temporary folder", ["win32"], "~/AppData/Local/Temp/**\n%/Windows/Temp/**\n%/Temp/**\n%/tmp/**"),
];

/** Writing here keeps nothing: `/dev/null` and the terminal. */
const SINKS: readonly Place[] = rows(
  "a device that keeps nothing",
  ["linux", "darwin"],
  "/dev/null\n/dev/zero\n/dev/full\n/dev/tty\n/dev/pts/*",
);

export const tempPlaces = placeTable(TEMP_PLACES);
export const sinkPlaces = placeTable(SINKS);
