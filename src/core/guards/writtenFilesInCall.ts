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
}

export async function writtenInCall(
  commands: readonly CommandFacet[],
  { fs, cwd }: { readonly fs: FileSystem; readonly cwd: string | undefined },
): Promise<InCall> {
  const texts = new Map<string, string>();
  const downloads = new Set<string>();
  for (const { text, shell, folder } of commands) {
    if (isWindowsShell(shell)) continue;
    for (const located of locateCommands(text, shell).commands)
      for (const written of writtenBy(located)) {
        const resolved = await resolvePath({ path: inFolder(written.path, folder), cwd, fs });
        if (!resolved.ok) continue;
        const { text: real } = resolved.real;
        if (written.text === null) downloads.add(real);
        else texts.set(real, `${written.appends ? (texts.get(real) ?? "") : ""}${written.text}\n`);
      }
  }
  return { texts, downloads };
}

interface Written {
  readonly path: string;
  /** Null = it comes from the network. */
  readonly text: string | null;
  readonly appends?: true;
}

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
  }
  if (program === "tee") {
    const given = stdinText(command);
    const appends = argv.some((word) => /^(?:-a|--append)$/.test(word));
    for (const path of argv.slice(1).filter((word) => !word.startsWith("-")))
      if (given.kind === "text")
        out.push({ path, text: given.texts[0] ?? "", ...(appends ? { appends: true } : {}) });
  }
  if (/^(?:curl|wget)$/.test(program)) {
    for (const { text, action } of namedPaths(argv, "posix"))
      if (action === "write") out.push({ path: text, text: null });
    for (const path of remoteNames(program, argv)) out.push({ path, text: null });
  }
  return folders.flatMap((folder) =>
    folder === null ? [] : out.map((written) => ({ ...written, path: inFolder(written.path, folder) })),
  );
}

/** `curl -O https://…/x.sh`, `wget https://…/x.sh`: the file is called as the address ends. */
function remoteNames(program: string, argv: readonly string[]): readonly string[] {
  if (program === "curl" && !argv.some((word) => /^-[a-zA-Z]*O|^--remote-name/.test(word))) return [];
  return argv.slice(1).flatMap((word) => /^[a-z]+:\/\/[^?#]*\/([^/?#]+)/i.exec(word)?.[1] ?? []);
}
