/** Starts a throw-away PostgreSQL or MariaDB on loopback for tests. Knows nothing of the product. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** @typedef {{ url: string, stop: () => Promise<void> }} Engine */

const APT = "apt-get install -y --no-install-recommends postgresql mariadb-server";
const START_MS = 45_000;

/** @returns {Promise<Engine>} */
export async function startPostgres() {
  const bin = postgresFolder();
  const user = unprivileged(["postgres", "nobody"]);
  const { folder, remove } = dataFolder("cs-pg-", user);
  const data = join(folder, "data");
  try {
    run(
      join(bin, "initdb"),
      ["-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
      user,
    );
    const port = await freePort();
    const options = ["-D", data, "-p", String(port), "-k", folder];
    const settings = ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=30", "shared_buffers=16MB"];
    const server = launch(
      join(bin, "postgres"),
      [...options, ...settings.flatMap((one) => ["-c", one])],
      user,
    );
    const ready = () =>
      spawnSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)]).status === 0;
    await until(ready, server);
    return {
      url: `postgres://owner@127.0.0.1:${port}/postgres`,
      stop: () => server.stop("SIGINT").then(remove),
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @returns {Promise<Engine>} */
export async function startMariaDb() {
  const mariadbd = findProgram(["mariadbd", "mysqld"], ["/usr/sbin"]);
  const install = findProgram(["mariadb-install-db", "mysql_install_db"], ["/usr/bin"]);
  const user = unprivileged(["mysql", "nobody"]);
  const { folder, remove } = dataFolder("cs-maria-", user);
  const data = join(folder, "data");
  try {
    run(
      install,
      ["--no-defaults", `--datadir=${data}`, "--auth-root-authentication-method=normal", "--skip-test-db"],
      user,
    );
    const port = await freePort();
    const socket = join(folder, "m.sock");
    const server = launch(
      mariadbd,
      [
        "--no-defaults",
        `--datadir=${data}`,
        // Servers that run side by side name their temporary tables alike.
        `--tmpdir=${data}`,
        `--port=${port}`,
        `--socket=${socket}`,
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--innodb-flush-log-at-trx-commit=0",
        "--innodb-buffer-pool-size=16M",
        "--character-set-server=utf8mb4",
        "--log-bin-trust-function-creators=1",
      ],
      user,
    );
    const client = findProgram(["mariadb", "mysql"], ["/usr/bin"]);
    const as = [`--socket=${socket}`, "-uroot"];
    await until(() => spawnSync(client, ["--no-defaults", ...as, "-e", "SELECT 1"]).status === 0, server);
    run(
      client,
      [
        "--no-defaults",
        ...as,
        "-e",
        "CREATE DATABASE app; CREATE USER owner@'127.0.0.1'; GRANT ALL ON *.* TO owner@'127.0.0.1'",
      ],
      null,
    );
    return { url: `mysql://owner@127.0.0.1:${port}/app`, stop: () => server.stop("SIGTERM").then(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

function postgresFolder() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) {
    const bin = join(debian, version, "bin");
    if (existsSync(join(bin, "initdb"))) return bin;
  }
  return join(findProgram(["postgres"], []), "..");
}

/** @param {string[]} names @param {string[]} folders */
function findProgram(names, folders) {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), ...folders]) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  throw new Error(`${names[0]} is not installed. Run: ${APT}`);
}

/** Both servers refuse to run as root. @param {string[]} names @returns {{ name: string, uid: number, gid: number } | null} */
function unprivileged(names) {
  if (process.getuid?.() !== 0) return null;
  for (const name of names) {
    const uid = spawnSync("id", ["-u", name], { encoding: "utf8" });
    const gid = spawnSync("id", ["-g", name], { encoding: "utf8" });
    if (uid.status === 0 && gid.status === 0)
      return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error(`None of the users ${names.join(", ")} exists. Run: ${APT}`);
}

/** @param {string} prefix @param {ReturnType<typeof unprivileged>} user */
function dataFolder(prefix, user) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** @param {string} program @param {string[]} args @param {ReturnType<typeof unprivileged>} user */
function run(program, args, user) {
  const done = spawnSync(program, args, { ...as(user), cwd: "/", encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr || done.stdout || done.error}`);
}

/** @param {ReturnType<typeof unprivileged>} user */
function as(user) {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

/** @param {string} program @param {string[]} args @param {ReturnType<typeof unprivileged>} user */
function launch(program, args, user) {
  const child = spawn(program, args, { ...as(user), cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
  const state = { log: "", ended: false };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      state.log = `${state.log}${chunk}`.slice(-4000);
    });
  }
  const gone = new Promise((resolve) => {
    child.once("exit", () => resolve(undefined));
    child.once("error", (error) => {
      state.log += String(error);
      resolve(undefined);
    });
  }).then(() => {
    state.ended = true;
  });
  const killNow = () => child.kill("SIGKILL");
  process.once("exit", killNow);
  return {
    state,
    /** @param {NodeJS.Signals} signal */
    async stop(signal) {
      child.kill(signal);
      const hard = setTimeout(killNow, 10_000);
      await gone;
      clearTimeout(hard);
      process.off("exit", killNow);
    },
  };
}

/** @param {() => boolean} ready @param {ReturnType<typeof launch>} server */
async function until(ready, server) {
  const end = Date.now() + START_MS;
  while (!ready()) {
    if (server.state.ended || Date.now() > end) {
      await server.stop("SIGKILL");
      throw new Error(`The server did not start:\n${server.state.log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address === null || typeof address === "string"
          ? reject(new Error("no port"))
          : resolve(address.port),
      );
    });
  });
}
