/** Which words of well-known programs are files, and what happens to them: pure data. */
import { WINDOWS_COMMANDS } from "./windowsCommands";

/** list: only names are shown. folder: a folder is made. fill: files of unknown names are put into it. link: a link to it is made. */
export type FileAction = "read" | "list" | "write" | "fill" | "remove" | "move" | "link" | "folder";

export interface FileCommand {
  /** What happens to the operands; the last one may differ. */
  readonly operands?: FileAction;
  readonly last?: FileAction;
  /** Operands in front that are no files: a pattern, a mode, a script. Not skipped when one of `given` is there. */
  readonly skip?: number;
  /** Options that give what `skip` would skip. */
  readonly given?: readonly string[];
  /** Options whose value is no file. */
  readonly valued?: readonly string[];
  /** Options whose value is a file. */
  readonly files?: Readonly<Record<string, FileAction>>;
  /** With one of these options the operands are written. */
  readonly inPlace?: RegExp;
  /** Options that name the folder to write in, as `-t` of cp does; then all operands are sources. */
  readonly target?: readonly string[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const reads = (valued = "", more: Partial<FileCommand> = {}): FileCommand => ({
  operands: "read",
  valued: words(valued),
  ...more,
});
const writes = (valued = "", more: Partial<FileCommand> = {}): FileCommand => ({
  operands: "write",
  valued: words(valued),
  ...more,
});

const searcher = (valued: string): FileCommand =>
  reads(valued, {
    skip: 1,
    given: ["-e", "--regexp", "-f", "--file", "--files"],
    files: { "-f": "read", "--file": "read" },
  });
const GREP = searcher(
  "-e --regexp -m --max-count -A -B -C --context --after-context --before-context --include --exclude --exclude-dir --color -d -D --label",
);
const RIPGREP = searcher(
  "-e --regexp -m --max-count -A -B -C --context --after-context --before-context --color -g --glob --iglob -t --type -T --type-not -j --threads --sort --sortr -r --replace -E --encoding -M --max-columns -d --max-depth",
);
const COPY: FileCommand = {
  operands: "read",
  last: "write",
  valued: words("-m --mode -o --owner -g --group -S --suffix --backup -Z"),
  target: ["-t", "--target-directory"],
};
const COPY_REMOTE: FileCommand = {
  operands: "read",
  last: "fill",
  valued: words(
    "-e --rsh --exclude --include --exclude-from --include-from --filter -f --bwlimit --timeout --port -P -i -o -c -F -l -S -J --chmod --chown",
  ),
  files: { "--files-from": "read", "--log-file": "write", "--link-dest": "read", "--backup-dir": "write" },
};
const ZIP_IN_PLACE: FileCommand = writes("-S --suffix -T --threads");
const MODE: FileCommand = writes("", { skip: 1, given: ["--reference"], files: { "--reference": "read" } });
const EDITOR: FileCommand = writes("-c --cmd -u -S");

const POSIX: Readonly<Record<string, FileCommand>> = {
  cat: reads(),
  tac: reads(),
  nl: reads("-b -d -f -h -i -l -n -s -v -w"),
  less: reads("-p -j -x -y -z"),
  more: reads("-n"),
  most: reads(),
  bat: reads("-l --language -r --line-range -H --theme --style --color --paging"),
  batcat: reads("-l --language -r --line-range -H --theme --style --color --paging"),
  head: reads("-n -c --lines --bytes"),
  tail: reads("-n -c -s --lines --bytes --pid --sleep-interval"),
  wc: reads("", { files: { "--files0-from": "read" } }),
  sort: reads("-k -t -S -T --key --field-separator --parallel", {
    files: { "-o": "write", "--output": "write" },
  }),
  uniq: reads("-f -s -w"),
  cut: reads("-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter"),
  paste: reads("-d --delimiters"),
  od: reads("-A -j -N -S -t -w"),
  xxd: { operands: "read", last: "read", valued: words("-c -g -l -o -s") },
  hexdump: reads("-e -f -n -s"),
  strings: reads("-n -t -e"),
  base64: reads("-w --wrap -i -o -b"),
  base32: reads("-w"),
  md5sum: reads(),
  sha1sum: reads(),
  sha256sum: reads(),
  sha512sum: reads(),
  shasum: reads("-a"),
  cksum: reads(),
  diff: reads("-U -C --label --exclude -x -I"),
  sdiff: reads(),
  colordiff: reads("-U -C"),
  cmp: reads("-n -i"),
  comm: reads(),
  join: reads("-1 -2 -t -o -e -a -v -j"),
  fold: reads("-w"),
  fmt: reads("-w"),
  column: reads("-s -t -o -N"),
  rev: reads(),
  pr: reads("-h -l -w -o"),
  expand: reads("-t"),
  unexpand: reads("-t"),
  iconv: reads("-f -t", { files: { "-o": "write", "--output": "write" } }),
  shuf: reads("-n -i", { files: { "-o": "write", "--output": "write" } }),
  zstdcat: reads(),
  lzcat: reads(),
  view: reads("-c"),
  xmllint: reads("--xpath", { files: { "--output": "write", "-o": "write" } }),
  gpg: { files: { "-o": "write", "--output": "write" } },
  fd: { operands: "list", skip: 1, valued: words("-e -t -d -E --type --extension --exclude --max-depth") },
  fdfind: {
    operands: "list",
    skip: 1,
    valued: words("-e -t -d -E --type --extension --exclude --max-depth"),
  },
  zcat: reads(),
  gzcat: reads(),
  bzcat: reads(),
  xzcat: reads(),
  zless: reads(),
  zgrep: GREP,
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: RIPGREP,
  ag: GREP,
  ack: GREP,
  jq: reads("--arg --argjson --indent --tab", {
    skip: 1,
    given: ["-f", "--from-file"],
    files: { "-f": "read", "--from-file": "read", "--slurpfile": "read", "--rawfile": "read" },
  }),
  yq: reads("-p -o -P", { skip: 1, inPlace: /^(-[a-z]*i[a-z]*|--inplace)$/ }),
  sed: reads("-e --expression -l", {
    skip: 1,
    given: ["-e", "--expression", "-f", "--file"],
    files: { "-f": "read", "--file": "read" },
    inPlace: /^(-[nErsuz]*i.*|--in-place.*)$/,
  }),
  gsed: reads("-e --expression -l", {
    skip: 1,
    given: ["-e", "--expression", "-f", "--file"],
    files: { "-f": "read", "--file": "read" },
    inPlace: /^(-[nErsuz]*i.*|--in-place.*)$/,
  }),
  awk: reads("-F -v --field-separator --assign", {
    skip: 1,
    given: ["-f", "--file"],
    files: { "-f": "read", "--file": "read" },
    inPlace: /^inplace$/,
  }),
  gawk: reads("-F -v --field-separator --assign -i", {
    skip: 1,
    given: ["-f", "--file"],
    files: { "-f": "read", "--file": "read" },
  }),
  mawk: reads("-F -v", { skip: 1, given: ["-f"], files: { "-f": "read" } }),
  file: { operands: "list", valued: words("-m -F -P") },
  ls: { operands: "list", valued: words("-I --ignore -w --color --sort --time --hide") },
  ll: { operands: "list" },
  tree: { operands: "list", valued: words("-L -I -P -o --charset --filelimit") },
  du: { operands: "list", valued: words("-d --max-depth --exclude -t -B") },
  stat: { operands: "list", valued: words("-c -f --format --printf") },
  realpath: { operands: "list" },
  readlink: { operands: "list" },
  test: { operands: "list" },
  tee: writes(),
  sponge: writes(),
  touch: writes("-d -t --date --time", { files: { "-r": "list", "--reference": "list" } }),
  truncate: writes("-s --size -r"),
  mkdir: { operands: "folder", valued: words("-m --mode -Z") },
  mkfifo: writes("-m --mode"),
  rmdir: { operands: "remove" },
  rm: { operands: "remove" },
  unlink: { operands: "remove" },
  shred: { operands: "remove", valued: words("-n -s --iterations --size") },
  trash: { operands: "remove" },
  "trash-put": { operands: "remove" },
  gio: { operands: "list" },
  cp: COPY,
  gcp: COPY,
  install: COPY,
  ditto: COPY,
  mv: { ...COPY, operands: "move" },
  rename: { operands: "move", skip: 2 },
  ln: { ...COPY, operands: "link" },
  rsync: COPY_REMOTE,
  scp: COPY_REMOTE,
  chmod: MODE,
  chown: MODE,
  chgrp: MODE,
  chattr: MODE,
  setfacl: writes("-m -x -M -X --modify --remove"),
  gzip: ZIP_IN_PLACE,
  gunzip: ZIP_IN_PLACE,
  bzip2: ZIP_IN_PLACE,
  bunzip2: ZIP_IN_PLACE,
  xz: ZIP_IN_PLACE,
  unxz: ZIP_IN_PLACE,
  zstd: ZIP_IN_PLACE,
  split: { operands: "read", last: "write", valued: words("-b -l -n -a -C") },
  patch: writes("-p -F --strip --fuzz", {
    files: { "-i": "read", "--input": "read", "-o": "write", "-d": "write", "--directory": "write" },
  }),
  vim: EDITOR,
  vi: EDITOR,
  nvim: EDITOR,
  ex: EDITOR,
  ed: EDITOR,
  nano: EDITOR,
  pico: EDITOR,
  emacs: EDITOR,
  dos2unix: writes(),
  unix2dos: writes(),
  openssl: { files: { "-in": "read", "-out": "write", "-inkey": "read", "-keyout": "write" } },
  curl: {
    valued: words(
      "-X --request -H --header -A --user-agent -u --user -m --max-time --connect-timeout -w --write-out -x --proxy --retry -e --referer -r --range --resolve --url",
    ),
    files: {
      "-o": "write",
      "--output": "write",
      "--output-dir": "write",
      "-T": "read",
      "--upload-file": "read",
      "-K": "read",
      "--config": "read",
      "-c": "write",
      "--cookie-jar": "write",
      "--cacert": "list",
      "-D": "write",
      "--dump-header": "write",
    },
  },
  wget: {
    valued: words("-U --user-agent --header -t --tries -T --timeout -e --post-data"),
    files: {
      "-O": "write",
      "--output-document": "write",
      "-P": "write",
      "--directory-prefix": "write",
      "-o": "write",
      "-a": "write",
      "-i": "read",
      "--input-file": "read",
      "--post-file": "read",
      "--body-file": "read",
    },
  },
  zip: { operands: "read", valued: words("-x -i -P -n -t -s") },
  "7z": { operands: "read", skip: 1 },
  umount: { operands: "write" },
  mount: { operands: "list", last: "move", valued: words("-t -o -O -L -U --types --options") },
};

export function fileCommand(name: string, family: "posix" | "windows"): FileCommand | undefined {
  const first = family === "posix" ? POSIX : WINDOWS_COMMANDS;
  if (Object.hasOwn(first, name)) return first[name];
  const second = family === "posix" ? undefined : POSIX;
  return second !== undefined && Object.hasOwn(second, name) ? second[name] : undefined;
}
