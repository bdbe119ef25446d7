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

/** The keys of the table at `path`; none where `path` is no table with fixed keys. `value` is the document, which tells the kind of a handler. */
export function keysOfTable(root: z.core.$ZodType, path: Path, value?: unknown): readonly string[] {
  const at = tableAt(root, path, value);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** The schema of what stands at `path`. */
export function tableAt(root: z.core.$ZodType, path: Path, value?: unknown): z.core.$ZodType | undefined {
  let at: z.core.$ZodType | undefined = bare(root);
  let here = value;
  for (const part of path) {
    const next: unknown =
      at instanceof z.ZodArray && typeof part === "number"
        ? at.element
        : at instanceof z.ZodObject
          ? at.shape[String(part)]
          : undefined;
    if (!(next instanceof z.ZodType)) return undefined;
    here = typeof here === "object" && here !== null ? Reflect.get(here, part) : undefined;
    at = meant(bare(next), here);
  }
  return at;
}

/** Of tables that differ by one key's value, the one that the value is. */
function meant(schema: z.core.$ZodType, value: unknown): z.core.$ZodType | undefined {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  const { discriminator } = schema.def;
  const type = typeof value === "object" && value !== null ? Reflect.get(value, discriminator) : undefined;
  return schema.options.find((option) => {
    const literal: unknown = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
    return literal instanceof z.ZodLiteral && literal.values.has(type);
  });
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
