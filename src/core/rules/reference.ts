/** The schema as documents: JSON Schema, the editor's settings, tables for the README. Read by the generator; knows no files. */
import * as z from "zod";
import { type KeyPath, keyPaths, keyRules, readKey } from "./keyRules";
import { configSchema, defaultConfig } from "./schema";
import { keysOf } from "./schemaWalk";
import { settingKeys } from "./userLayer";

type Json = Record<string, unknown>;

/** JSON Schema (draft 7) of `gateway-hooks.json`, and of the same tree in TOML. */
export function jsonSchema(): Json {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
  return { $schema, title: "gateway-hooks", ...schema };
}

function schemaOf(key: KeyPath): Json {
  let at: Json = jsonSchema();
  for (const part of key.split(".")) at = (at.properties as Record<string, Json>)[part] ?? {};
  return at;
}

/** Settings that are not part of the workspace file. */
const ownSettings: Readonly<Record<string, Json>> = {
  "countersign.ask.timeoutSeconds": {
    type: "integer",
    default: 300,
    minimum: 10,
    maximum: 3600,
    description: "How long a question waits for a person, in seconds. After that the call is denied.",
  },
  "countersign.audit.otlp.endpoint": {
    type: "string",
    default: "",
    maxLength: 2048,
    description:
      "Where records go beside the file, as OpenTelemetry logs (OTLP/HTTP): `http://localhost:4318`, or a whole address. Empty means nowhere. Secrets in headers: the command *Set Headers for the Audit Export*, or `OTEL_EXPORTER_OTLP_HEADERS`.",
  },
  "countersign.locked": {
    type: "array",
    items: {
      type: "string",
      enum: ["*", "chain", "audit", "database", "hooks", ...keyPaths.filter((key) => key !== "version")],
    },
    uniqueItems: true,
    default: [],
    description:
      "Keys that a workspace's `gateway-hooks.toml` may not loosen, even after somebody accepts it: key paths, tables, or `*` for all.",
  },
};

/** All settings are machine-scoped: every one can weaken what is enforced, and a workspace must not. */
export function settingsContribution(): Json {
  const fromSchema = settingKeys.map((key): [string, Json] => [`countersign.${key}`, schemaOf(key)]);
  const all = [...fromSchema, ...Object.entries(ownSettings)];
  const properties = all.map(([name, schema], order): [string, Json] => {
    const { description, ...rest } = schema;
    return [name, { ...rest, scope: "machine", order, markdownDescription: description }];
  });
  return { title: "Countersign", properties: Object.fromEntries(properties) };
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

export function settingsTable(): string {
  const { properties } = settingsContribution() as { properties: Record<string, Json> };
  const rows = Object.entries(properties).map(([name, schema]) => {
    const value = schema.default === undefined ? "–" : code(schema.default);
    return `| \`${name}\` | ${cell(value)} | ${cell(String(schema.markdownDescription))} |`;
  });
  return ["| Setting | Default | What it does |", "| --- | --- | --- |", ...rows].join("\n");
}

/** What applies by itself when a workspace file changes; everything else waits for a person. */
function stricter(key: KeyPath): string {
  const rule = keyRules[key];
  switch (rule.kind) {
    case "switch":
      return "`true`";
    case "ladder":
      return rule.steps.map((step) => `\`"${step}"\``).join(" → ");
    case "limit":
      return "lower";
    case "more":
      return "entries added, but for names by which calls are judged (`command`, `sql`, …)";
    case "added":
      return "entries added";
    case "fewer":
      return "entries removed";
    case "mapping":
      return "tools added";
    case "rules":
      return "rules added that only deny";
    case "quota":
      return "on, or fewer calls";
    case "fixed":
    case "fixed-list":
      return "–";
  }
}

export function configTable(): string {
  const known = new Map(keysOf(configSchema).map(({ path, description }) => [path, description]));
  const rows = keyPaths.map((key) => {
    const value = readKey(defaultConfig, key);
    const cells = [
      `\`${key}\``,
      allowed(key),
      value === undefined ? "–" : code(value),
      stricter(key),
      known.get(key),
    ];
    return `| ${cells.map((text) => cell(text ?? "")).join(" | ")} |`;
  });
  const head = ["| Key | Values | Default | Stricter | What it does |", "| --- | --- | --- | --- | --- |"];
  return [...head, ...rows].join("\n");
}

function allowed(key: KeyPath): string {
  const schema = schemaOf(key);
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => `\`${String(word)}\``).join(", ");
  if (schema.const !== undefined) return code(schema.const);
  if (schema.type === "integer") return `${String(schema.minimum)} to ${String(schema.maximum)}`;
  if (keyRules[key].kind === "rules") return "rules";
  if (schema.type === "array") return "list of text";
  if (schema.type === "object") return "tool = argument";
  return schema.type === "boolean" ? "true, false" : "text";
}

/** Every key of a rule and of each kind of handler. */
export function rulesTable(): string {
  const rule = itemsOf(schemaOf("hooks.pre_tool_call"));
  const handlers = itemsOf((rule.properties as Record<string, Json>).handlers ?? {});
  const kinds = (handlers.oneOf ?? handlers.anyOf ?? []) as readonly Json[];
  const rows = [
    ...rowsOf("a rule", rule),
    ...together(kinds.flatMap((kind) => rowsOf(`\`${kindOf(kind)}\``, kind))),
  ];
  const head = ["| In | Key | Values | What it does |", "| --- | --- | --- | --- |"];
  return [...head, ...rows.map((cells) => `| ${cells.map(cell).join(" | ")} |`)].join("\n");
}

/** What several kinds have is told once. */
function together(rows: readonly Row[]): readonly Row[] {
  const same = new Map<string, Row>();
  for (const [where, ...rest] of rows) {
    const key = JSON.stringify(rest);
    const known = same.get(key);
    same.set(key, [known === undefined ? where : `${known[0]}, ${where}`, ...rest]);
  }
  return [...same.values()];
}

const itemsOf = (list: Json): Json => (list.items ?? {}) as Json;
const kindOf = (handler: Json): string =>
  String((handler.properties as Record<string, Json>).type?.const ?? "");

type Row = readonly [where: string, key: string, values: string, text: string];

function rowsOf(where: string, table: Json): readonly Row[] {
  const required = (table.required ?? []) as readonly string[];
  return Object.entries(table.properties as Record<string, Json>).map(([key, schema]) => [
    where,
    `\`${key}\`${required.includes(key) ? " (needed)" : ""}`,
    valuesOf(schema),
    String(schema.description ?? ""),
  ]);
}

function valuesOf(schema: Json): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => `\`${String(word)}\``).join(", ");
  if (schema.const !== undefined) return code(schema.const);
  const choice = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;
  if (choice !== undefined) return choice.map(valuesOf).join(" or ");
  const names: Readonly<Record<string, string>> = {
    string: "text",
    boolean: "true, false",
    object: "table",
    array: "list",
  };
  if (schema.type === "number") return `${String(schema.minimum)} to ${String(schema.maximum)}`;
  return names[String(schema.type)] ?? "";
}
