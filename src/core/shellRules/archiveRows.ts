/** Rows for archivers that remove what they have packed. Pure data. */
import { hasOption } from "./commandWords";
import { isDisposable } from "./disposable";
import { names, type RuleCommand, type ShellRule } from "./shellRule";

const ARCHIVE = /\.(?:tar|tgz|tbz2?|txz|tzst|gz|bz2|xz|zst|zip|7z|rar|jar|cpio)$|^-$|^\/dev\/null$/i;

/** What goes would be missed by somebody. */
function takesKept({ operands }: RuleCommand): boolean {
  const packed = operands.filter(({ text }) => !ARCHIVE.test(text) && !/^[a-z]$/.test(text));
  return packed.length === 0 || !packed.every(({ text }) => isDisposable(text, { taken: "deep" }));
}

export const ARCHIVE_ROWS: readonly ShellRule[] = [
  {
    id: "archive.remove",
    programs: names("tar gtar bsdtar zip 7z 7za 7zz 7zr rar"),
    when: (command) => {
      const { program, options, words } = command;
      const removes =
        program === "zip"
          ? hasOption({ options: options.filter((word) => !/^-T+$/.test(word)) }, "-m|--move")
          : program === "rar"
            ? words[0] === "m" || words[0] === "mf" || words.includes("-df") || words.includes("-dw")
            : program.startsWith("7z")
              ? words.includes("-sdel")
              : options.some((word) => /^--remove(?:-f[a-z-]*)?$/.test(word));
      return removes && takesKept(command);
    },
    reason: "It removes the files that it has packed.",
    suggestion: "Pack them without that option, and look at the archive first.",
    onceOnly: true,
    firesOn: [
      "tar cf /dev/null --remove-files src",
      "zip -rm x.zip src",
      "7z a -sdel x.7z src",
      "rar m x.rar src",
    ],
    staysQuietOn: [
      "tar czf a.tgz src",
      "zip -r a.zip src",
      "7z a x.7z src",
      "tar --remove-files -cf a.tar dist",
    ],
  },
];
