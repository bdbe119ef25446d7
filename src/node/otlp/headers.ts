/** Headers for a receiver, as OpenTelemetry writes them in one text: `name=value,name=value`. Knows nothing of where the text comes from. */

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/** Undefined where the text is none of this form. Values may be spelt in percent codes. */
export function parseHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim();
    const value = decoded(part.slice(at + 1).trim());
    if (at < 1 || !NAME.test(name) || value === undefined) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function decoded(value: string): string | undefined {
  try {
    const plain = decodeURIComponent(value);
    return /^[\t\x20-\x7e]*$/.test(plain) ? plain : undefined;
  } catch {
    return undefined;
  }
}

/** The variables that every OpenTelemetry program reads; the one for logs wins. */
export function headersFromEnvironment(env: Readonly<Record<string, string | undefined>>): string {
  return env.OTEL_EXPORTER_OTLP_LOGS_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? "";
}
