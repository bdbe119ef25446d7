/** The file commands that search in files: pure data. */
import type { FileCommand } from "./fileCommands";

const searcher = (valued: string): FileCommand => ({
  operands: "read",
  valued: valued.split(" "),
  skip: 1,
  given: ["-e", "--regexp", "-f", "--file", "--files"],
  files: { "-f": "read", "--file": "read" },
});
export const GREP = searcher(
  "-e --regexp -m --max-count -A -B -C --context --after-context --before-context --include --exclude --exclude-dir --color -d -D --label",
);
export const RIPGREP = searcher(
  "-e --regexp -m --max-count -A -B -C --context --after-context --before-context --color -g --glob --iglob -t --type -T --type-not -j --threads --sort --sortr -r --replace -E --encoding -M --max-columns -d --max-depth",
);
