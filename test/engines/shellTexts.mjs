/** Seeded shell texts that run a known command in disguise. Knows no rule of ours. */

/** Each ends in a program that a stand-in replaces; no builtin and no absolute path is among them. */
export const DESTRUCTIVE = [
  ["rm", "-rf", "src"],
  ["rm", "-r", "-f", "src", "test"],
  ["rm", "--recursive", "--force", "lib"],
  ["git", "reset", "--hard"],
  ["git", "clean", "-fdx"],
  ["git", "push", "--force"],
  ["git", "push", "origin", "+main"],
  ["git", "branch", "-D", "topic"],
  ["git", "stash", "clear"],
  ["git", "checkout", "--", "."],
  ["dd", "if=a.img", "of=/dev/sdz9"],
  ["mkfs.ext4", "/dev/sdz9"],
  ["shred", "-u", "a.txt"],
  ["shutdown", "-h", "now"],
  ["docker", "system", "prune", "-af"],
  ["docker", "volume", "rm", "data"],
  ["docker", "rm", "-f", "web"],
  ["kubectl", "delete", "ns", "prod"],
  ["terraform", "destroy", "-auto-approve"],
  ["aws", "s3", "rm", "s3://b", "--recursive"],
  ["npm", "unpublish", "pkg", "--force"],
  ["systemctl", "stop", "nginx"],
  ["redis-cli", "FLUSHALL"],
  ["truncate", "-s", "0", "data.db"],
];

export const HARMLESS = [
  ["ls", "-la", "src"],
  ["git", "status", "--short"],
  ["git", "log", "--oneline", "-5"],
  ["docker", "ps", "-a"],
  ["kubectl", "get", "pods"],
  ["npm", "test"],
  ["grep", "-rn", "reset --hard", "src"],
  ["echo", "rm -rf /"],
  ["cat", "src/a.txt"],
  ["terraform", "plan"],
];

/** @param {number} seed */
export function randomFrom(seed) {
  let state = seed >>> 0 || 1;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const single = (word) => `'${word.replaceAll("'", "'\\''")}'`;
const double = (word) => `"${word.replace(/[\\"$`]/g, "\\$&")}"`;
const plain = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : single(word));
const hex = (word) =>
  `$'${[...word].map((c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}'`;
const octal = (word) =>
  `$'${[...word].map((c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`).join("")}'`;
const base64 = (text) => Buffer.from(text).toString("base64");

/** Spellings of one word; what has to stand before goes into `before`. */
const SPELLINGS = [
  plain,
  plain,
  plain,
  single,
  double,
  (word) => (word.length > 2 ? plain(word.slice(0, 1)) + single(word.slice(1)) : single(word)),
  (word) => [...word].map((c) => (/\w/.test(c) ? `\\${c}` : single(c))).join(""),
  (word) => `${plain(word)}""`,
  hex,
  octal,
  (word, put) => `$${put(plain(word))}`,
  (word, put) => `"\${${put(single(word))}}"`,
  (word) => `\${UNSET_NAME:-${plain(word)}}`,
  (word) => `$(echo ${plain(word)})`,
  (word) => `\`echo ${plain(word)}\``,
  (word) => `"$(printf %s ${single(word)})"`,
  (word, put) => `\${${put(single(`zz${word}`))}#zz}`,
  (word, put) => `\${${put(single(`${word}zz`))}%zz}`,
  (word, put) => `\${${put(single(word.replace(/^(.)/, "Q$1")))}/Q/}`,
  (word, put) => `\${${put(single(`_${word}`))}:1}`,
  (word, put) => `\${${put(single(word.toUpperCase() === word ? word : word))}@E}`,
  (word) => `$(rev <<< ${single([...word].reverse().join(""))})`,
  (word) => `$(printf '%b' ${single([...word].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join(""))})`,
  (word) => `$(base64 -d <<< ${base64(word)})`,
  (word) => `$(tr a-z a-z <<< ${single(word)})`,
];

