/** `file:` addresses to native path text (RFC 8089, WHATWG). Knows no file system. */
import type { Os } from "./canonicalPath";
import type { Refusal } from "./parsePath";

export function readFileUrl(text: string, os: Os): { readonly ok: true; readonly path: string } | Refusal {
  const match = /^file:(?:\/\/([^/\\?#]*))?([^?#]*)(.*)$/is.exec(text);
  if (match === null) return refuse("the file: address cannot be read");
  const [, host = "", raw = "", rest = ""] = match;
  if (rest !== "") return refuse("a file: address with a query or fragment names no file for sure");
  const encoded = os === "win32" ? /%(2f|5c|00)/i : /%(2f|00)/i;
  if (encoded.test(raw)) return refuse("the file: address hides a separator or NUL in percent signs");
  const path = decode(raw);
  if (path === null) return refuse("the file: address has a broken percent sequence");
  if (!/^[/\\]/.test(path)) return refuse("the file: address holds no absolute path");
  const local = host === "" || host.toLowerCase() === "localhost";
  if (os !== "win32")
    return local ? { ok: true, path } : refuse(`the file: address names another machine, "${host}"`);
  if (!local) return { ok: true, path: `\\\\${host}${path}` };
  // file:////server/share is the old spelling of a network place; file:///C:/x carries one slash too many.
  if (/^[/\\]{2,}/.test(path)) return { ok: true, path: path.replace(/^[/\\]+/, "\\\\") };
  return {
    ok: true,
    path: path.replace(/^[/\\]([a-z][:|])/i, (_, drive: string) => drive.replace("|", ":")),
  };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function refuse(reason: string): Refusal {
  return { ok: false, kind: "malformed", reason };
}
