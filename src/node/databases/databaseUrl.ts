/** Reads a database URL of the settings. Knows no driver, and keeps passwords out of everything it says. */
import { createHash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import { CountersignError } from "../../core/errors";

export type DatabaseTarget =
  | { readonly dialect: "sqlite"; readonly file: string; readonly label: string; readonly digest: string }
  | {
      readonly dialect: "postgres" | "mysql";
      /** With secrets filled in; for the driver alone. */
      readonly url: URL;
      readonly label: string;
      readonly digest: string;
    };

export interface DatabaseUrlOptions {
  /** Absolute; where relative SQLite files are. */
  readonly dataFolder: string;
  /** Absent = `${NAME}` is refused: a workspace's own URL must not read the environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const SERVERS: Readonly<Record<string, "postgres" | "mysql">> = {
  "postgres:": "postgres",
  "postgresql:": "postgres",
  "mysql:": "mysql",
  "mariadb:": "mysql",
};

const HINT =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the setting's own notation.
  'Use "sqlite:data.db", "postgres://user:${DB_PASSWORD}@host/name" or "mysql://user:${DB_PASSWORD}@host/name".';

/** Throws `database.url`. */
export function parseDatabaseUrl(text: string, options: DatabaseUrlOptions): DatabaseTarget {
  if (text.includes("\0"))
    throw new CountersignError("database.url", "The database URL holds a NUL character.", { hint: HINT });
  // "${DATABASE_URL}" is a whole URL; elsewhere a value is one part of a URL and is encoded.
  if (/^\$\{[^}]*\}$/.test(text)) {
    const { env: _used, ...rest } = options;
    return parseDatabaseUrl(interpolate(text, options.env, String), rest);
  }
  if (/^sqlite3?:/i.test(text))
    return sqliteTarget(interpolate(text, options.env, String), options.dataFolder);
  const url = parseUrl(interpolate(text, options.env, encodeURIComponent));
  const dialect = SERVERS[url.protocol];
  if (dialect === undefined) {
    throw new CountersignError("database.url", `Databases of the kind "${url.protocol}" are not supported.`, {
      hint: HINT,
    });
  }
  const name = safeDecode(url.pathname.slice(1));
  const user = url.username === "" ? "" : `${safeDecode(url.username)}@`;
  const label = `${dialect}://${user}${url.host}/${name}`;
  return { dialect, url, label, digest: sha256(label) };
}

function sqliteTarget(text: string, dataFolder: string): DatabaseTarget {
  const rest = text.replace(/^sqlite3?:/i, "");
  const path = rest.startsWith("//") ? rest.replace(/^\/\/(?=\/|[^/])/, "") : rest;
  if (path === "")
    throw new CountersignError("database.url", "The SQLite URL names no file.", { hint: HINT });
  if (path === ":memory:") {
    return { dialect: "sqlite", file: path, label: "sqlite::memory:", digest: sha256("sqlite::memory:") };
  }
  // SQLite would read "file:..." as a URI with options such as another file system.
  if (/^file:/i.test(path))
    throw new CountersignError("database.url", 'SQLite "file:" URIs are not supported.', { hint: HINT });
  const file = isAbsolute(path) ? path : resolve(dataFolder, path);
  return { dialect: "sqlite", file, label: `sqlite:${file}`, digest: sha256(`sqlite:${file}`) };
}

function interpolate(
  text: string,
  env: DatabaseUrlOptions["env"],
  encode: (value: string) => string,
): string {
  return text.replace(/\$\{([^}]*)\}/g, (_all, name: string) => {
    if (env === undefined) {
      throw new CountersignError(
        "database.url",
        `The database URL uses \${${name}}, which only the user's own setting may.`,
        {
          hint: "Put the URL into the user setting instead of a workspace file.",
        },
      );
    }
    const value = env[name];
    if (value === undefined) {
      throw new CountersignError(
        "database.url",
        `The environment variable ${name} of the database URL is not set.`,
        {
          hint: `Set ${name} before the editor starts.`,
        },
      );
    }
    return encode(value);
  });
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The cause holds the URL, and with it the password.
    throw new CountersignError("database.url", "The database URL cannot be read.", { hint: HINT });
  }
}

/** `decodeURIComponent` that leaves a stray percent sign alone. */
export function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
