import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  unlinkSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../ports/clock.ts";
import type { Life, LifeSocket, Owner } from "../ports/lease.ts";
import { errnoOf, isMissing } from "../record/error.ts";
import { isJsonObject } from "../record/parts.ts";
import type { ErrorOwner } from "../strings/errors/facts.ts";
import { systemClock } from "./system-clock.ts";

const TOKEN_BYTES = 16;
const TOKEN = /^[0-9a-f]{32}$/;

export function newOwner(processes: Processes, clock: Clock, name: string): Owner {
  const { pid, host, boot, namespace } = processes;
  const socket = processes.socket?.();
  return {
    pid,
    started: processes.startOf(pid) ?? UNSEEN,
    boot,
    host,
    ...(namespace === undefined ? {} : { namespace }),
    ...(socket === undefined ? {} : { socket }),
    name,
    since: new Date(clock.now()).toISOString(),
    token: Buffer.from(clock.random(TOKEN_BYTES)).toString("hex"),
  };
}

/** Host name of an owner that cannot be checked. No machine has this name. */
const NOWHERE = "";

/**
 * Returns the owner that a lock file names. An unreadable lock may still have a live owner, so its owner is treated
 * like an owner on another host. The token of such an owner is derived from the bytes, so that it differs from other
 * tokens.
 *
 * @internal
 */
export function readOwner(bytes: Buffer): Owner {
  const token = createHash("sha256")
    .update(bytes)
    .digest("hex")
    .slice(0, 2 * TOKEN_BYTES);
  const unknown = { pid: 0, started: "", boot: "", host: NOWHERE, name: "", since: "", token };
  return parseOwner(bytes.toString("utf8")) ?? unknown;
}

export function isUnreadable(owner: Owner): boolean {
  return owner.host === NOWHERE;
}

/** Converts an owner to the form that errors use. */
export function ownerFacts(owner: Owner): ErrorOwner {
  const { name, pid, host, since } = owner;
  return isUnreadable(owner) ? "unreadable" : { name, pid, host, since };
}

/** Parses an owner. Checks the token, because the token becomes part of a file name. */
function parseOwner(text: string): Owner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { pid, started, boot, host, name, since, token } = value;
  const words = [started, boot, host, name, since];
  if (!Number.isSafeInteger(pid) || !words.every((word) => typeof word === "string")) return undefined;
  if (typeof token !== "string" || !TOKEN.test(token) || host === NOWHERE) return undefined;
  const { namespace } = value;
  const within = typeof namespace === "string" ? { namespace } : {};
  const socket = parseSocket(value["socket"]);
  const asked = socket === undefined ? {} : { socket };
  return { pid, started, boot, host, ...within, ...asked, name, since, token } as unknown as Owner;
}

function parseSocket(value: unknown): LifeSocket | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, file } = value;
  return typeof name === "string" && typeof file === "string" ? { name, file } : undefined;
}

/**
 * Checks whether an owner is alive. Processes from this boot run on this kernel, regardless of the host name of their
 * container. Within a pid namespace, processes are identified by their pid and start time. Across namespaces, processes
 * are identified by the socket that they listen on. Processes do not survive a reboot of this host. Processes on other
 * hosts cannot be checked.
 */
export function lifeOf(owner: Owner, processes: Processes): Life {
  const isThisBoot = owner.boot === processes.boot;
  if (owner.host !== processes.host) {
    // If the system does not provide boot ids, or if the lock was written before owners recorded their namespace, only
    // host names can be compared.
    if (!isThisBoot || owner.boot === "" || owner.namespace === undefined) return "elsewhere";
  } else if (!isThisBoot) return "dead";
  const { namespace } = processes;
  if ((owner.namespace ?? namespace) !== (namespace ?? owner.namespace))
    return lifeBySocket(owner, processes);
  const start = processes.startOf(owner.pid);
  if (start === undefined) return "dead";
  return start === owner.started || start === UNSEEN || owner.started === UNSEEN ? "living" : "dead";
}

function lifeBySocket({ socket }: Owner, { ask }: Processes): Life {
  const answer = socket === undefined ? "unknown" : (ask?.(socket) ?? "unknown");
  return answer === "unknown" ? "elsewhere" : answer;
}

/** The information that locks need about processes. */
export interface Processes {
  readonly pid: number;
  readonly host: string;
  /**
   * The id of the current boot, or an empty string if the id is unknown. If it is unknown, start times are absolute.
   */
  readonly boot: string;
  /**
   * This process's pid namespace. In a different namespace, the same pid refers to another process or to none.
   * Undefined if the system does not have namespaces.
   */
  readonly namespace?: string;
  /**
   * Returns the start time of a living process, as the operating system reports it, or undefined for a dead process or
   * a zombie.
   */
  startOf(pid: number): string | undefined;
  /**
   * Returns the socket that processes in other pid namespaces can use to check whether this process is alive, or
   * undefined if this process does not have a socket.
   */
  readonly socket?: () => LifeSocket | undefined;
  /**
   * Checks whether the process that listens on the socket is alive. Returns "unknown" unless the answer is certain. The
   * socket must have been created during this boot.
   */
  readonly ask?: (socket: LifeSocket) => "living" | "dead" | "unknown";
}

