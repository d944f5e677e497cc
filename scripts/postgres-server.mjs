import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";

const DEBIAN = "/usr/lib/postgresql";
const START_MS = 30_000;

/** @typedef {{ uid?: number, gid?: number }} Account The account that a program runs as; empty for the current user. */
/**
 * @typedef {object} PostgresServer
 * @property {string} url The address of the server's first database, with the password of its only user.
 * @property {() => Promise<void>} start Restarts the server with its data.
 * @property {() => Promise<void>} stop Shuts the server down, which ends all connections.
 * @property {() => Promise<void>} kill Ends all processes of the server with SIGKILL, like a power failure.
 * @property {() => Promise<void>} remove Stops the server and removes its files.
 */

/**
 * Returns the folder of the server's programs: the first such folder on the PATH, otherwise Debian's newest one,
 * which is not on the PATH.
 * @returns {string | undefined}
 */
export function findPostgres() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a)).map((each) => join(DEBIAN, each, "bin"));
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...newest];
  return folders.find((folder) => ["postgres", "initdb"].every((name) => isProgram(join(folder, name))));
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a real server on loopback, with a password, in a temporary folder. `remove` stops the server and removes its
 * folder; so does the end of this process, for any reason.
 * @param {{ fsync?: "on" | "off" }} [options] `off` is faster, and only matters if the machine loses power.
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres({ fsync = "on" } = {}) {
  const programs = findPostgres();
  if (programs === undefined) throw new Error("There is no Postgres server on this machine.");
  const account = unprivileged();
  const folder = ownFolder(account);
  const watchdog = watchOver(folder, account);
  try {
    const password = randomBytes(12).toString("hex");
    makeCluster({ programs, folder, account, password });
    const port = await freePort();
    const server = serverOf({ programs, folder, account, port, fsync });
    await server.start();
    const url = `postgres://worldline:${password}@127.0.0.1:${port}/postgres`;
    return { url, ...server, remove: async () => watchdog.end() };
  } catch (error) {
    await watchdog.end();
    throw error;
  }
}

/**
 * Returns the account to run the server as, because Postgres refuses to run as root.
 * @returns {Account}
 */
function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const [, , uid, gid] =
    users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody") ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

