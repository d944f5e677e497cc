import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  unlinkSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { LifeSocket } from "../../ports/lease.ts";

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
interface Listening {
  readonly server: Server;
  readonly path: string;
  readonly socket: LifeSocket;
}

const listening = new Map<string, Listening>();
/** Whether what is listened on is removed when this process ends. */
let isTidying = false;

export interface SocketRequest {
  readonly home: string;
  readonly boot: string;
  readonly random: (count: number) => Uint8Array;
}

/**
 * The socket by which other processes can find out whether this one is alive; made on first use, one for each home. The kernel
 * closes it with the process, however that ends, and answers connects on behalf of a process that is suspended or busy. Undefined
 * where the file system has no sockets, or no room for one: then others cannot tell.
 */
export function lifeSocketIn(request: SocketRequest): LifeSocket | undefined {
  const known = listening.get(request.home);
  if (known !== undefined && identityOf(known.path) === known.socket.file) return known.socket;
  closeUnreachable();
  try {
    const made = listen(request);
    if (made === undefined) return undefined;
    if (!isTidying) process.once("exit", removeAll);
    isTidying = true;
    listening.set(request.home, made);
    return made.socket;
  } catch {
    // A full or read-only disk: writing the lock itself reports that.
    return undefined;
  }
}

function listen({ home, boot, random }: SocketRequest): Listening | undefined {
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
export function askLifeSocket(home: string, { name, file }: LifeSocket): "living" | "dead" | "unknown" {
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
  for (const [home, { server, path, socket }] of listening) {
    if (identityOf(path) === socket.file) continue;
    server.close();
    listening.delete(home);
  }
}

function removeAll(): void {
  for (const { path } of listening.values()) tryToUnlink(path);
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
