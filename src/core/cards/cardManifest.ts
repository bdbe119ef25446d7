/** `card.json`: what a card is called and what it brings. Text in; the manifest and every mistake with its place out. Knows no disk. */
import * as z from "zod";
import type { CardIssue } from "../policies/types";
import { type Path, parseJsonText, pathKey, type Span } from "../rules/jsonText";
import { visibleLine } from "../visible";
import { NAME_RULE, parseCardName, partProblem } from "./cardName";
import { isVersion } from "./cardVersion";
import { placeIn } from "./textPlace";

const MAX_NAMED = 100;
const plainText = z
  .string()
  .max(2000)
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}]*$/u, "must be plain text on one line");

const names = z
  .array(
    z.string().superRefine((name, ctx) => {
      const wrong = partProblem(name);
      if (wrong !== undefined)
        ctx.addIssue({
          code: "custom",
          message: `the name is refused: ${wrong}`,
          params: { code: "card.unsafe_name" },
        });
    }),
  )
  .max(MAX_NAMED)
  .superRefine((list, ctx) => {
    list.forEach((name, index) => {
      if (list.indexOf(name) !== index)
        ctx.addIssue({
          code: "custom",
          path: [index],
          message: `${JSON.stringify(name)} is named twice`,
          params: { code: "card.duplicate" },
        });
    });
  });

const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of a variable"),
  plainText,
);
const server = z.union(
  [
    z.strictObject({
      command: plainText.min(1),
      args: z.array(plainText).max(200).exactOptional(),
      env: variables.exactOptional(),
    }),
    z.strictObject({
      url: plainText.regex(/^https?:\/\//, "must be an address that begins with https://"),
      headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,128}$/), plainText).exactOptional(),
    }),
  ],
  { error: "a server has either `command` (with `args` and `env`) or `url` (with `headers`)" },
);

const manifestSchema = z.strictObject({
  name: z.string().refine((name) => parseCardName(name) !== undefined, {
    error: `must be @handle/name; each of the two ${NAME_RULE}`,
    params: { code: "card.name" },
  }),
  version: z.string().refine(isVersion, {
    error: "must be one version in full, such as 1.0.0",
    params: { code: "card.version" },
  }),
  description: plainText.exactOptional(),
  license: plainText.max(100).exactOptional(),
  hooks: z.strictObject({ include: names }).exactOptional(),
  skills: z.strictObject({ include: names }).exactOptional(),
  servers: z
    .record(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "must be a name: letters, digits, - and _"),
      server,
    )
    .exactOptional(),
});

export type CardManifest = z.infer<typeof manifestSchema>;
export type CardServer = z.infer<typeof server>;

export const MANIFEST = "card.json";

export const policiesOf = (manifest: CardManifest): readonly string[] => manifest.hooks?.include ?? [];
export const skillsOf = (manifest: CardManifest): readonly string[] => manifest.skills?.include ?? [];
export const serversOf = (manifest: CardManifest): Readonly<Record<string, CardServer>> =>
  manifest.servers ?? {};

export type ReadManifest =
  | { readonly ok: true; readonly manifest: CardManifest }
  | { readonly ok: false; readonly issues: readonly CardIssue[] };

/** `file` is what issues are told of; `card` the name that is known of it so far. */
export function readManifest(
  text: string,
  { file, card }: { readonly file: string; readonly card: string },
): ReadManifest {
  const json = parseJsonText(text);
  const at = (span: Span | undefined) => placeIn(text, span?.start ?? 0);
  if (!json.ok) {
    const issue: CardIssue = {
      code: "card.syntax",
      card,
      message: json.message,
      mend: "Write card.json as JSON.",
      file,
      ...at(json.span),
      severity: "error",
    };
    return { ok: false, issues: [issue] };
  }
  const checked = manifestSchema.safeParse(json.value);
  if (checked.success) return { ok: true, manifest: checked.data };
  const spans: SpanOf = (path, part) => json.spans.get(pathKey(path))?.[part];
  const mistakes = checked.error.issues.flatMap((issue) => mistakesOf(issue, spans));
  const issues = mistakes.map(({ span, ...said }): CardIssue => {
    return { card, file, ...said, ...at(span), severity: "error" };
  });
  return { ok: false, issues };
}

type SpanOf = (path: Path, part: "key" | "value") => Span | undefined;
type Mistake = Pick<CardIssue, "code" | "message" | "mend"> & { readonly span: Span | undefined };

function mistakesOf(issue: z.core.$ZodIssue, spans: SpanOf): readonly Mistake[] {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      code: "card.unknown_key",
      message: `${[...path, visibleLine(key)].join(".")} is not a key of card.json`,
      mend: "Take it out; docs/policies.md lists the keys.",
      span: spans([...path, key], "key"),
    }));
  const where = path.length === 0 ? "card.json" : visibleLine(path.join("."));
  const message = `${where}: ${visibleLine(issue.message)}`;
  const mend = "Mend it in card.json; docs/policies.md lists the keys.";
  return [{ code: codeOf(issue), message, mend, span: nearestSpan(path, spans) }];
}

function codeOf(issue: z.core.$ZodIssue): string {
  const given: unknown = issue.code === "custom" ? issue.params?.code : undefined;
  if (typeof given === "string") return given;
  const [key] = issue.path;
  return key === "name" || key === "version" ? `card.${key}` : "card.value";
}

/** What is missing has no place: the table that misses it has. */
function nearestSpan(path: Path, spans: SpanOf): Span | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const span = spans(path.slice(0, length), "value");
    if (span !== undefined) return span;
  }
  return undefined;
}

export const manifestText = (manifest: CardManifest): string => `${JSON.stringify(manifest, null, 2)}\n`;