/** Spellings of the whole command. */
const COMMANDS = [
  (words) => `{${words.map((word) => word.replace(/[,{}]/g, "\\$&")).join(",")}}`,
  (words) => `A=(${words.map(single).join(" ")}); "\${A[@]}"`,
  (words) => `set -- ${words.map(single).join(" ")}; "$@"`,
  (words) => `C=${single(words.join(" "))}; $C`,
  (words) => `C=${single(words[0])}; shift; $C ${words.slice(1).map(plain).join(" ")}`,
  (words) => `printf -v C %s ${single(words[0])}; $C ${words.slice(1).map(plain).join(" ")}`,
  (words) => `read -r C <<< ${single(words.join(" "))}; $C`,
  (words) => `mapfile -t A < <(printf '%s\\n' ${words.map(single).join(" ")}); "\${A[@]}"`,
  (words) => `f() { "$@"; }; f ${words.map(plain).join(" ")}`,
  (words) => `function g { ${words[0]} "$@"; }; g ${words.slice(1).map(plain).join(" ")}`,
  (words) =>
    `shopt -s expand_aliases\nalias q=${single(words.slice(0, 2).join(" "))}\nq ${words.slice(2).map(plain).join(" ")}`,
  (words) => `printf '%s\\n' ${words.slice(1).map(single).join(" ")} | xargs ${plain(words[0])}`,
  (words) => `echo ${words.slice(1).map(plain).join(" ")} | xargs -n9 ${plain(words[0])}`,
  (words) => `xargs -a <(echo ${single(words.slice(1).join(" "))}) ${plain(words[0])}`,
  (words) => `bash -c '$0 "$@"' ${words.map(plain).join(" ")}`,
  (words) => `sh -c '"$@"' _ ${words.map(plain).join(" ")}`,
  (words) => `bash -c '${words[0]} "$@"' _ ${words.slice(1).map(plain).join(" ")}`,
  (words) => `for w in ${plain(words[0])}; do $w ${words.slice(1).map(plain).join(" ")}; done`,
  (words) =>
    `while read -r w; do ${plain(words[0])} ${words.slice(1, -1).map(plain).join(" ")} "$w"; done <<< ${single(words.at(-1))}`,
  (words) => `case x in x) ${words.map(plain).join(" ")};; esac`,
  (words) => `declare -n R=N; N=${single(words[0])}; $R ${words.slice(1).map(plain).join(" ")}`,
  (words) => `IFS=,; C=${single(words.join(","))}; $C`,
  (words) => `V=N; N=${single(words[0])}; \${!V} ${words.slice(1).map(plain).join(" ")}`,
  (words) => `env ${words.map(single).join(" ")}`,
  (words) => `env -S ${single(words.join(" "))}`,
  (words) => `find . -maxdepth 0 -exec ${words.map(single).join(" ")} \\;`,
  (words) => `find . -maxdepth 0 -exec sh -c ${single(words.join(" "))} \\;`,
];

