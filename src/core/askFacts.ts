/** Reads from a question which text was judged and where it would act. Knows nothing of how that is worded or shown. */
import type { AskRequest } from "../ports";

/** The text a guard judged, and what would be done with it. */
export interface AskFragment {
  readonly text: string;
  readonly verb: "run" | "write" | "read" | "open" | "use";
  /** The statement touches every row of its table. */
  readonly allRows: boolean;
}

/** Where guards put the judged text, most exact first; then where tools carry it. */
const FRAGMENT_KEYS = ["fragment", "statement", "sql", "command", "path", "url"] as const;
const ARGUMENT_KEYS = [
  "command",
  "sql",
  "query",
  "code",
  "filePath",
  "file_path",
  "path",
  "url",
  "text",
  "input",
  "explanation",
] as const;

const RUNS: ReadonlySet<string> = new Set(["fragment", "statement", "sql", "command", "query", "code"]);

/** Words of the agent about its own call. They are not carried out, so they need not be read before allowing. */
const DESCRIPTIVE: Readonly<Record<string, ReadonlySet<string>>> = {
  Bash: new Set(["explanation", "goal", "description"]),
};

export function isDescriptive(canonicalName: string, argument: string): boolean {
  return Object.hasOwn(DESCRIPTIVE, canonicalName) && DESCRIPTIVE[canonicalName]?.has(argument) === true;
}

/** Any argument as text: strings as they are, everything else as JSON. */
export function text(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function verbOf(request: AskRequest, key: string): AskFragment["verb"] {
  if (RUNS.has(key)) return "run";
  switch (request.call.canonicalName) {
    case "Bash":
      return bashVerb(request.details);
    case "Write":
    case "Edit":
      return "write";
    case "Read":
    case "Glob":
    case "Grep":
      return "read";
    case "WebFetch":
      return "open";
    default:
      return key === "url" ? "open" : "use";
  }
}

/** Where a guard tells of a place that the command touches, that is what the command does there. */
function bashVerb({ path, access }: AskRequest["details"]): AskFragment["verb"] {
  if (path === undefined) return "run";
  return access === "read" ? "read" : "write";
}

/** Told by the guard outright, or by the statement's kind. */
function touchesAllRows({ allRows, op, has_where }: AskRequest["details"]): boolean {
  return (
    allRows === true || op === "TRUNCATE" || ((op === "DELETE" || op === "UPDATE") && has_where === false)
  );
}

/** The judged text, or null when the call has nothing that reads as one. */
export function fragmentOf(request: AskRequest): AskFragment | null {
  const allRows = touchesAllRows(request.details);
  for (const [source, keys] of [
    [request.details, FRAGMENT_KEYS],
    [request.finalArgs, ARGUMENT_KEYS],
  ] as const) {
    for (const key of keys) {
      const value = source[key];
      if (typeof value === "string" && value.trim() !== "")
        return { text: value, verb: verbOf(request, key), allRows };
    }
  }
  return null;
}

/** Where the call would act and why that is asked, null where unknown, not told, or said already. */
export function contextOf({ call, details, prompt }: AskRequest): {
  readonly database: string | null;
  readonly folder: string | null;
  /** Where the path really leads, when that is not what it says. */
  readonly real: string | null;
  readonly why: string | null;
} {
  const told = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : null);
  const why = told(details.why);
  const real = told(details.real);
  return {
    database: told(details.database),
    folder: call.cwd ?? null,
    real: real === details.path ? null : real,
    why: why === null || prompt.toLowerCase().includes(why.toLowerCase()) ? null : why,
  };
}
