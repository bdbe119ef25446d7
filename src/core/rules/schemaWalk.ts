/** Reads the shape of the configuration schema: tables, keys, defaults, descriptions. Knows zod, nothing of any one key. */
import * as z from "zod";
import type { Path } from "./jsonText";

export interface SchemaKey {
  /** `chain.options.quota.calls` */
  readonly path: string;
  readonly schema: z.core.$ZodType;
  readonly description: string;
  /** Undefined when the value is right, else what is wrong with it. */
  readonly check: (value: unknown) => string | undefined;
}

function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodExactOptional
  ) {
    return bare(schema.unwrap());
  }
  return schema;
}

const descriptionOf = (schema: z.core.$ZodType): string => z.globalRegistry.get(schema)?.description ?? "";

/** The keys of the table at `path`; none where `path` is no table with fixed keys. */
export function keysOfTable(root: z.core.$ZodType, path: Path): readonly string[] {
  let at = bare(root);
  for (const part of path) {
    if (!(at instanceof z.ZodObject)) return [];
    const next: unknown = at.shape[String(part)];
    if (!(next instanceof z.ZodType)) return [];
    at = bare(next);
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** Every key that holds a value, in the order of the schema. */
export function keysOf(root: z.core.$ZodType, prefix = ""): readonly SchemaKey[] {
  const table = bare(root);
  if (!(table instanceof z.ZodObject)) return [];
  return Object.entries(table.shape).flatMap(([name, inner]): readonly SchemaKey[] => {
    const path = `${prefix}${name}`;
    if (!(inner instanceof z.ZodType)) return [];
    const below = keysOf(inner, `${path}.`);
    return below.length > 0 ? below : [keyOf(path, inner)];
  });
}

function keyOf(path: string, schema: z.ZodType): SchemaKey {
  const check = (value: unknown) => schema.safeParse(value).error?.issues[0]?.message;
  return { path, schema, description: descriptionOf(schema), check };
}
