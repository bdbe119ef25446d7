/**
 * The two shell programs in `~/.countersign/bin`, which agents' settings name and which no version of the extension moves:
 * `hook AGENT EVENT` carries one hook call to the window that has the folder open, `countersign` runs the command line.
 * Pure text. POSIX shell; run by dash, bash and others as `sh`.
 */

import { hookEvents } from "../hookRequest";
import { token } from "../plugin/token";
import { CURLS, drain, HOLD_SECONDS, SILENCE_SECONDS, unsafe } from "../plugin/wrapperLine";

/** Seconds. */
const NOTICE_SECONDS = 5;

/** Reads the runtime and the command line of the installed version, one absolute path each. */
const installed = `
n=; p=
[ -f "$base/runtime" ] && [ -O "$base/runtime" ] && IFS= read -r n <"$base/runtime"
[ -f "$base/program" ] && [ -O "$base/program" ] && IFS= read -r p <"$base/program"
case $n in /*) ;; *) n=;; esac
case $p in /*) ;; *) p=;; esac`;

/** Folder and socket are ours alone: nobody else can answer for the window. One look at all three costs one process; it may sort them. */
const checkPlaces = `
check() {
  places=$(/bin/ls -ldn -- "$base" "$base/windows" "\${socket%/*}" 2>/dev/null) || deny "the window's socket is gone"
  while IFS= read -r line; do
    case $line in
      drwx------*) ;;
      *" \${socket%/*}") deny "the window's socket is open to other users";;
      d????-??-*) ;;
      *) deny "$base is open to other users";;
    esac
  done <<EOF
$places
EOF
  [ -O "$base" ] && [ -O "$base/windows" ] && [ -O "\${socket%/*}" ] && [ -S "$socket" ] || deny "the window's socket is not ours"
}`;

/** Sets `socket` to that of the window whose folder is the longest one that holds a place of the call. */
const findWindow = `
socket=; length=-1; file=
try() {
  case $1 in "$2"|"\${2%/}"/*) ;; *) return;; esac
  if [ \${#2} -gt $length ] || { [ \${#2} -eq $length ] && [ "$f" -ot "$file" ]; }; then
    socket=$s; length=\${#2}; file=$f
  fi
}
look() {
  IFS=' ' read -r v pid born && [ "$v" = CSW1 ] && IFS= read -r s || return
  kill -0 "$pid" 2>/dev/null || return
  if [ "$born" != - ]; then
    IFS= read -r stat <"/proc/$pid/stat" || return
    set -- \${stat##*) }
    [ "\${20-}" = "$born" ] || return
  fi
  while IFS= read -r folder; do
    try "$logical" "$folder"; try "$here" "$folder"
    [ -z "$project" ] || try "$project" "$folder"
  done
}
logical=$PWD
cd -P . 2>/dev/null
here=$PWD
for f in "$base"/windows/*.window; do
  [ -f "$f" ] && [ -O "$f" ] && ! [ -L "$f" ] || continue
  look <"$f" 2>/dev/null
done`;

const viaCurl = `
for curl in ${CURLS} ""; do [ -x "$curl" ] && break; done
if [ -n "$socket" ] && [ -n "$curl" ]; then
  check
  case $logical in *[[:cntrl:]]*) where=;; *) where=$logical;; esac
  case $event in pre) most=${HOLD_SECONDS};; *) most=${NOTICE_SECONDS};; esac
  out=$(unset LD_LIBRARY_PATH; exec "$curl" -q -sSfN --noproxy '*' --unix-socket "$socket" --connect-timeout 5 --max-time "$most" \\
    --speed-time ${SILENCE_SECONDS} --speed-limit 1 -H 'Expect:' -H 'Content-Type: application/json' -H "X-Cwd: $where" \\
    --data-binary @- "http://countersign/v1/$agent/$event" 2>/dev/null)
  code=$? why="the editor cannot be reached"
else`;

/** The whole client in the editor's own runtime: where no window has the folder open it judges by itself. */
const viaRuntime = `
  if ! [ -x "$n" ] || ! [ -f "$p" ]; then deny "the extension that answered for this hook is gone"; fi
  out=$(ELECTRON_RUN_AS_NODE=1 HOME=\${base%/.countersign} "$n" "$p" hook --agent "$agent" --event "$event" --token)
  code=$? why="the hook client did not answer"
fi`;

const say = `
[ "$event" = pre ] || exit 0
lead=\${out%%[! ]*}
out=\${out#"$lead"}
case "$code:$out" in
  "0:${token}0 "*) printf %s "\${out#"${token}0 "}"; exit 0;;
  "0:${token}2 "*) out=\${out#"${token}2 "}; printf '%s\\n' "\${out:-denied}" >&2; exit 2;;
esac
deny "$why"
`;

/**
 * Text of `~/.countersign/bin/hook`. The environment is the agent's, and through its settings the project's: it names no window here,
 * and no home.
 */
export function launcherText(): string {
  const undo =
    "A person can mend this: open the folder in the editor with Countersign, or take the hook out with";
  return `#!/bin/sh
# Countersign's hook for agents outside the editor. Written anew by the extension; what is not an answer of ours denies.
set +eu
unset ${unsafe.join(" ")} COUNTERSIGN_SOCKET COUNTERSIGN_NONCE COUNTERSIGN_HTTP
agent=\${1-} event=\${2-}
base=\${0%/bin/hook}
deny() {
  ${drain}
  [ "$event" = pre ] || exit 0
  if [ "$agent" = cline ]; then
    printf '{"cancel":true,"errorMessage":"guard broken: %s. The call was not run. ${undo}: ~/.countersign/bin/countersign agents uninstall cline"}' "$1"
    exit 0
  fi
  printf '%s\\n' "guard broken: $1. The call was not run. ${undo}: $base/bin/countersign agents uninstall $agent" >&2
  exit 2
}
case $event in ${hookEvents.join("|")}) ;; *) event=pre; deny "this hook was set up without an event";; esac
case $agent in ""|*[!a-z]*) deny "this hook was set up without an agent";; esac
case $base in /*) ;; *) deny "this hook was not started by its full path";; esac
project=
case $agent in claude) project=\${CLAUDE_PROJECT_DIR-};; gemini) project=\${GEMINI_PROJECT_DIR-};; esac
${checkPlaces.trim()}
${findWindow.trim()}
${installed.trim()}
${viaCurl.trim()}
  ${viaRuntime.trim()}
${say.trim()}
`;
}

/** Text of `~/.countersign/bin/countersign`: the command line of whichever version is installed, and without one the way out. */
export function programText(): string {
  return `#!/bin/sh
# Countersign's command line. Written anew by the extension.
base=\${0%/bin/countersign}
${installed.trim()}
if [ -x "$n" ] && [ -f "$p" ]; then ELECTRON_RUN_AS_NODE=1 exec "$n" "$p" "$@"; fi
for n in "$n" "$(command -v node)"; do [ -x "$n" ] && [ -f "$base/bin/uninstall.js" ] && ELECTRON_RUN_AS_NODE=1 exec "$n" "$base/bin/uninstall.js" "$@"; done
echo "countersign: the extension is not installed, and there is no Node to run $base/bin/uninstall.js with" >&2
exit 2
`;
}
