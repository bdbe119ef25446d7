/** Rows for files: what removes, overwrites or opens up more than was named. Pure data over readings kept elsewhere. */
import { hasOption, isUnknown } from "./commandWords";
import { isDisposable } from "./disposable";
import { losesWork, removalOf, takesEverything, takesSought } from "./removedFiles";
import { names, type RuleCommand, type ShellRule } from "./shellRule";
import { findTakesLittle, removingWord } from "./soughtFiles";

const NAME_IT = "Name the files one by one, or move them to a temporary folder.";

/** `chmod -R 777 /`, `chown -R x ~`, `chmod -R 000 .` */
function opensMuch({ program, rest, ...command }: RuleCommand): boolean {
  if (!hasOption({ options: command.options }, "-R|--recursive")) return false;
  const [mode = "", ...paths] = rest.map(({ text }) => text);
  const broad = paths.some((path) =>
    /^([/~]|[/~]\/?\*|\/(usr|etc|var|bin|sbin|lib|boot|opt|home|dev|root|System|Library)(\/[^/]*)?\/?|\.\.?\/?)$/.test(
      path,
    ),
  );
  if (!broad) return false;
  if (paths.every((path) => /^\.\/?$/.test(path)))
    return (
      program === "chmod" &&
      /^(0?0?[0-3]?00|[0-7]?[0-3][0-7][0-7]|0?777|a\+rwx|a-\w+|-\w+|ugo-\w+)$/.test(mode)
    );
  return true;
}

export const FILE_ROWS: readonly ShellRule[] = [
  {
    id: "files.remove_everything",
    programs: names("rm remove-item ri del erase rd rmdir deltree"),
    when: ({ read, ...words }) => !read.elsewhere && takesEverything(removalOf(words, read)),
    verdict: "deny",
    reason: "It removes the whole disk or the whole home folder.",
    suggestion: NAME_IT,
    onceOnly: true,
    firesOn: [
      "rm -rf /",
      "rm -rf /*",
      "rm -rf ~",
      'rm -rf "$HOME"/*',
      "cd / && rm -rf *",
      "sudo rm -rf --no-preserve-root /",
    ],
    staysQuietOn: ["rm -rf /tmp/a", "rm -rf ~/.cache/pip", "echo rm -rf /"],
  },
  {
    id: "files.remove",
    programs: names("rm remove-item ri del erase rd rmdir deltree unlink srm trash rimraf del-cli"),
    when: ({ read, ...words }) =>
      /^(?:rimraf|del-cli)$/.test(words.program)
        ? losesWork({ ...removalOf(words, read), deep: true }, read, read.cwd)
        : losesWork(removalOf(words, read), read, read.cwd),
    reason: "It removes files that nothing brings back.",
    suggestion: NAME_IT,
    onceOnly: true,
    firesOn: [
      "rm -rf src",
      "rm -r -f .",
      "rm *",
      "rm -rf dist/../src",
      "cd .. && rm -rf app",
      "X=src; rm -rf $X",
      "ls | xargs rm",
      "find . -type f -exec rm {} +",
      'rm -rf "$DIR"',
      "rm .git/index",
      "npx rimraf src",
      "unlink .git/HEAD",
      "find . -name '*.tmp' | xargs rm -rf src",
      "find . -name '*.o' -exec rm -rf src {} +",
    ],
    staysQuietOn: [
      "rm -rf node_modules",
      "rm -rf packages/*/dist",
      "rm a.txt",
      "rm -f *.pyc",
      "rm -rf /tmp/a",
      "cd dist && rm -rf *",
      "find . -name '*.pyc' -exec rm {} +",
      "npx rimraf dist",
      "find . -name '*.tmp' -exec rm -rf dist {} +",
      "rmdir empty",
    ],
  },
  {
    id: "files.find_remove",
    programs: names("find"),
    when: ({ read }) => removingWord(read.argv) > 0 && !findTakesLittle(read.argv, read.located.folders),
    reason: "It removes every file that it finds.",
    suggestion: "Look first: put -print in place of what removes.",
    onceOnly: true,
    firesOn: [
      "find . -delete",
      "find / -name '*.conf' -delete",
      "find . -type f -exec rm {} \\;",
      "find . -name '*.log' -o -delete",
    ],
    staysQuietOn: [
      "find . -name '*.pyc' -delete",
      "find /tmp/a -delete",
      "find . -name __pycache__ -prune -exec rm -rf {} +",
      "find . -name '*.ts'",
    ],
  },
  {
    id: "files.fd_remove",
    programs: names("fd fdfind"),
    options: ["-x|-X|--exec|--exec-batch"],
    when: ({ words }) => words.some((word) => /^(rm|shred|unlink)$/.test(word)),
    reason: "It removes every file that it finds.",
    suggestion: "Look first without -x.",
    onceOnly: true,
    firesOn: ["fd . -x rm", "fd -e ts -X rm -f"],
    staysQuietOn: ["fd -e ts -x wc -l", "fd rm"],
  },
  {
    id: "files.shred",
    programs: names("shred srm wipe scrub"),
    reason: "It overwrites files so that nothing brings them back.",
    suggestion: NAME_IT,
    onceOnly: true,
    firesOn: ["shred -u a", "shred -n 3 /dev/sda"],
    staysQuietOn: ["man shred", "which shred"],
  },
  {
    id: "files.truncate",
    programs: names("truncate"),
    when: ({ words, read }) =>
      words.some(
        (text, at) =>
          !text.startsWith("-") &&
          !/^(?:-[sr]|--size|--reference)$/.test(words[at - 1] ?? "") &&
          (isUnknown(text) ? !takesSought(read) : !isDisposable(text)),
      ),
    reason: "It empties or cuts files.",
    suggestion: "Copy the file first.",
    firesOn: ["git ls-files | xargs truncate -s0", "truncate -s 0 data.db", "truncate --size 0 src/a.ts"],
    staysQuietOn: ["truncate -s 0 /tmp/app.log", "truncate -s 0 app.log"],
  },
  {
    id: "files.move_away",
    programs: names("mv"),
    when: ({ rest }) => rest.length > 1 && /^\/dev\/(null|zero|full)$/.test(rest.at(-1)?.text ?? ""),
    reason: "What is moved there is gone.",
    suggestion: NAME_IT,
    onceOnly: true,
    firesOn: ["mv src /dev/null"],
    staysQuietOn: ["mv a b"],
  },
  {
    id: "files.rights",
    programs: names("chmod chown chgrp setfacl"),
    when: opensMuch,
    reason: "It changes the rights of everything below; nobody remembers what they were.",
    suggestion: "Name the folder that needs it.",
    onceOnly: true,
    firesOn: ["chmod -R 777 /", "chown -R nobody /", "chmod -R 000 .", "chown -R root:root ~"],
    staysQuietOn: ["chmod +x a.sh", "chmod -R u+rwX dist", "chown -R me node_modules", "chmod -R u+w ."],
  },
  {
    id: "files.sync_delete",
    programs: names("rsync"),
    when: ({ options, ...command }) =>
      options.some((word) => /^--del(ete.*)?$|^--remove-source-files$/.test(word)) &&
      !hasOption({ options, ...command }, "-n|--dry-run"),
    reason: "It removes whatever the other side does not have.",
    suggestion: "See what would go: add --dry-run.",
    firesOn: [
      "rsync -av --delete src/ host:/srv/",
      "rsync -a --del empty/ src/",
      "rsync -a --delete-after a/ b/",
    ],
    staysQuietOn: ["rsync -av src/ /tmp/b/", "rsync -avn --delete a/ b/", "rsync --delete --dry-run a b"],
  },
];
