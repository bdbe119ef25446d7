/** Takes the templates out of a model's SQL that only name a table or a value. Judges nothing. */
import type { SqlFacet } from "../core/call";
import { wordsOf } from "./toolTables";

/** Tools of dbt run what its templates come to. */
export function isModelTool(toolName: string): boolean {
  return wordsOf(toolName).includes("dbt");
}

const TEXT = String.raw`(?:'[\w.: -]{0,100}'|"[\w.: -]{0,100}")`;
const TEXTS = String.raw`\s*(?:${TEXT}\s*(?:,\s*${TEXT}\s*)?)`;
const NAMES = new RegExp(
  String.raw`\{\{-?\s*(?:ref|source)\s*\(${TEXTS}(?:,\s*(?:v|version)\s*=\s*${TEXT}\s*)?\)\s*-?\}\}`,
  "g",
);
const VALUES = new RegExp(String.raw`\{\{-?\s*var\s*\(${TEXTS}\)\s*-?\}\}`, "g");
/** Hooks are SQL of their own. */
const SETTINGS = new RegExp(
  String.raw`\{\{-?\s*config\s*\(\s*(?:(?!\w*hook)\w{1,60}\s*=\s*(?:${TEXT}|true|false|\d+)\s*,?\s*){0,20}\)\s*-?\}\}`,
  "gi",
);
const REMARK = /\{#[\s\S]*?#\}/g;

const UNSEEN = "A template decides what runs and cannot be seen.";

/** With a template left over the text is not to be judged by what stands around it. */
export function withoutTemplates(facet: SqlFacet): SqlFacet {
  if (!/\{[{%#]/.test(facet.text)) return facet;
  const text = facet.text
    .replace(REMARK, " ")
    .replace(SETTINGS, " ")
    .replace(NAMES, (whole) => /(\w{1,100})['"][^'"]*$/.exec(whole)?.[1] ?? "model")
    .replace(VALUES, (whole) => /(\w{1,100})['"][^'"]*$/.exec(whole)?.[1] ?? "value");
  return /\{[{%#]|[}%#]\}/.test(text) ? { ...facet, why: UNSEEN } : { ...facet, text };
}
