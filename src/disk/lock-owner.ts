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

/** On no host: what cannot be asked whether it lives. */
const NOWHERE = "";

/**
 * The owner that a lock file names. One that cannot be read has an owner too, somewhere, who is
 * treated like one on another host; its token is made from the bytes, to tell it from others.
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

/** Who that is, for an error. */
export function ownerFacts(owner: Owner): ErrorOwner {
  const { name, pid, host, since } = owner;
  return isUnreadable(owner) ? "unreadable" : { name, pid, host, since };
}

/** The token becomes part of a file's name, so it is checked. */
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
 * Whether an owner lives. Processes of this boot are of this kernel, whatever host name their container has: within one pid
 * namespace the kernel knows them by pid and start, across namespaces by the socket that they listen on. Of another boot
 * of this host no process is left; another host's cannot be asked.
 */
export function lifeOf(owner: Owner, processes: Processes): Life {
  const isThisBoot = owner.boot === processes.boot;
  if (owner.host !== processes.host) {
    // Where boots have no names, and in locks of before owners named their namespace, the host's name is all there is to go by.
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

/** What a lock needs to know of processes. */
export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** Which start of the machine this is; empty where that is unknown, and start times are absolute. */
  readonly boot: string;
  /** Which pid namespace this process is in: pids of another mean other processes, or none. Undefined where there are none. */
  readonly namespace?: string;
  /** When a living process started, as its system counts; undefined for one that is dead, a zombie included. */
  startOf(pid: number): string | undefined;
  /** By which processes of other pid namespaces can ask whether this one lives; undefined where they cannot. */
  readonly socket?: () => LifeSocket | undefined;
  /** Whether the process of this boot that listens on the socket lives; "unknown" unless that is certain. */
  readonly ask?: (socket: LifeSocket) => "living" | "dead" | "unknown";
}

/** A process that lives but whose start may not be seen. It may be the one in question, so it counts as that. */
const UNSEEN = "unseen";

/**
 * The processes of this machine. `home` is where locks are, and where processes of other pid namespaces that share it can ask
 * whether this one lives.
 */
export function realProcesses(home?: string): Processes {
  const isLinux = process.platform === "linux";
  const namespace = isLinux ? pidNamespace() : undefined;
  const startOf = isLinux ? startFromProc : startFromPs;
  // Asked for with every lease, and never another.
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
    // A kernel without namespaces, or one that hides them: then all pids are of one kind.
    return undefined;
  }
}

function startFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    // ESRCH: it ended while we read.
    if (isMissing(error) || errnoOf(error) === "ESRCH") return isSignalled(pid) ? UNSEEN : undefined;
    return UNSEEN;
  }
  // The second field is the program's name, in parentheses, and may hold anything, spaces and parentheses too.
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
    // No `ps`, or it ended meanwhile: in doubt it lives, and the person decides.
    return isSignalled(pid) ? UNSEEN : undefined;
  }
}

/** Whether there is such a process, hidden ones of other users included. */
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
/** How long the kernel may take to answer a local connect before the answer counts as unknown. */
const ANSWER_MS = 5_000;
const LEFT_MS = 24 * 60 * 60 * 1000;

/** Where the sockets of all processes that lock something in this home are. */
function socketsFolder(home: string): string {
  return join(home, "alive");
}

/** A socket that this process listens on until it ends. */
interface LifeServer {
  readonly server: Server;
  readonly path: string;
  readonly socket: LifeSocket;
}

const lifeServers = new Map<string, LifeServer>();
/** Whether what is listened on is removed when this process ends. */
let isTidying = false;

interface SocketRequest {
  readonly home: string;
  readonly boot: string;
  readonly random: (count: number) => Uint8Array;
}

/**
 * The socket by which other processes can find out whether this one is alive; made on first use, one for each home. The kernel
 * closes it with the process, however that ends, and answers connects on behalf of a process that is suspended or busy. Undefined
 * where the file system has no sockets, or no room for one: then others cannot tell.
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
    // A full or read-only disk: writing the lock itself reports that.
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
  // Failing to accept a connection does not end the listening, and the outcome of `listen` is checked below.
  server.on("error", () => undefined);
  throughShortPath(folder, name, (short) => server.listen({ path: short, exclusive: true }));
  server.unref();
  const file = identityOf(path);
  if (file !== undefined) chmodSync(path, SOCKET_MODE);
  if (!server.listening || file === undefined) return undefined;
  return { server, path, socket: { name, file } };
}

/**
 * Whether the process that listens on a socket is alive. "dead" only if this very socket is there, on the same mounted file
 * system as its owner saw it, and the kernel says that no process listens: a socket that was removed, copied or mounted a second time
 * proves nothing. The owner must be one of this boot: the kernels of other machines know nothing of their sockets.
 */
function askLifeSocket(home: string, { name, file }: LifeSocket): "living" | "dead" | "unknown" {
  const folder = socketsFolder(home);
  if (!NAME.test(name) || identityOf(join(folder, name)) !== file) return "unknown";
  try {
    const answer = throughShortPath(folder, name, connect);
    // No process listens; and it is still the socket that we meant to ask.
    if (answer === REFUSED) return identityOf(join(folder, name)) === file ? "dead" : "unknown";
    return answer === ACCEPTED ? "living" : "unknown";
  } catch {
    return "unknown";
  }
}

/** A socket's path may have 107 bytes; a folder that is open has a short one, however long its own is. */
function throughShortPath<Result>(folder: string, name: string, work: (short: string) => Result): Result {
  const open = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return work(`/proc/self/fd/${open}/${name}`);
  } finally {
    closeSync(open);
  }
}

/** Which socket this is, on which mounted file system. */
function identityOf(path: string): string | undefined {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat?.isSocket() === true ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** Closes sockets whose files are gone: no other process can reach them. */
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
 * Removes sockets that no process of this boot can use. Those of this boot stay, even if their owners are dead: as long as a lock
 * names one, its file is the proof of that.
 */
function removeOfEarlierBoots(folder: string, boot: string): void {
  for (const name of readdirSync(folder)) {
    const of = NAME.exec(name)?.[1];
    if (of !== undefined && of !== bootPart(boot)) removeOld(join(folder, name));
  }
}

/** A young one may be of another machine that shares the home. */
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
    // Another process was quicker, or the disk refuses: it does no harm.
  }
}

const [WAITING, ACCEPTED, REFUSED, FAILED] = [0, 1, 2, 3];

/** Node connects asynchronously only, and locks are taken synchronously: so a thread connects, and this one waits for it. */
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
  // EAGAIN: so many are waiting to be accepted that no more fit, by one who is suspended.
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
