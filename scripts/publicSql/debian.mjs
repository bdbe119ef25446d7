/**
 * Brings public packages into the cache with the machine's own apt, verified by apt's checksums, and unpacks the few files
 * wanted. Names no server: the lines come from this machine's settings. Knows nothing of SQL.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ETC = "/etc/apt";

/** @param {string} file */
function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Codename of this Debian, such as "bookworm"; only its own suite has what is wanted, third parties' have not. */
function codename() {
  return /^VERSION_CODENAME="?([\w-]+)/m.exec(readIfThere("/etc/os-release"))?.[1];
}

/** @param {string} text One-line style: `deb [options] uri suite component..`. */
function oneLineEntries(text) {
  return [...text.matchAll(/^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)$/gm)].map((found) => ({
    options: found[1] ?? "",
    uri: found[2],
    suites: [found[3]],
    components: (found[4] ?? "").split(/\s+/),
  }));
}

/** @param {string} text deb822 style. */
function paragraphEntries(text) {
  return text.split(/\n\s*\n/).flatMap((paragraph) => {
    const field = (name) =>
      new RegExp(`^${name}:\\s*(.*)$`, "im").exec(paragraph)?.[1]?.trim().split(/\s+/) ?? [];
    if (!field("Types").includes("deb") || field("Enabled")[0] === "no") return [];
    const key = field("Signed-By")[0];
    const options = key?.startsWith("/") ? `signed-by=${key}` : "";
    return field("URIs").map((uri) => ({
      options,
      uri,
      suites: field("Suites"),
      components: field("Components"),
    }));
  });
}

/** Both kinds of lines for the machine's own suite. */
function sourcesList() {
  const parts = existsSync(`${ETC}/sources.list.d`) ? readdirSync(`${ETC}/sources.list.d`) : [];
  const read = (ending) =>
    parts.filter((name) => name.endsWith(ending)).map((name) => readIfThere(`${ETC}/sources.list.d/${name}`));
  const entries = [
    ...[readIfThere(`${ETC}/sources.list`), ...read(".list")].flatMap(oneLineEntries),
    ...read(".sources").flatMap(paragraphEntries),
  ];
  const suite = codename();
  const own = entries.filter((entry) => entry.suites.includes(suite) && entry.components.includes("main"));
  return own.flatMap(({ options, uri }) =>
    ["deb", "deb-src"].map(
      (kind) => `${kind} ${options === "" ? "" : `[${options}] `}${uri} ${suite} main\n`,
    ),
  );
}

/** @param {string} folder A private apt state, so that nothing of the machine's changes and no root is needed. */
function aptOptions(folder) {
  const lines = sourcesList();
  if (lines.length === 0)
    throw new Error("no Debian package source of this machine's own suite is configured");
  mkdirSync(join(folder, "lists/partial"), { recursive: true });
  mkdirSync(join(folder, "cache/archives/partial"), { recursive: true });
  writeFileSync(join(folder, "sources.list"), [...new Set(lines)].join(""));
  const settings = {
    "Dir::Etc::SourceList": join(folder, "sources.list"),
    "Dir::Etc::SourceParts": "/dev/null",
    "Dir::State::Lists": join(folder, "lists"),
    "Dir::Cache": join(folder, "cache"),
    "APT::Sandbox::User": "",
    "Acquire::Languages": "none",
    "Acquire::Retries": "2",
  };
  return Object.entries(settings).flatMap(([key, value]) => ["-o", `${key}=${value}`]);
}

/**
 * @param {string} program @param {readonly string[]} args @param {string} cwd
 * @returns {Promise<{ status: number | null, said: string }>}
 */
function run(program, args, cwd) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said += part));
    child.once("error", (error) => resolve({ status: null, said: error.message }));
    child.once("close", (status) => resolve({ status, said }));
  });
}

/** @typedef {{ name: string, kind: "source" | "binary", members: readonly string[] }} Package */

const UNPACK_BINARY = 'file=$0 && to=$1 && shift && dpkg-deb --fsys-tarfile "$file" | tar -x -C "$to" "$@"';

/** @param {Package} wanted @param {string} archive @param {string} folder */
async function unpack({ kind, members }, archive, folder) {
  mkdirSync(folder, { recursive: true });
  const pick = ["--wildcards", "--no-anchored", ...members];
  if (kind === "source") return run("tar", ["-xf", archive, "-C", folder, ...pick], folder);
  return run("sh", ["-c", UNPACK_BINARY, archive, folder, ...pick], folder);
}

/**
 * @param {Package} wanted @param {{ folder: string, options: readonly string[] }} apt
 * @returns {Promise<{ name: string, problem?: string }>}
 */
async function fetchOne(wanted, { folder, options }) {
  const { name, kind } = wanted;
  const work = join(folder, "download", name);
  mkdirSync(work, { recursive: true });
  const verb = kind === "source" ? ["source", "--download-only", "--tar-only", name] : ["download", name];
  const got = await run("apt-get", ["-q", ...options, ...verb], work);
  const archive = readdirSync(work).find((file) =>
    (kind === "source" ? /\.orig\.tar\.\w+$/ : /\.deb$/).test(file),
  );
  if (got.status !== 0 || archive === undefined)
    return { name, problem: got.said.match(/^E: .*/m)?.[0] ?? "not found" };
  const version =
    decodeURIComponent(archive)
      .split("_")[1]
      ?.replace(/\.orig\..*/, "") ?? "";
  const target = join(folder, "packages", name);
  const done = await unpack(wanted, join(work, archive), target);
  rmSync(work, { recursive: true, force: true });
  if (done.status !== 0) return { name, problem: done.said.slice(0, 300) };
  writeFileSync(join(target, "VERSION"), version);
  return { name };
}

/**
 * Brings what is not there yet. A package that cannot be had is told, not thrown: the counts are checked by who reads them.
 * @param {string} folder @param {readonly Package[]} packages
 * @returns {Promise<readonly { name: string, problem?: string }[]>}
 */
export async function fetchPackages(folder, packages) {
  const missing = packages.filter(({ name }) => !existsSync(join(folder, "packages", name, "VERSION")));
  if (missing.length === 0) return [];
  mkdirSync(folder, { recursive: true });
  const options = aptOptions(folder);
  const updated = await run("apt-get", ["-q", ...options, "update"], folder);
  if (updated.status !== 0)
    throw new Error(`apt-get update: ${updated.said.match(/^E: .*/m)?.[0] ?? updated.said}`);
  // Two at a time: one comes while another is unpacked.
  const done = [];
  const queue = [...missing];
  const work = async () => {
    for (let wanted = queue.shift(); wanted !== undefined; wanted = queue.shift())
      done.push(await fetchOne(wanted, { folder, options }));
  };
  await Promise.all([work(), work()]);
  for (const part of ["lists", "cache", "download"])
    rmSync(join(folder, part), { recursive: true, force: true });
  return done;
}
