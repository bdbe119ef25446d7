/** Folders that anyone may read without a word, and where anyone may write: pure data, per system. */
import { type Place, placeTable } from "./placeTable";

const rows = (what: string, os: Place["os"], places: string): readonly Place[] =>
  places
    .trim()
    .split(/\s*\n\s*/)
    .map((at) => ({ at, what, ...(os === undefined ? {} : { os }) }));

const POSIX = ["linux", "darwin"] as const;

/** Headers, libraries, manual pages, package caches, toolchains, and what agents themselves keep. Reads only. */
const PUBLIC_READS: readonly Place[] = [
  ...rows(
    "system files that come with the machine",
    POSIX,
    `/usr/**
     /bin/**
     /sbin/**
     /lib/**
     /lib32/**
     /lib64/**
     /libx32/**
     /opt/homebrew/**
     /opt/local/**
     /opt/hostedtoolcache/**
     /opt/conda/**
     /opt/cuda*/**
     /opt/rocm*/**
     /opt/java/**
     /opt/node*/**
     /opt/python*/**
     /opt/go/**
     /nix/store/**
     /gnu/store/**
     /snap/**
     /home/linuxbrew/.linuxbrew/**
     /Library/Developer/**
     /Library/Frameworks/**
     /Library/Java/**
     /System/Library/**
     /Applications/Xcode*.app/**`,
  ),
  ...rows(
    "public system settings",
    POSIX,
    `/etc/os-release
     /etc/lsb-release
     /etc/debian_version
     /etc/redhat-release
     /etc/fedora-release
     /etc/alpine-release
     /etc/arch-release
     /etc/issue
     /etc/hostname
     /etc/hosts
     /etc/resolv.conf
     /etc/nsswitch.conf
     /etc/services
     /etc/protocols
     /etc/mime.types
     /etc/timezone
     /etc/localtime
     /etc/shells
     /etc/manpath.config
     /etc/ld.so.conf
     /etc/ld.so.conf.d/**
     /etc/alternatives/**
     /etc/apt/sources.list
     /etc/apt/sources.list.d/**
     /etc/ssl/certs/**
     /etc/ssl/openssl.cnf
     /etc/ca-certificates/**
     /etc/ca-certificates.conf
     /private/etc/hosts
     /private/etc/services
     /private/etc/protocols
     /private/etc/resolv.conf
     /private/etc/shells
     /private/var/run/resolv.conf
     /run/systemd/resolve/stub-resolv.conf
     /run/systemd/resolve/resolv.conf`,
  ),
  ...rows(
    "facts about the running system",
    ["linux"],
    `/proc/cpuinfo
     /proc/meminfo
     /proc/version
     /proc/loadavg
     /proc/uptime
     /proc/stat
     /proc/mounts
     /proc/*/mounts
     /proc/*/mountinfo
     /proc/*/status
     /proc/*/cgroup
     /proc/*/limits
     /proc/filesystems
     /proc/partitions
     /proc/diskstats
     /proc/net/**
     /proc/*/net/**
     /proc/sys/**
     /sys/**
     /dev/null
     /dev/zero
     /dev/full
     /dev/random
     /dev/urandom
     /dev/tty`,
  ),
  ...rows(
    "a toolchain or package cache",
    POSIX,
    `~/.cargo/registry/**
     ~/.cargo/git/**
     ~/.cargo/bin/**
     ~/.rustup/**
     ~/.nvm/**
     ~/.fnm/**
     ~/.volta/**
     ~/.asdf/**
     ~/.bun/**
     ~/.deno/**
     ~/.npm/_cacache/**
     ~/.npm/_logs/**
     ~/.npm/_npx/**
     ~/.pnpm-store/**
     ~/.yarn/berry/cache/**
     ~/.cache/pip/**
     ~/.cache/uv/**
     ~/.cache/yarn/**
     ~/.cache/pnpm/**
     ~/.cache/node/**
     ~/.cache/go-build/**
     ~/.cache/pypoetry/**
     ~/.cache/pre-commit/**
     ~/.cache/ms-playwright/**
     ~/.cache/bazel/**
     ~/.cache/ccache/**
     ~/.cache/deno/**
     ~/.cache/typescript/**
     ~/.local/lib/**
     ~/.local/bin/**
     ~/.local/pipx/**
     ~/.local/share/uv/**
     ~/.local/share/pnpm/**
     ~/.local/share/mise/**
     ~/.local/share/virtualenvs/**
     ~/.local/share/man/**
     ~/go/pkg/**
     ~/.m2/repository/**
     ~/.gradle/caches/**
     ~/.gradle/wrapper/**
     ~/.sdkman/**
     ~/.ivy2/cache/**
     ~/.sbt/boot/**
     ~/.pyenv/**
     ~/.rbenv/**
     ~/.rvm/**
     ~/.gem/ruby/**
     ~/.bundle/cache/**
     ~/.conda/**
     ~/miniconda3/**
     ~/anaconda3/**
     ~/miniforge3/**
     ~/mambaforge/**
     ~/.julia/**
     ~/.ghcup/**
     ~/.cabal/packages/**
     ~/.stack/**
     ~/.opam/**
     ~/.hex/**
     ~/.mix/**
     ~/.pub-cache/**
     ~/.nuget/packages/**
     ~/.dotnet/**
     ~/.platformio/packages/**
     ~/.terraform.d/plugin-cache/**
     ~/Library/Caches/pip/**
     ~/Library/Caches/Homebrew/**
     ~/Library/Caches/go-build/**
     ~/Library/Caches/Yarn/**
     ~/Library/Caches/ms-playwright/**
     ~/Library/pnpm/**
     ~/Library/Python/**
     ~/Library/Developer/**`,
  ),
  ...rows(
    "a toolchain or package cache",
    ["win32"],
    `%/Windows/System32/drivers/etc/hosts
     %/Program Files/**
     %/Program Files (x86)/**
     ~/.cargo/registry/**
     ~/.cargo/git/**
     ~/.rustup/**
     ~/.nuget/packages/**
     ~/.dotnet/**
     ~/.m2/repository/**
     ~/.gradle/caches/**
     ~/go/pkg/**
     ~/scoop/apps/**
     ~/AppData/Local/Programs/Python/**
     ~/AppData/Local/pip/**
     ~/AppData/Local/npm-cache/**
     ~/AppData/Roaming/npm/**
     ~/AppData/Local/Yarn/**
     ~/AppData/Local/pnpm/**
     ~/AppData/Local/uv/**
     ~/AppData/Local/go-build/**
     ~/AppData/Local/ms-playwright/**`,
  ),
  ...rows(
    "what an agent or the editor keeps for itself",
    undefined,
    `~/.claude/projects/**
     ~/.claude/todos/**
     ~/.claude/plans/**
     ~/.claude/skills/**
     ~/.claude/agents/**
     ~/.claude/commands/**
     ~/.claude/plugins/**
     ~/.claude/CLAUDE.md
     ~/.codex/sessions/**
     ~/.codex/skills/**
     ~/.codex/AGENTS.md
     ~/.gemini/tmp/**
     ~/.gemini/GEMINI.md
     ~/.copilot/session-state/**
     ~/.copilot/skills/**
     ~/.agents/skills/**
     ~/.vscode/extensions/**
     ~/.vscode-insiders/extensions/**
     ~/.vscode-server/extensions/**
     ~/.vscode-remote/extensions/**
     ~/.config/Code*/User/workspaceStorage/*/GitHub.copilot-chat/**
     ~/.config/Code*/User/globalStorage/github.copilot-chat/**
     ~/.vscode-server/data/User/workspaceStorage/*/GitHub.copilot-chat/**
     ~/.local/share/code-server/User/workspaceStorage/*/GitHub.copilot-chat/**
     ~/Library/Application Support/Code*/User/workspaceStorage/*/GitHub.copilot-chat/**
     ~/AppData/Roaming/Code*/User/workspaceStorage/*/GitHub.copilot-chat/**`,
  ),
];

/** Reads and writes. What may be written here may be written by every program of the machine anyway. */
const TEMP_PLACES: readonly Place[] = [
  ...rows("a temporary folder", ["linux"], "/tmp/**\n/var/tmp/**\n/dev/shm/**"),
  ...rows(
    "a temporary folder",
    ["darwin"],
    "/tmp/**\n/private/tmp/**\n/var/tmp/**\n/private/var/tmp/**\n/var/folders/**\n/private/var/folders/**",
  ),
  ...rows("a temporary folder", ["win32"], "~/AppData/Local/Temp/**\n%/Windows/Temp/**\n%/Temp/**\n%/tmp/**"),
];

/** Writing here keeps nothing: `/dev/null` and the terminal. */
const SINKS: readonly Place[] = rows(
  "a device that keeps nothing",
  POSIX,
  "/dev/null\n/dev/zero\n/dev/full\n/dev/tty\n/dev/pts/*",
);

export const publicPlaces = placeTable(PUBLIC_READS);
export const tempPlaces = placeTable(TEMP_PLACES);
export const sinkPlaces = placeTable(SINKS);
