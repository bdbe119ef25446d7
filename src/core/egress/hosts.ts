/** Reads the host out of an address, however it is written. Knows no host, resolves nothing. */
import { UNKNOWN } from "../paths/shellWords";

/** Lower case, without port and brackets; null = nobody can tell. */
export type Host = string | null;

const URL_START = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;
/** Schemes that leave this machine. */
const REMOTE_SCHEME =
  /^(?:git\+|svn\+|hg\+)?(?:https?|ftps?|sftp|wss?|git|ssh|rsync|tcp|udp|ldaps?|telnet|smtps?|imaps?|pop3s?|dict|gopher|mqtts?|socks[45]h?a?|postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|nats|clickhouse|docker|oci|s3|gs|az):\/\//i;

export function isAddress(text: string): boolean {
  return REMOTE_SCHEME.test(text);
}

/** `https://user@Host:80/x`, `host:80/x`, `[::1]:80`; null where the part that names the host is not known. */
export function hostOf(text: string): Host {
  const rest = text.replace(URL_START, "");
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  // Programs read a backslash, a percent sign or a bracket in there each in its own way.
  const own = authority.slice(authority.lastIndexOf("@") + 1);
  const six = /^\[([0-9a-f:.]+)\]/i.exec(own)?.[1];
  if (six !== undefined) return six.toLowerCase();
  const host = own
    .replace(/:[^:]*$/, "")
    .replace(/\.$/, "")
    .toLowerCase();
  return /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*$/u.test(host) && !authority.includes("\\") ? host : null;
}

/** `user@host:path` as ssh, scp and git write it; undefined = it is a local path. */
export function scpHost(text: string): Host | undefined {
  if (/^[a-z]:[\\/]/i.test(text)) return undefined;
  const match = /^(?:([^@/:]*)@)?(\[[^\]]+\]|[^/:]+):(?!\/\/)/.exec(text);
  if (match === null) return undefined;
  return hostOf((match[2] ?? "").includes(UNKNOWN) ? UNKNOWN : (match[2] ?? ""));
}

const QUAD = /^127(?:\.\d{1,3}){3}$/;

export function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "::1" ||
    host === "0.0.0.0" ||
    host === "::" ||
    host === "host.docker.internal" ||
    QUAD.test(host)
  );
}

/** `*.example.com` means every host below it. */
export function isOneOf(host: string, patterns: readonly string[]): boolean {
  return hostList(patterns)(host);
}

/** The same for a list that is asked often. */
export function hostList(patterns: readonly string[]): (host: string) => boolean {
  const all = patterns.map((pattern) => pattern.toLowerCase());
  const exact = new Set(all);
  const endings = all.filter((pattern) => pattern.startsWith("*.")).map((pattern) => pattern.slice(1));
  return (host) => exact.has(host) || endings.some((ending) => host.endsWith(ending));
}

/** One spelling of a repository's address: `github.com/acme/shop`; undefined = it is none, or a local path. */
export function repositoryOf(text: string): string | undefined {
  const scp = isAddress(text) ? undefined : /^(?:[^@/:]*@)?([^/:]+):(.+)$/s.exec(text);
  const host = isAddress(text)
    ? hostOf(text)
    : scp === null || scp === undefined
      ? null
      : hostOf(scp[1] ?? "");
  if (host === null) return undefined;
  const path = isAddress(text) ? text.replace(URL_START, "").replace(/^[^/]*/, "") : (scp?.[2] ?? "");
  const plain = path
    .replace(/[?#].*$/s, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
  return `${host}/${plain}`.toLowerCase();
}
