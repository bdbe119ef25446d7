/** Makes a fresh machine ready for the other scripts. Uses only what Node 20 has, for it runs before anything is installed. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = resolve(fileURLToPath(import.meta.url), "..", "..");

const WINDOWS = process.platform === "win32";
const LEAST_NODE = [22, 13];

/** Text of a file, or undefined when it cannot be read. */
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Runs a program with its output on ours; throws when it does not end well. */
export function run(program, args, { cwd = root, env = process.env, quiet = false } = {}) {
  const stdio = quiet ? ["ignore", "pipe", "pipe"] : "inherit";
  const done = spawnSync(program, args, {
    cwd,
    env,
    stdio,
    encoding: "utf8",
    shell: WINDOWS && program === "npm",
  });
  if (done.error) throw new Error(`${program}: ${done.error.message}`);
  if (done.status === 0) return done.stdout ?? "";
  const said = quiet ? `\n${done.stdout}${done.stderr}`.trimEnd() : "";
  throw new Error(`${[program, ...args].join(" ")} ended with ${done.status ?? done.signal}${said}`);
}

/** Where a program is on PATH (or in the folders where Debian keeps servers), or undefined. */
export function findProgram(name) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/sbin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/** Optional packages that npm surely installs here: those made for this system, where the C library does not decide. */
function forThisMachine(entry) {
  const fits = (list, value) => list?.includes(value) ?? false;
  return fits(entry.os, process.platform) && fits(entry.cpu, process.arch) && entry.libc === undefined;
}

/** Names of locked packages that are not installed in the locked version. */
function packagesThatDiffer() {
  const lock = JSON.parse(readText(join(root, "package-lock.json")) ?? "{}").packages ?? {};
  const installed =
    JSON.parse(readText(join(root, "node_modules/.package-lock.json")) ?? "{}").packages ?? {};
  return Object.entries(lock)
    .filter(
      ([name, entry]) => name !== "" && entry.link !== true && (!entry.optional || forThisMachine(entry)),
    )
    .filter(([name, entry]) => installed[name]?.version !== entry.version || !existsSync(join(root, name)))
    .map(([name]) => name);
}

/** Installs the locked npm packages when one is missing or another version lies there. Uses npm's own settings, cache folder included. */
export function ensurePackages() {
  const differ = packagesThatDiffer();
  if (differ.length === 0) return;
  console.log(`setup: installing ${differ.length} npm packages, as the lock names them (a minute or so)`);
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
}

/** `node_modules/.bin` first, so that every child finds the packages' programs and the npm-installed Node. */
export function environment(extra = {}) {
  return {
    ...process.env,
    PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`,
    ...extra,
  };
}

/**
 * Goes on only under a Node that the tools can run on. Under an older one the calling script starts again
 * under npm's own Node and this process only passes signals and the exit code.
 */
export async function underNewNode(script) {
  if (isNewEnough(process.versions.node)) {
    process.env.PATH = environment().PATH;
    return;
  }
  const newer = join(root, "node_modules/.bin", WINDOWS ? "node.exe" : "node");
  if (!existsSync(newer) || process.env.COUNTERSIGN_NEW_NODE === "1") {
    throw new Error(
      `Node ${LEAST_NODE.join(".")} or later is needed; this is ${process.versions.node} and the registry has none for ${process.platform}-${process.arch}.`,
    );
  }
  const child = spawn(newer, [script, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: environment({ COUNTERSIGN_NEW_NODE: "1" }),
  });
  // Ctrl-C reaches the child by itself (same terminal group); a signal to us alone is passed on.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const code = await new Promise((ended) =>
    child.once("close", (status, signal) => ended(status ?? (signal ? 130 : 1))),
  );
  process.exit(code);
}

/** For each Debian package the program that proves that it, or something as good, is there. */
const PROVED_BY = {
  chromium: () => process.env.CHROMIUM_PATH ?? findProgram("chromium"),
  sqlite3: () => findProgram("sqlite3"),
  "mariadb-server": () => findProgram("mariadbd") ?? findProgram("mysqld"),
  postgresql: () => findProgram("postgres") ?? postgresOfDebian(),
};

function postgresOfDebian() {
  const versions = ["18", "17", "16", "15", "14", "13"];
  return versions.map((v) => `/usr/lib/postgresql/${v}/bin/postgres`).find((file) => existsSync(file));
}

/** Installs the Debian packages whose programs are missing; says plainly when this machine does not let it. */
export function ensureDebian(packages) {
  const missing = packages.filter((name) => PROVED_BY[name]?.() === undefined);
  if (missing.length === 0) return;
  const wanted = `sudo apt-get install ${missing.join(" ")}`;
  if (findProgram("apt-get") === undefined) {
    throw new Error(
      `Missing programs: ${missing.join(", ")}. This is not Debian: please install them and run again.`,
    );
  }
  if (process.getuid?.() !== 0) throw new Error(`Missing Debian packages. Please run: ${wanted}`);
  console.log(`setup: apt-get install ${missing.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  run("apt-get", ["update", "-qq"], { env, quiet: true });
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...missing], { env, quiet: true });
  const still = missing.filter((name) => PROVED_BY[name]?.() === undefined);
  if (still.length > 0)
    throw new Error(`apt-get installed ${still.join(", ")}, but the program is not there.`);
}

/** Installs the editor host (the VS Code server from npm) unless it is there. */
export function ensureHost() {
  run(process.execPath, [join(root, "scripts/installHost.mjs")]);
}

/** Brings public SQL texts and command lines, MCP programs and an npm registry; where they cannot be had, the tests that need them say so. */
export function ensureTestMaterial() {
  const own = join(root, "node_modules/.bin", WINDOWS ? "node.exe" : "node");
  const node = existsSync(own) ? own : process.execPath;
  for (const script of ["publicSql", "publicShell", "mcpPrograms", "cardRegistry"]) {
    try {
      run(node, [join(root, "scripts", `${script}.mjs`)]);
    } catch (error) {
      console.error(`setup: ${error.message}`);
    }
  }
}

/** Bundles the extension. */
export function ensureBuild() {
  run(process.execPath, [join(root, "esbuild.mjs")]);
}
