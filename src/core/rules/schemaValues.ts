/** Kinds of values that the grammar is made of: texts, tables of tools, places. Knows no key. */
import * as z from "zod";

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

export const printable = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((s) => !CONTROL.test(s), "must not contain control characters");

export const unique = (list: readonly string[]) => new Set(list).size === list.length;

/** Keys that no record may have: they mean something to JavaScript itself. */
const unsafeKeys: readonly string[] = ["__proto__", "constructor", "prototype"];

export const toolMap = () =>
  z.record(
    printable(256).refine((s) => !unsafeKeys.includes(s), "is not a tool name"),
    printable(128),
  );

/**
 * Where the log may lie: below `storage/` of the data folder and nowhere else, so that no configuration
 * can point the writer at a person's own files. The writer itself refuses links.
 */
export const storagePath = printable(512).refine((path) => {
  const segments = path.split("/");
  return (
    segments.length > 1 &&
    segments[0] === "storage" &&
    segments.every((s) => /^(?:[\w.-]|\{profile\})+$/u.test(s) && !/^\.+$/u.test(s) && !s.endsWith(".")) &&
    path.endsWith(".jsonl")
  );
}, 'must lie in the storage folder and end in .jsonl, like "storage/{profile}/audit.jsonl"');

export const databaseUrl = printable(2048).refine(
  (url) => /^(?:sqlite:[^\s]|(?:postgres|postgresql|mysql|mariadb):\/\/[^\s])/u.test(url),
  'must begin with "sqlite:", "postgres://", "mysql://" or "mariadb://"',
);
