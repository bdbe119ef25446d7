/** What is known of programs by name: which only look at data, which run a script, which load code by a variable. Runs nothing. */

export const SHELLS = /^(?:ba|z|da|k|a)?sh$/;
export const PYTHONS = /^python[\d.]*$/;
export const NODES = /^(?:node|deno|bun|tsx|ts-node)$/;
/** They run scripts that nobody here can read. */
export const OTHERS = /^(?:ruby|perl|php|pwsh|powershell|lua|Rscript|fish|csh|tcsh)[\d.]*$/;
/** Text filters with a language that can start programs. */
export const FILTERS = /^(?:awk|gawk|mawk|nawk|sed|gsed|jq)$/;

export const isInterpreter = (name: string) =>
  [SHELLS, PYTHONS, NODES, OTHERS, FILTERS].some((kind) => kind.test(name));

/** What these read is theirs to name: they have no word for it. */
export const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  just: ["justfile"],
};

/** What only an administrator changes belongs to the system, as does the interpreter. */
export const SYSTEM =
  /^(?:\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap|System|Library)\/|[A-Za-z]:\\(?:Windows|Program Files))/i;

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Builtins of shells that run nothing by themselves; those that do are read elsewhere. */
const BUILTINS = words(
  ": [ [[ alias bg break builtin case cd command continue declare dirs do done echo elif else esac eval exec exit export false fg fi for function getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt then time times trap true type typeset ulimit umask unalias unset until wait while { } ! test",
);
/** Programs that look at files and change none of them into code. */
const DATA = words(
  "arch b2sum base32 base64 basename bc cat chgrp chmod chown cksum clear cmp column comm cp curl cut date dd df diff dirname du egrep env expand expr factor fgrep file fmt fold free getent grep groups gunzip gzip head hexdump host hostname iconv id install join less link ln locale logger logname ls lsof md5 md5sum mkdir mkfifo mktemp more mv nl nproc nslookup numfmt od openssl paste pathchk pgrep ping pr printenv printf ps readlink realpath rev rg rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum shuf sleep sort stat stty sum sync tac tail tee test timeout touch tr tree truncate tsort tty uname unexpand uniq unlink uptime uuidgen wc wget which whereis who whoami xxd yes yq zcat zgrep find git",
);
const GIT_READS = words(
  "status diff log show rev-parse ls-files branch config describe merge-base cat-file grep blame remote symbolic-ref for-each-ref rev-list check-ignore ls-tree hash-object version name-rev shortlog tag var diff-tree diff-index diff-files",
);

/** A bare name that runs no file of a folder; for git, what only looks. */
export function isHarmless(name: string, rest: readonly (string | null)[]): boolean {
  if (name !== "git") return BUILTINS.has(name) || DATA.has(name);
  const verb = gitVerb(rest);
  return verb !== undefined && GIT_READS.has(verb);
}

/** `-c` and its like set what git starts. */
function gitVerb(rest: readonly (string | null)[]): string | undefined {
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === "-C") at++;
    else if (word === "--no-pager" || word === "-P" || word === "--no-optional-locks") continue;
    else return word ?? undefined;
  }
  return undefined;
}

/** Wrappers that read files of the folder before they run what they were given. */
export const READING_WRAPPERS = words(
  "direnv dotenv dotenv-cli mise uv poetry pipenv bundle op doppler railway aws-vault docker docker-compose podman nerdctl systemd-run wsl chroot busybox",
);

/** Variables that name code to load, in any program that the handler starts. */
export const isLoading = (name: string): boolean =>
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|ZDOTDIR|NODE_(?:OPTIONS|PATH|REPL_EXTERNAL_MODULE)|PYTHON(?!UNBUFFERED$|IOENCODING$|UTF8$|HASHSEED$|DONTWRITEBYTECODE$|WARNINGS$).*|PERL5.*|PERLLIB|RUBY(?:OPT|LIB)|GEM_(?:HOME|PATH)|BUNDLE_GEMFILE|LUA_(?:INIT|PATH|CPATH).*|PHP(?:RC|_INI_SCAN_DIR)|(?:LD|DYLD)_.*|GCONV_PATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|GIT_(?:CONFIG.*|EXEC_PATH|SSH.*|EXTERNAL_DIFF|ASKPASS|PAGER|EDITOR|TEMPLATE_DIR|DIR)|PAGER|MANPAGER|EDITOR|VISUAL|LESSOPEN|LESSCLOSE|DOTNET_STARTUP_HOOKS|npm_config_.*)$/i.test(
    name,
  );

/** A filter's text that starts no program and reads no further code. */
export function isPlainFilter(name: string, text: string): boolean {
  if (name === "jq") return !/\b(?:include|import|getpath_file|input_filename)\b/.test(text);
  if (/sed$/.test(name))
    return !/(?:^|[;{\s\d$])e(?:\s|$|;)|[/|,#!][gpIiMm\d]*e[gpIiMm\d]*\s*(?:$|[;}\n])/.test(text);
  return !/\bsystem\b|\bgetline\b|@(?:include|load)|"\s*\||\|\s*(?:"|[a-z])/.test(text);
}