/**
 * Placeholder for the start time of a living process if reading the start time is not permitted. Such a process may be
 * the lock's owner, so it is treated as the owner.
 */
const UNSEEN = "unseen";

/**
 * Returns information about this machine's processes. `home` is the folder that contains the locks. Processes in other
 * pid namespaces can share that folder, and use it to check whether this process is alive.
 */
export function realProcesses(home?: string): Processes {
  const isLinux = process.platform === "linux";
  const namespace = isLinux ? pidNamespace() : undefined;
  const startOf = isLinux ? startFromProc : startFromPs;
  // The start time is cached, because every lease needs it and it never changes.
  let ownStart: string | undefined;
  const boot = isLinux ? readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim() : "";
  return {
    pid: process.pid,
    host: hostname(),
    boot,
    ...(namespace === undefined ? {} : { namespace }),
    ...(namespace === undefined || home === undefined ? {} : livenessSockets(home, boot)),
    startOf: (pid) => {
      if (pid !== process.pid) return startOf(pid);
      ownStart ??= startOf(pid);
      return ownStart;
    },
  };
}

function livenessSockets(home: string, boot: string): Pick<Processes, "socket" | "ask"> {
  const { random } = systemClock;
  return {
    socket: () => lifeSocketIn({ home, boot, random }),
    ask: (socket) => askLifeSocket(home, socket),
  };
}

function pidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // The kernel does not have namespaces or hides them, so all pids are treated as part of one namespace.
    return undefined;
  }
}

function startFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    // ESRCH: the process exited while its file was being read.
    if (isMissing(error) || errnoOf(error) === "ESRCH") return isSignalled(pid) ? UNSEEN : undefined;
    return UNSEEN;
  }
  // The second field is the program's name in parentheses. The name can contain any character, including spaces and
  // parentheses.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : rest[18];
}

function startFromPs(pid: number): string | undefined {
  if (!isSignalled(pid)) return undefined;
  try {
    const options = { encoding: "utf8", env: { ...process.env, LC_ALL: "C", TZ: "UTC" } } as const;
    const [state = "", ...start] = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], options)
      .trim()
      .split(/\s+/);
    return state.startsWith("Z") ? undefined : start.join(" ");
  } catch {
    // The system does not have `ps`, or the process has just exited. In case of doubt, the process is treated as alive,
    // and the user decides.
    return isSignalled(pid) ? UNSEEN : undefined;
  }
}

/** Checks whether the process exists. Also finds processes of other users, even if the system hides them. */
function isSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

const FOLDER_MODE = 0o700;
const SOCKET_MODE = 0o600;
const NAME_BYTES = 8;
const NAME = /^([0-9a-f]{8})-[0-9a-f]{16}$/;
/**
 * Maximum time that the kernel may take to answer a local connection attempt. After that, the answer is treated as
 * unknown.
 */
const ANSWER_MS = 5_000;
const LEFT_MS = 24 * 60 * 60 * 1000;

/** Returns the folder with the sockets of all processes that lock something in this home folder. */
function socketsFolder(home: string): string {
  return join(home, "alive");
}

/** A socket that this process listens on for as long as it runs. */
interface LifeServer {
  readonly server: Server;
  readonly path: string;
  readonly socket: LifeSocket;
}

const lifeServers = new Map<string, LifeServer>();
/** Whether the handler that removes the sockets when this process exits has been installed. */
let isTidying = false;

interface SocketRequest {
  readonly home: string;
  readonly boot: string;
  readonly random: (count: number) => Uint8Array;
}

/**
 * Returns the socket that other processes can use to check whether this process is alive. Each home folder has its own
 * socket, which is created on first use. The kernel closes the socket when the process exits for any reason, and
 * accepts connections even while the process is suspended or busy. Returns undefined if the file system does not
 * support sockets or does not have enough space. Other processes then cannot check this process.
 */
function lifeSocketIn(request: SocketRequest): LifeSocket | undefined {
  const known = lifeServers.get(request.home);
  if (known !== undefined && identityOf(known.path) === known.socket.file) return known.socket;
  closeUnreachable();
  try {
    const made = listen(request);
    if (made === undefined) return undefined;
    if (!isTidying) process.once("exit", removeAll);
    isTidying = true;
    lifeServers.set(request.home, made);
    return made.socket;
  } catch {
    // The disk is full or read-only. Writing the lock itself will report the problem.
    return undefined;
  }
}

