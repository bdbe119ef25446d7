/**
 * The shell lines of hooks.json. Silence must never mean allow: the line prints what the client said only behind the token,
 * and otherwise a deny that both of VS Code's harnesses understand, with exit 0 because one of them ignores exit codes.
 */
import { brokenText, denyInBothShapes } from "../denial";
import type { HookEvent } from "../hookRequest";
import { token } from "./token";

/** Both clients answer as `answerText` writes it; VS Code's verdicts are always with exit 0. */
const GOOD = `${token}0 `;
const fallback = denyInBothShapes(brokenText("the hook client did not answer"));

/** Variables that would put other code into the shell, the loader or the runtime. */
export const unsafe = [
  "NODE_OPTIONS",
  "NODE_PATH",
  "NODE_COMPILE_CACHE",
  "OPENSSL_CONF",
  "OPENSSL_MODULES",
  "LD_PRELOAD",
  "LD_AUDIT",
  "DYLD_INSERT_LIBRARIES",
  "DYLD_LIBRARY_PATH",
  "DYLD_FRAMEWORK_PATH",
  "DYLD_FALLBACK_LIBRARY_PATH",
  "DYLD_FALLBACK_FRAMEWORK_PATH",
  "DYLD_VERSIONED_LIBRARY_PATH",
  "DYLD_VERSIONED_FRAMEWORK_PATH",
  "BASH_ENV",
  "ENV",
];

/** The runtime by absolute path: from the editor that started us, else the one that was noted at the last activation. */
const findRuntime = [
  // An inherited SHELLOPTS could end the line at the first failure: an exit code that one harness takes for allow.
  "set +eu",
  `unset ${unsafe.join(" ")}`,
  `f="\${HOME-}/.countersign/runtime"`,
  `n="\${COUNTERSIGN_NODE-}"`,
  // An update of the editor may have removed the runtime that this window was started with.
  'if ! [ -x "$n" ] && [ -f "$f" ] && [ -O "$f" ]; then IFS= read -r n <"$f"; fi',
  'case "$n" in /*) ;; *) n=/nonexistent;; esac',
];

/** Seconds: a host runs the tool when its own timeout passes, so ours come first. */
export const HOLD_SECONDS = 1800;
export const SILENCE_SECONDS = 20;
const AFTER_SECONDS = 25;
const NOTICE_SECONDS = 5;

/** Where curl usually is, by absolute path. */
export const CURLS = "/usr/bin/curl /bin/curl /usr/local/bin/curl /opt/homebrew/bin/curl";

/**
 * Sets `c` to curl, which starts in a fraction of the runtime's time, where the socket that the window names lies in a folder
 * that is ours alone: nobody else can answer for the window. Everything else is the client's to find out, and to say.
 */
const findCurl = [
  `c=; s="\${COUNTERSIGN_HTTP-}"; d="\${s%/*}"`,
  'case "$s" in /*/*) [ -S "$s" ] && ! [ -L "$s" ] && [ -O "$d" ] && ! [ -L "$d" ] && case $(/bin/ls -ldn -- "$d" 2>/dev/null) in ' +
    `drwx------*) for c in ${CURLS} ""; do [ -x "$c" ] && break; done;; esac;; esac`,
  'case "$PWD" in *[[:cntrl:]]*) w=;; *) w=$PWD;; esac',
];

/** Its stdout is the shell's pipe: blanks of the broker end it once the shell has gone. */
const carry = (event: HookEvent): string => {
  const most = event === "pre" ? HOLD_SECONDS : event === "post" ? AFTER_SECONDS : NOTICE_SECONDS;
  return (
    `unset LD_LIBRARY_PATH; exec "$c" -q -sSfN --noproxy "*" --unix-socket "$s" --connect-timeout 5 --max-time ${most} ` +
    `--speed-time ${SILENCE_SECONDS} --speed-limit 1 -H Expect: -H "Content-Type: application/json" -H "X-Cwd: $w" ` +
    `--data-binary @- http://countersign/v1/plugin/${event} 2>/dev/null`
  );
};

