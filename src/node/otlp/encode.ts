/** Log entries as bytes of OTLP, and what a receiver answers, through the official serializer. Loaded on first use: the package is large. */
import type { OtelEntry } from "../../core/audit/exportOtel";
import { SEMCONV_SCHEMA } from "../../core/audit/exportOtel";

export interface OtlpCodec {
  encode(entries: readonly OtelEntry[]): Uint8Array;
  /** How many entries the receiver threw away, and why; an answer that cannot be read counts as none. */
  rejected(answer: Uint8Array): { readonly count: number; readonly why: string };
}

export interface Origin {
  readonly version: string;
  /** Further resource attributes, e.g. `host.name`. */
  readonly resource?: Readonly<Record<string, string>>;
}

export async function loadCodec(origin: Origin): Promise<OtlpCodec> {
  const { serializer, makeResource } = await import("./serializer");
  const resource = makeResource({
    "service.name": "countersign",
    "service.version": origin.version,
    ...origin.resource,
  });
  const instrumentationScope = {
    name: "countersign.audit",
    version: origin.version,
    schemaUrl: SEMCONV_SCHEMA,
  };
  return {
    encode(entries) {
      const records = entries.map((entry) => ({
        hrTime: hrTime(entry.timeMs),
        hrTimeObserved: hrTime(entry.timeMs),
        severityText: entry.severityText,
        severityNumber: entry.severityNumber,
        eventName: entry.eventName,
        body: entry.body,
        attributes: Object.fromEntries(
          Object.entries(entry.attributes).map(([name, value]) => [
            name,
            typeof value === "object" ? [...value] : value,
          ]),
        ),
        droppedAttributesCount: 0,
        resource,
        instrumentationScope,
      }));
      return serializer.serializeRequest(records) ?? new Uint8Array();
    },
    rejected(answer) {
      if (answer.length === 0) return { count: 0, why: "" };
      try {
        const { partialSuccess } = serializer.deserializeResponse(answer);
        return {
          count: Number(partialSuccess?.rejectedLogRecords ?? 0),
          why: partialSuccess?.errorMessage ?? "",
        };
      } catch {
        return { count: 0, why: "" };
      }
    },
  };
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  const whole = Math.max(0, Math.floor(ms));
  return [Math.floor(whole / 1000), (whole % 1000) * 1_000_000];
}
