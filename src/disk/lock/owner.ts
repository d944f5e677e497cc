import { createHash } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Life, Owner } from "../../ports/lease.ts";
import { isJsonObject } from "../../record/json.ts";
import { type Processes, UNSEEN } from "./processes.ts";

const TOKEN_BYTES = 16;
const TOKEN = /^[0-9a-f]{32}$/;

export function newOwner(processes: Processes, clock: Clock, name: string): Owner {
  const { pid, host, boot, namespace } = processes;
  return {
    pid,
    started: processes.startOf(pid) ?? UNSEEN,
    boot,
    host,
    ...(namespace === undefined ? {} : { namespace }),
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
  return { pid, started, boot, host, ...within, name, since, token } as unknown as Owner;
}

export function lifeOf(owner: Owner, processes: Processes): Life {
  if (owner.host !== processes.host) return "elsewhere";
  if (owner.boot !== processes.boot) return "dead";
  // Locks of before owners named their namespace are taken for ones of this.
  const { namespace } = processes;
  if ((owner.namespace ?? namespace) !== (namespace ?? owner.namespace)) return "elsewhere";
  const start = processes.startOf(owner.pid);
  if (start === undefined) return "dead";
  return start === owner.started || start === UNSEEN || owner.started === UNSEEN ? "living" : "dead";
}
