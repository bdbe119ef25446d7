/** Ties an audit log of a program of one's own to an OTLP receiver. Knows nothing of editors. */
import { CountersignError } from "../../core/errors";
import type { Log } from "../../ports";
import type { AuditLog } from "../auditOptions";
import { auditPlace } from "../auditPlace";
import { headersFromEnvironment, parseHeaders } from "./headers";
import { logsUrl } from "./post";
import { openOtlpSink } from "./sink";

export interface ExportLogOptions {
  /** `http://localhost:4318`, or a whole address. */
  readonly endpoint: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly log: Log;
}

const CLOSE_MS = 2000;
const TIMEOUT_MS = 10_000;

/** The same log; what it writes is sent too, from a queue beside it, and closing it sends what waits. Throws `usage` where the address or the headers are none. */
export function exportLog(audit: AuditLog, options: ExportLogOptions): AuditLog {
  const url = logsUrl(options.endpoint);
  if (url === undefined)
    throw new CountersignError("usage", `otlpEndpoint is no http or https address: ${options.endpoint}`);
  const headers = parseHeaders(headersFromEnvironment(options.env));
  if (headers === undefined)
    throw new CountersignError(
      "usage",
      "OTEL_EXPORTER_OTLP_HEADERS is not of the form NAME=VALUE,NAME=VALUE",
    );
  const sink = openOtlpSink({
    folder: `${audit.path.replace(/\.jsonl$/, "")}.otlp`,
    keyFile: auditPlace(audit.path).key,
    target: { url, headers, timeoutMs: TIMEOUT_MS },
    origin: { version: options.version },
    onLost: ({ count, why }) => {
      options.log.warn(`${count} record(s) were not exported: ${why}`);
      audit
        .append({ event: "log.export", data: { lost: count, why }, error: null })
        .catch((error: unknown) => options.log.error(String(error)));
    },
    onProblem: (why) => options.log.warn(`The export waits: ${why}`),
  });
  const stop = audit.onAppend((record) => sink.add(record));
  return {
    get path() {
      return audit.path;
    },
    get logId() {
      return audit.logId;
    },
    intend: (body) => audit.intend(body),
    append: (body) => audit.append(body),
    onAppend: (listener) => audit.onAppend(listener),
    async close() {
      stop();
      await sink.close(CLOSE_MS);
      await audit.close();
    },
  };
}
