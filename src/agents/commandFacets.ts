/** Files and SQL inside the commands of a call. Judges nothing. */
import type { CommandFacet, PathFacet, SqlFacet } from "../core/call";
import { inFolder } from "../core/paths/changeFolder";
import type { CommandPath } from "../core/paths/commandPath";
import { locateCommands } from "../core/paths/commandTree";
import { holdsSecrets, looksLikeCredential } from "../core/paths/credentialGuess";
import { pathsInCommand } from "../core/paths/pathsInCommand";
import { searchedSecrets } from "../core/paths/searchedSecrets";
import { shownSettings } from "../core/paths/shownSettings";
import { sqlInCommand } from "../core/shell/sqlInCommand";

/** They use their own keys by design; to name these is no reading. */
const SSH = /[/\\]\.ssh([/\\]|$)/;
const OWN_KEYS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["ssh", "ssh-add", "ssh-keygen", "ssh-copy-id", "sftp", "mosh", "ansible", "ansible-playbook"].map(
      (name) => [name, SSH],
    ),
  ),
  ...Object.fromEntries(
    ["kubectl", "helm", "k9s", "kubectx", "kubens"].map((name) => [name, /[/\\]\.kube[/\\]/]),
  ),
  ...Object.fromEntries(["npm", "pnpm", "yarn"].map((name) => [name, /[/\\]\.(npmrc|yarnrc)$/])),
  ...Object.fromEntries(["docker", "podman"].map((name) => [name, /[/\\]\.docker[/\\]/])),
  aws: /[/\\]\.aws[/\\]/,
  gcloud: /[/\\]gcloud[/\\]/,
  gpg: /[/\\]\.gnupg([/\\]|$)/,
  mysql: /[/\\]\.my(login)?\.cnf$/,
};

export function commandPathFacets(commands: readonly CommandFacet[]): {
  readonly paths: readonly PathFacet[];
  readonly sql: readonly SqlFacet[];
} {
  const paths: PathFacet[] = [];
  const sql: SqlFacet[] = [];
  for (const { arg, text, shell, folder } of commands) {
    for (const found of pathsInCommand(text, shell)) {
      const access = accessOf(found);
      const path = inFolder(found.path, folder);
      // A wildcard reaches a project's own settings only where they are.
      const ifThere = found.wild === true && access === "read" && !looksLikeCredential(path);
      if (access !== null) paths.push({ arg, path, access, strict: false, ...(ifThere ? { ifThere } : {}) });
      // Under another name it could be read without a word.
      if (found.action === "move" && holdsSecrets(path))
        paths.push({ arg, path, access: "read", strict: false });
    }
    const { commands: all } = locateCommands(text, shell);
    for (const path of shownSettings(all))
      paths.push({ arg, path: inFolder(path, folder), access: "read", strict: false });
    for (const located of all)
      for (const path of searchedSecrets(located))
        paths.push({ arg, path: inFolder(path, folder), access: "read", strict: false, ifThere: true });
    for (const found of sqlInCommand(text, shell)) sql.push({ arg, ...found });
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
      return looksLikeCredential(path) && !ownKeys(program, path) ? "read" : null;
    default:
      return action satisfies never;
  }
}

function ownKeys(program: string, path: string): boolean {
  return Object.hasOwn(OWN_KEYS, program) && OWN_KEYS[program]?.test(path) === true;
}