/** @param {Account} account */
function ownFolder({ uid, gid }) {
  const parent = uid === undefined || isForAll(realpathSync(tmpdir())) ? tmpdir() : "/tmp";
  const folder = realpathSync(mkdtempSync(join(parent, "worldline-postgres-")));
  chmodSync(folder, 0o700);
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/**
 * Whether users other than root can enter the folder, and can remove their own files in it.
 * @param {string} folder
 */
function isForAll(folder) {
  const way = folder.split("/").map((_, at, names) => names.slice(0, at + 1).join("/") || "/");
  return way.every((each) => (statSync(each).mode & 0o1) !== 0) && (statSync(folder).mode & 0o2) !== 0;
}

/**
 * Starts a helper process that stops the server and removes its folder when the helper's input ends, because this
 * process closed the input or died. The helper has its own process session, so that the keys that end the tests do not
 * end the helper first.
 * @param {string} folder @param {Account} account
 */
function watchOver(folder, account) {
  const script = `cat >/dev/null
    pid=$(head -n 1 data/postmaster.pid 2>/dev/null)
    [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null
    while [ -e data/postmaster.pid ] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
    cd / && for again in 1 2 3 4 5; do rm -rf "$1" 2>/dev/null; [ -e "$1" ] || exit 0; sleep 0.2; done`;
  const child = spawn("sh", ["-c", script, "sh", folder], {
    ...account,
    cwd: folder,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  // Neither the helper nor its pipe keeps this process alive.
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return {
    end: async () => {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Creates a cluster that sorts text by the rules of a language, unlike JavaScript. A real server may be
 * configured this way.
 * @param {{ programs: string, folder: string, account: Account, password: string }} where
 */
function makeCluster({ programs, folder, account, password }) {
  const secret = join(folder, "password");
  writeFileSync(secret, password);
  if (account.uid !== undefined && account.gid !== undefined) chownSync(secret, account.uid, account.gid);
  const usual = [
    "-D",
    join(folder, "data"),
    "-U",
    "worldline",
    "-E",
    "UTF8",
    "--locale=C",
    "-A",
    "scram-sha-256",
  ];
  const quick = [`--pwfile=${secret}`, "--no-sync", "--no-instructions"];
  const make = (/** @type {string[]} */ ...sorting) =>
    spawnSync(join(programs, "initdb"), [...usual, ...quick, ...sorting], {
      ...account,
      cwd: folder,
      encoding: "utf8",
    });
  // Postgres before version 15 lacks this option.
  const made = [() => make("--locale-provider=icu", "--icu-locale=en"), () => make()];
  let said = "";
  for (const each of made) {
    const { status, stderr, error } = each();
    if (status === 0) return;
    said = stderr ?? String(error);
  }
  throw new Error(`initdb could not make a cluster: ${said}`);
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/**
 * @param {{ programs: string, folder: string, account: Account, port: number, fsync: "on" | "off" }} where
 * @returns {Pick<PostgresServer, "start" | "stop" | "kill">}
 */
function serverOf({ programs, folder, account, port, fsync }) {
  const data = join(folder, "data");
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder,
    fsync,
    full_page_writes: fsync,
    shared_buffers: "16MB",
    // Keep shared memory in files in the server's own folder.
    dynamic_shared_memory_type: "mmap",
    logging_collector: "off",
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  /** @type {{ child: import("node:child_process").ChildProcess, ended: Promise<unknown> } | undefined} */
  let running;

  const start = async () => {
    const deadline = Date.now() + START_MS;
    let trouble = await startOnce(deadline);
    // The processes of a killed server may take a moment to end.
    while (trouble?.includes("shared memory block") && Date.now() < deadline) {
      await setTimeout(100);
      trouble = await startOnce(deadline);
    }
    if (trouble !== undefined) throw new Error(`The Postgres server did not start: ${trouble}`);
  };
  /** @returns {Promise<string | undefined>} The server's output if it did not start. */
  const startOnce = async (/** @type {number} */ deadline) => {
    const child = spawn(join(programs, "postgres"), ["-D", data, ...words], {
      ...account,
      cwd: folder,
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    if ("unref" in child.stderr && typeof child.stderr.unref === "function") child.stderr.unref();
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    let hasEnded = false;
    const ended = new Promise((resolve) => {
      child.on("error", resolve);
      child.on("exit", resolve);
    }).then(() => {
      hasEnded = true;
    });
    child.unref();
    while (!isReady(data, child.pid)) {
      if (hasEnded || Date.now() > deadline) return said || "it printed nothing";
      await setTimeout(20);
    }
    running = { child, ended };
    return undefined;
  };
  const end = async (/** @type {(pid: number) => void} */ how) => {
    if (running === undefined) return;
    const { child, ended } = running;
    child.ref();
    how(child.pid ?? 0);
    await ended;
    running = undefined;
  };
  return {
    start,
    stop: async () => end((pid) => process.kill(pid, "SIGINT")),
    kill: async () => end(killAll),
  };
}

/**
 * Whether the server is ready. It reports its state in `postmaster.pid`; a killed server leaves an old file there, with
 * a different pid.
 * @param {string} data @param {number | undefined} pid
 */
function isReady(data, pid) {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
  } catch {
    return false;
  }
}

/**
 * Kills a process and its children, which would otherwise continue for a moment without their parent.
 * @param {number} pid
 */
function killAll(pid) {
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

/**
 * Returns the children of a process, read from /proc because not every machine has `ps`.
 * @param {number} pid @returns {readonly number[]}
 */
function childrenOf(pid) {
  const told = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(told)
    ? readFileSync(told, "utf8")
    : spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" }).stdout;
  return (text ?? "")
    .split(/\s+/u)
    .map(Number)
    .filter((each) => each > 1);
}
