/** What a handler sees of our environment: a short list of names, and what its configuration names. Reads no environment itself. */
import { realpath } from "node:fs/promises";
import { delimiter, resolve, sep } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Enough to find programs, write temporary files and print in the person's language; nothing that carries a secret or code. */
const PASSED: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  // Windows programs do not start without these.
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "USERPROFILE",
  "USERNAME",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMFILES",
  "PROGRAMDATA",
];

const isPassed = (name: string) => PASSED.includes(name.toUpperCase()) || /^LC_[A-Z]+$/.test(name);

/** Our own variables hold what proves a client to the broker: no handler is given one, whatever its configuration names. */
export const isOurs = (name: string) => /^COUNTERSIGN_/i.test(name);

export function filteredEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isPassed(name))
      kept[name] = name.toUpperCase() === "PATH" ? fixedPath(value) : value;
  }
  return kept;
}

/** Without relative and empty entries: a program is not looked for in whatever folder the handler runs in. */
export function fixedPath(path: string): string {
  const separator = process.platform === "win32" ? ";" : ":";
  const isAbsolute = process.platform === "win32" ? /^[A-Za-z]:[\\/]|^\\\\/ : /^\//;
  return path
    .split(separator)
    .filter((entry) => isAbsolute.test(entry))
    .join(separator);
}

export type Expanded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string; readonly suggestion: string };

const REFERENCE = /\$\{([^}]*)\}/g;

/** Puts values in the place of `${NAME}`; the values themselves are never in a message. */
export function expandNames(text: string, env: Environment): Expanded {
  for (const [, name = ""] of text.matchAll(REFERENCE)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const message = `\${${name}} names no environment variable`;
      return { ok: false, message, suggestion: "letters, digits and _ only" };
    }
    if (isOurs(name)) {
      const message = `${name} is Countersign's own and is given to no handler`;
      return { ok: false, message, suggestion: "name another variable" };
    }
    if (env[name] === undefined) {
      const message = `the environment has no variable ${name}`;
      return {
        ok: false,
        message,
        suggestion: `set ${name} before the program starts, or remove \${${name}}`,
      };
    }
  }
  return { ok: true, text: text.replace(REFERENCE, (_, name: string) => env[name] ?? "") };
}

/** Without the folders of `PATH` that lie within `folder`: a program put there later was not seen by who trusted the rest. */
async function environmentOutside(env: Environment, folder: string): Promise<Record<string, string>> {
  const kept = filteredEnvironment(env);
  for (const [name, value] of Object.entries(kept)) {
    if (name.toUpperCase() !== "PATH") continue;
    const entries = await Promise.all(
      value.split(delimiter).map(async (entry) => {
        const real = await realpath(entry).catch(() => entry);
        return isWithin(resolve(entry), folder) || isWithin(real, folder) ? [] : [entry];
      }),
    );
    kept[name] = entries.flat().join(delimiter);
  }
  return kept;
}

/** For handlers of a folder: whole where whoever runs the program answers for what they run. */
export function environmentFor({
  env,
  folder,
  unlisted,
}: {
  readonly env: Environment;
  readonly folder: string;
  readonly unlisted: "problem" | "allowed";
}): Promise<Record<string, string>> {
  return unlisted === "allowed" ? Promise.resolve(filteredEnvironment(env)) : environmentOutside(env, folder);
}

const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

export function namesVariables(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}
