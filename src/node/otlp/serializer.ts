/** The two parts of OpenTelemetry's own packages that the export uses. A file of its own in the build, loaded on first use. */
import { ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";

export const serializer = ProtobufLogsSerializer;
export const makeResource = resourceFromAttributes;
