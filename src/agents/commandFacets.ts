/** Files and SQL inside the commands of a call. Judges nothing. */
import type { CommandFacet, PathFacet, SqlFacet } from "../core/call";
import { isAnchored } from "../core/paths/changeFolder";
import { looksLikeCredential } from "../core/paths/credentialGuess";
import { type CommandPath, pathsInCommand } from "../core/paths/pathsInCommand";
// SQLIMPORT

/** They use their own keys by design; to name them is no reading. */
const OWNERS: ReadonlySet<string> = new Set(
  "ssh ssh-add ssh-keygen ssh-copy-id sftp scp mosh git kubectl helm k9s aws gcloud az docker podman gpg gh glab psql mysql pg_dump terraform ansible ansible-playbook rclone vault op pass npm pnpm yarn twine cargo".split(
    " ",
  ),
);

export function commandPathFacets(
  commands: readonly CommandFacet[],
  folder: string,
): { readonly paths: readonly PathFacet[]; readonly sql: readonly SqlFacet[] } {
  const paths: PathFacet[] = [];
  const sql: SqlFacet[] = [];
  for (const { arg, text, shell } of commands) {
    for (const found of pathsInCommand(text, shell)) {
      const access = accessOf(found);
      const path = folder === "" || isAnchored(found.path) ? found.path : `${folder}/${found.path}`;
      if (access !== null) paths.push({ arg, path, access, strict: false });
    }
    // SQLUSE
  }
  return { paths, sql };
}

function accessOf({ action, path, program }: CommandPath): "read" | "write" | null {
  switch (action) {
    case "read":
    case "link":
      return "read";
    case "write":
    case "remove":
    case "move":
    case "folder":
    case "fill":
      return "write";
    case "list":
      return null;
    case "mention":
      return !OWNERS.has(program) && looksLikeCredential(path) ? "read" : null;
    default:
      return action satisfies never;
  }
}
