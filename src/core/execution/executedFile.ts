/** A file that a command runs, and in which language. Knows no file system. */

export interface ExecutedFile {
  /** Relative to where the call starts, absolute, or below `~`. */
  readonly path: string;
  readonly how:
    | { readonly kind: "shell" }
    /** A program text; `interpreter` is what runs it. */
    | { readonly kind: "code"; readonly interpreter: string }
    /** Told by its first line or its ending. */
    | { readonly kind: "program" }
    | { readonly kind: "package"; readonly scripts: readonly string[] }
    | { readonly kind: "make"; readonly targets: readonly string[] }
    /** A text of which some lines are run by a shell. */
    | { readonly kind: "lines"; readonly of: "editor" | "debugger" | "tasks" }
    /** What this code loads; the path is the folder that it starts in. */
    | { readonly kind: "imports"; readonly code: string; readonly interpreter: string };
}

const ENDINGS: Readonly<Record<string, string>> = {
  py: "python3",
  pyw: "python3",
  js: "node",
  mjs: "node",
  cjs: "node",
  ts: "node",
  mts: "node",
  cts: "node",
  jsx: "node",
  tsx: "node",
  rb: "ruby",
  pl: "perl",
  php: "php",
  lua: "lua",
  r: "rscript",
  go: "go",
  java: "java",
  ps1: "pwsh",
  c: "c",
  cc: "c",
  cpp: "c",
  rs: "rust",
};

export type Language = { readonly kind: "shell" } | { readonly kind: "code"; readonly interpreter: string };

/** By the first line, else by the ending; a file without either is a shell text to whoever starts it from a shell. */
export function languageOf(path: string, text: string): Language {
  const first = /^#!\s*(?:\S*\/)?(?:env\s+(?:-S\s+)?)?(?:\S*\/)?([\w.-]+)/
    .exec(text.slice(0, 256))?.[1]
    ?.toLowerCase();
  if (first !== undefined) return isShell(first) ? { kind: "shell" } : { kind: "code", interpreter: first };
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const interpreter = Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
  return interpreter === undefined ? { kind: "shell" } : { kind: "code", interpreter };
}

export function isShell(name: string): boolean {
  return /^(?:ba|z|da|k|mk|a|rba)?sh$|^(?:source|\.)$/.test(name);
}