/** `exec`: the client's parent must be the shell that the host ends when the chat is stopped. */
const client = (event: HookEvent): string =>
  `ELECTRON_RUN_AS_NODE=1; export ELECTRON_RUN_AS_NODE; exec "$n" "\${CLAUDE_PLUGIN_ROOT}/client.js" ${event} "$$"`;

const start = (event: HookEvent): string => `if [ -n "$c" ]; then ${carry(event)}; else ${client(event)}; fi`;

/** A host whose write fails may take that for a hook that failed: what a dead client left unread is read here. */
export const drain = "{ /bin/cat || while read -r x; do :; done; } >/dev/null 2>&1";

/** POSIX shell; run by dash, bash and others as `sh -c`. */
export function wrapperLine(event: HookEvent): string {
  if (event !== "pre")
    return [...findRuntime, ...findCurl, `(${start(event)}) >/dev/null 2>&1`, drain, "exit 0"].join("; ");
  return [
    ...findRuntime,
    ...findCurl,
    `out=$(${start(event)})`,
    `r=$?; l="\${out%%[! ]*}"; out="\${out#"$l"}"`,
    `case "$r:$out" in "0:${GOOD}"*) printf %s "\${out#"${GOOD}"}";; *) printf %s '${fallback}'; ${drain};; esac`,
    "exit 0",
  ].join("; ");
}

/** Windows PowerShell 5.1. */
export function windowsLine(event: HookEvent): string {
  const runtime = [
    `foreach ($v in ${unsafe
      .filter((name) => !/^(LD|DYLD)_/.test(name))
      .map((name) => `'${name}'`)
      .join(",")}) { Remove-Item "Env:$v" -ErrorAction SilentlyContinue }`,
    "$n = $env:COUNTERSIGN_NODE",
    "$f = Join-Path $env:USERPROFILE '.countersign\\runtime'",
    "if (-not $n -and (Test-Path -LiteralPath $f)) { $n = Get-Content -LiteralPath $f -TotalCount 1 }",
    "$env:ELECTRON_RUN_AS_NODE = '1'",
    "$global:LASTEXITCODE = 1",
    "$out = ''",
    `try { $out = (& $n "\${CLAUDE_PLUGIN_ROOT}/client.js" ${event} | Out-String).TrimEnd() } catch {}`,
  ];
  if (event !== "pre") return [...runtime, "exit 0"].join("; ");
  const good = `$LASTEXITCODE -eq 0 -and $out.PadRight(${GOOD.length}).StartsWith('${GOOD}', 'Ordinal')`;
  return [
    ...runtime,
    `if (${good}) { [Console]::Out.Write($out.PadRight(${GOOD.length}).Substring(${GOOD.length})) } else { [Console]::Out.Write('${fallback}') }`,
    "exit 0",
  ].join("; ");
}

const names: Readonly<Record<HookEvent, string>> = {
  pre: "PreToolUse",
  post: "PostToolUse",
  "session-start": "SessionStart",
  "subagent-start": "SubagentStart",
  "subagent-stop": "SubagentStop",
  stop: "Stop",
};

/** The whole of hooks.json; the file in the repository is this text. `timeout` in seconds: a person may take long to answer. */
export function hooksFile(events: readonly HookEvent[]): string {
  const entry = (event: HookEvent): unknown => [
    {
      matcher: "*",
      hooks: [
        {
          type: "command",
          command: wrapperLine(event),
          windows: windowsLine(event),
          timeout: event === "pre" ? 86_400 : 30,
        },
      ],
    },
  ];
  const hooks = Object.fromEntries(events.map((event) => [names[event], entry(event)]));
  return `${JSON.stringify({ hooks }, null, 2)}\n`;
}