/** What may stand around a text. */
const WRAPPERS = [
  (t) => `( ${t}\n)`,
  (t) => `{ ${t}\n}`,
  (t) => `if true; then ${t}\nfi`,
  (t) => `for i in 1; do ${t}\ndone`,
  (t) => `true && { ${t}\n}`,
  (t) => `false || { ${t}\n}`,
  (t) => `! { ${t}\n}`,
  (t) => `{ ${t}\n} & wait`,
  (t) => `sh -c ${single(t)}`,
  (t) => `bash -c ${single(t)}`,
  (t) => `bash -ec ${single(t)} name`,
  (t) => `eval ${single(t)}`,
  (t) => `eval ${double(t)}`,
  (t) => `eval "$(cat <<'E1'\n${t}\nE1\n)"`,
  (t) => `eval "$(echo ${single(t)})"`,
  (t) => `bash <<< ${single(t)}`,
  (t) => `bash <<'E2'\n${t}\nE2`,
  (t) => `cat <<'E3' | bash\n${t}\nE3`,
  (t) => `echo ${single(t)} | sh`,
  (t) => `printf '%s\\n' ${single(t)} | bash -s`,
  (t) => `echo ${base64(t)} | base64 -d | bash`,
  (t) => `base64 -d <<< ${base64(t)} | sh`,
  (t) => `bash <(echo ${single(t)})`,
  (t) => `. <(echo ${single(t)})`,
  (t) => `source /dev/stdin <<< ${single(t)}`,
  (t) => `echo "$(${t}\n)"`,
  (t) => `: "\${UNSET_B:=$(${t}\n)}"`,
  (t) => `echo $(( $( { ${t}\n} > a.out; echo 1) + 1 ))`,
  (t) => `[[ -n $(${t}\n) ]]`,
  (t) => `A=($(${t}\n))`,
  (t) => `X=$(${t}\n) true`,
  (t) => `cat <(${t}\n)`,
  (t) => `cat <<E4\n$(${t}\n)\nE4`,
  (t) => `cat <<< "$(${t}\n)"`,
  (t) => `trap ${single(t)} EXIT`,
  (t) => `f() { ${t}\n}; f`,
  (t) => `nice -n 1 bash -c ${single(t)}`,
  (t) => `timeout 5 bash -c ${single(t)}`,
  (t) => `nohup sh -c ${single(t)} > n.out 2>&1`,
  (t) => `setsid -w sh -c ${single(t)}`,
  (t) => `stdbuf -o0 sh -c ${single(t)}`,
  (t) => `env A=1 -u B sh -c ${single(t)}`,
  (t) => `command sh -c ${single(t)}`,
  (t) => `exec sh -c ${single(t)}`,
  (t) => `time sh -c ${single(t)}`,
  (t) => `echo x | xargs -I{} sh -c ${single(t)}`,
  (t) => `xargs -0 sh -c < <(printf ${single("%s\\0")} ${single(t)})`,
  (t) => `python3 -c ${single(`import os; os.system(${JSON.stringify(t)})`)}`,
  (t) => `python3 -c ${single(`import subprocess; subprocess.run(${JSON.stringify(t)}, shell=True)`)}`,
  (t) => `perl -e 'system(shift)' ${single(t)}`,
  (t) => `awk ${single(`BEGIN { system(${JSON.stringify(t)}) }`)}`,
  (t) => `sed ${single(`1e ${t.replaceAll("\n", "; ")}`)} <<< x`,
  (t) => `find . -maxdepth 0 -exec sh -c ${single(t)} \\;`,
  (t) => `PS4=${single(`$(${t})`)} bash -xc :`,
  (t) => `BASH_ENV=<(echo ${single(t)}) bash -c :`,
  (t) => `coproc { ${t}\n}; wait`,
  (t) => `while :; do ${t}\nbreak; done`,
  (t) => `echo ok; # a comment\n${t}`,
  (t) => `cat <<'E5' > note.md\nplain text\nE5\n${t}`,
  (t) => `x=1; case $x in 1) ${t}\n;; esac`,
  (t) => `tee >(bash) <<< ${single(t)} > t.out; sleep 0.1`,
  (t) => `PROMPT_COMMAND=${single(t)}; eval "$PROMPT_COMMAND"`,
  (t) => `T=${single(t)}; eval "$T"`,
  (t) => `T=${single(t)}; bash -c "$T"`,
  (t) => `T=${single(t)}; sh <<< "$T"`,
  (t) => `test -v ${single(`q[$(${t})]`)}`,
  (t) => `echo ${single(t)} > s1.sh; sh s1.sh`,
];

/** @param {(below: number) => number} random @param {readonly (readonly string[])[]} payloads */
export function shellText(random, payloads) {
  const words = payloads[random(payloads.length)];
  const before = [];
  const put = (value) => {
    const name = `V${before.length}`;
    before.push(`${name}=${value}`);
    return name;
  };
  let text;
  if (random(3) === 0) text = COMMANDS[random(COMMANDS.length)](words);
  else {
    const spelt = words.map((word) => SPELLINGS[random(random(2) === 0 ? 3 : SPELLINGS.length)](word, put));
    text = [...before, spelt.join(" ")].join("; ");
  }
  for (let depth = random(4); depth > 0; depth--) text = WRAPPERS[random(WRAPPERS.length)](text);
  return { words, text };
}