function listen({ home, boot, random }: SocketRequest): LifeServer | undefined {
  const folder = socketsFolder(home);
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  removeOfEarlierBoots(folder, boot);
  const name = `${bootPart(boot)}-${Buffer.from(random(NAME_BYTES)).toString("hex")}`;
  const path = join(folder, name);
  const server = createServer((connection) => connection.destroy());
  // An error while accepting a connection does not stop the server, and the outcome of `listen` is checked below.
  server.on("error", () => undefined);
  throughShortPath(folder, name, (short) => server.listen({ path: short, exclusive: true }));
  server.unref();
  const file = identityOf(path);
  if (file !== undefined) chmodSync(path, SOCKET_MODE);
  if (!server.listening || file === undefined) return undefined;
  return { server, path, socket: { name, file } };
}

/**
 * Checks whether the process that listens on a socket is alive. The result is "dead" only if two conditions are met:
 * this very socket exists on the same mounted file system where its owner created it, and the kernel reports that no
 * process listens on it. A socket that was removed, copied, or mounted a second time does not prove anything. The owner
 * must be from this boot, because this kernel has no information about sockets on other machines.
 */
function askLifeSocket(home: string, { name, file }: LifeSocket): "living" | "dead" | "unknown" {
  const folder = socketsFolder(home);
  if (!NAME.test(name) || identityOf(join(folder, name)) !== file) return "unknown";
  try {
    const answer = throughShortPath(folder, name, connect);
    // No process is listening, so the answer depends on whether this is still the owner's socket.
    if (answer === REFUSED) return identityOf(join(folder, name)) === file ? "dead" : "unknown";
    return answer === ACCEPTED ? "living" : "unknown";
  } catch {
    return "unknown";
  }
}

/**
 * Runs `work` with a short path, because a socket's path cannot be longer than 107 bytes. A path through an open folder
 * is short, no matter how long the folder's own path is.
 */
function throughShortPath<Result>(folder: string, name: string, work: (short: string) => Result): Result {
  const open = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return work(`/proc/self/fd/${open}/${name}`);
  } finally {
    closeSync(open);
  }
}

/** Returns a string that identifies a socket and its mounted file system. */
function identityOf(path: string): string | undefined {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat?.isSocket() === true ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** Closes sockets whose files no longer exist, because no other process can reach them. */
function closeUnreachable(): void {
  for (const [home, { server, path, socket }] of lifeServers) {
    if (identityOf(path) === socket.file) continue;
    server.close();
    lifeServers.delete(home);
  }
}

function removeAll(): void {
  for (const { path } of lifeServers.values()) tryToUnlink(path);
}

/**
 * Removes sockets that no process from this boot can use. Sockets from this boot are kept even if their owners are
 * dead. As long as a lock names a socket, the socket's file is needed to prove that the owner is dead.
 */
function removeOfEarlierBoots(folder: string, boot: string): void {
  for (const name of readdirSync(folder)) {
    const of = NAME.exec(name)?.[1];
    if (of !== undefined && of !== bootPart(boot)) removeOld(join(folder, name));
  }
}

/**
 * Removes a socket unless it is recent, because a recent socket may belong to another machine that shares the home
 * folder.
 */
function removeOld(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && stat.mtimeMs < Date.now() - LEFT_MS) tryToUnlink(path);
}

function bootPart(boot: string): string {
  return boot
    .replaceAll(/[^0-9a-f]/g, "")
    .slice(0, 8)
    .padEnd(8, "0");
}

function tryToUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process removed the socket first, or the disk refused to remove it. Both cases are harmless.
  }
}

const [WAITING, ACCEPTED, REFUSED, FAILED] = [0, 1, 2, 3];

/**
 * Node can connect only asynchronously, but locks are acquired synchronously. A worker thread therefore connects while
 * this thread waits.
 */
const CONNECTOR = `
const { connect } = require("node:net");
require("node:worker_threads").parentPort.on("message", ({ path, answer }) => {
  const socket = connect({ path });
  const tell = (what) => {
    socket.destroy();
    Atomics.store(answer, 0, what);
    Atomics.notify(answer, 0);
  };
  socket.once("connect", () => tell(${ACCEPTED}));
  // EAGAIN: the socket's queue is full, because the process that listens on the socket is suspended.
  socket.once("error", ({ code }) => tell(code === "ECONNREFUSED" ? ${REFUSED} : code === "EAGAIN" ? ${ACCEPTED} : ${FAILED}));
});`;

let connector: Worker | undefined;

function connect(path: string): number {
  connector ??= startConnector();
  const answer = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  connector.postMessage({ path, answer });
  Atomics.wait(answer, 0, WAITING, ANSWER_MS);
  return Atomics.load(answer, 0);
}

function startConnector(): Worker {
  const worker = new Worker(CONNECTOR, { eval: true, execArgv: [], stdout: false, stderr: false });
  worker.on("error", () => {
    connector = undefined;
  });
  worker.unref();
  return worker;
}
