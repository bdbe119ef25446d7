/** What one terminal text puts into files before it runs them: here-documents, echo, downloads. Judges nothing. */
import type { FileSystem } from "../../ports";
import type { CommandFacet } from "../call";
import { inFolder } from "../paths/changeFolder";
import { namedPaths } from "../paths/commandPaths";
import { locateCommands } from "../paths/commandTree";
import type { LocatedCommand } from "../paths/locatedCommand";
import { resolvePath } from "../paths/resolvePath";
import { UNKNOWN } from "../paths/shellWords";
import { isWindowsShell, programName } from "../shell/command";
import { stdinText } from "../shell/stdin";

export interface InCall {
  /** Real path to text. */
  readonly texts: ReadonlyMap<string, string>;
  /** Real paths that are downloaded: nobody knows what will stand there. */
  readonly downloads: ReadonlySet<string>;
  /** Real paths that programs fill: what they print nobody can read here. */
  readonly made: ReadonlySet<string>;
  /** Names that files get before they are run: real path to the real path where the text stands. */
  readonly moved: ReadonlyMap<string, string>;
}

export async function writtenInCall(
  commands: readonly CommandFacet[],
  { fs, cwd }: { readonly fs: FileSystem; readonly cwd: string | undefined },
): Promise<InCall> {
  const texts = new Map<string, string>();
  const downloads = new Set<string>();
  const made = new Set<string>();
  const moved = new Map<string, string>();
  const realOf = async (path: string, folder: string | undefined): Promise<string | undefined> => {
    const resolved = await resolvePath({ path: inFolder(path, folder), cwd, fs });
    return resolved.ok ? resolved.real.text : undefined;
  };
  for (const { text, shell, folder } of commands) {
    if (isWindowsShell(shell)) continue;
    for (const located of locateCommands(text, shell).commands) {
      for (const written of writtenBy(located)) {
        const real = await realOf(written.path, folder);
        if (real === undefined) continue;
        if (written.text === null) (written.made ? made : downloads).add(real);
        else texts.set(real, `${written.appends ? (texts.get(real) ?? "") : ""}${written.text}\n`);
      }
      for (const { from, to } of renamedBy(located)) {
        const [source, target] = await Promise.all([realOf(from, folder), realOf(to, folder)]);
        if (source !== undefined && target !== undefined && source !== target)
          moved.set(target, moved.get(source) ?? source);
      }
    }
  }
  return { texts, downloads, made, moved };
}

interface Written {
  readonly path: string;
  /** Null = it comes from the network. */
  readonly text: string | null;
  readonly appends?: true;
  /** A program of this machine prints it. */
  readonly made?: true;
}

/** `mv q.txt q.sh`, `cp q.txt d/`: each source under the names that it may have then. */
function renamedBy({
  argv,
  folders,
}: LocatedCommand): readonly { readonly from: string; readonly to: string }[] {
  if (!/^(?:mv|cp|gcp|ln|install|ditto)$/.test(programName(argv[0]) ?? "")) return [];
  const named = namedPaths(argv, "posix");
  const from = named.filter(({ action }) => /^(?:read|move|link)$/.test(action)).slice(0, MAX_RENAMED);
  const to = named.filter(({ action }) => /^(?:write|fill)$/.test(action)).slice(0, MAX_RENAMED);
  return folders.flatMap((folder) =>
    folder === null
      ? []
      : from.flatMap((source) =>
          to
            .filter(({ text }) => from.length === 1 || nameOf(text) === nameOf(source.text))
            .map((target) => ({ from: inFolder(source.text, folder), to: inFolder(target.text, folder) })),
        ),
  );
}

const MAX_RENAMED = 20;
const nameOf = (path: string): string => path.replace(/\/+$/, "").split("/").at(-1) ?? "";

function writtenBy({ argv, redirects, folders, command }: LocatedCommand): readonly Written[] {
  const program = programName(argv[0]) ?? "";
  const out: Written[] = [];
  const printed = stdinText({
    argv: ["cat"],
    words: ["cat"],
    assignments: [],
    raw: "",
    redirects: [],
    pipedFrom: command,
  });
  for (const { op, word } of redirects) {
    if (!/^(?:>|>>|>\||&>|&>>)$/.test(op) || word.text.includes(UNKNOWN)) continue;
    if (/^(?:curl|wget)$/.test(program)) out.push({ path: word.text, text: null });
    else if (printed.kind === "text")
      out.push({
        path: word.text,
        text: printed.texts[0] ?? "",
        ...(op.includes(">>") ? { appends: true } : {}),
      });
    else if (program !== "" && op !== ">>") out.push({ path: word.text, text: null, made: true });
  }
  if (program === "tee") {
    const given = stdinText(command);
    const appends = argv.some((word) => /^(?:-a|--append)$/.test(word));
    for (const path of argv.slice(1).filter((word) => !word.startsWith("-")))
      if (given.kind === "text")
        out.push({ path, text: given.texts[0] ?? "", ...(appends ? { appends: true } : {}) });
      else if (!path.includes(UNKNOWN)) out.push({ path, text: null, made: true });
  }
  if (CODE.test(program))
    for (const path of writtenByCode([...argv.slice(1), command.heredoc ?? ""].join("\n")))
      out.push({ path, text: null, made: true });
  if (/^(?:curl|wget)$/.test(program)) {
    for (const { text, action } of namedPaths(argv, "posix"))
      if (action === "write") out.push({ path: text, text: null });
    for (const path of remoteNames(program, argv)) out.push({ path, text: null });
  }
  return folders.flatMap((folder) =>
    folder === null ? [] : out.map((written) => ({ ...written, path: inFolder(written.path, folder) })),
  );
}

const CODE = /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|ruby|perl|php)$/;

/** Files that program text writes by a name in quotes. */
function writtenByCode(code: string): readonly string[] {
  const written = [
    ...code.matchAll(/\bopen\s*\(\s*["'`]([^"'`\n]{1,300})["'`]\s*,\s*(?:mode\s*=\s*)?["'][wax]/g),
    ...code.matchAll(
      /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|outputFile|file_put_contents|Bun\.write|writeTextFile(?:Sync)?|File\.write)\s*\(\s*["'`]([^"'`\n]{1,300})["'`]/g,
    ),
    ...code.matchAll(/\bPath\s*\(\s*["']([^"'\n]{1,300})["']\s*\)\s*\.\s*write_(?:text|bytes)/g),
    ...code.matchAll(/\bopen(?:\s*\()?\s*\w+\s*,\s*["']>{1,2}["']?\s*,?\s*["']?([^"'\n]{1,300})["']/g),
  ];
  return [...new Set(written.map((match) => match[1] ?? ""))];
}

/** `curl -O https://…/x.sh`, `wget https://…/x.sh`: the file is called as the address ends. */
function remoteNames(program: string, argv: readonly string[]): readonly string[] {
  if (program === "curl" && !argv.some((word) => /^-[a-zA-Z]*O|^--remote-name/.test(word))) return [];
  return argv.slice(1).flatMap((word) => /^[a-z]+:\/\/[^?#]*\/([^/?#]+)/i.exec(word)?.[1] ?? []);
}
