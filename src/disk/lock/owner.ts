import { createHash } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Life, LifeSocket, Owner } from "../../ports/lease.ts";
import { isJsonObject } from "../../record/parts.ts";
import type { ErrorOwner } from "../../strings/errors/facts.ts";
import { type Processes, UNSEEN } from "./processes.ts";

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
 * of this host nobody is left; another host's cannot be asked.
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
