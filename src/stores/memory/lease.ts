import type { Clock } from "../../ports/clock.ts";
import type { Lease, LeaseRequest, Owner } from "../../ports/lease.ts";
import { WorldlineError } from "../../record/error.ts";
import type { MemorySession } from "./memory-session.ts";

const PAUSE_MS = 25;

/** Who asks lives in this process, and so does every owner: there is nobody dead to take from. */
export async function acquireLease(
  session: MemorySession,
  clock: Clock,
  request: LeaseRequest,
): Promise<Lease> {
  const deadline = clock.now() + request.waitMs;
  for (let waited = 0; session.owner !== undefined; waited += 1) {
    const left = deadline - clock.now();
    if (left <= 0) {
      const { name, since } = session.owner;
      throw new WorldlineError("session-in-use", { session: session.id, name, since });
    }
    if (waited === 0) request.onWait?.(session.owner);
    await clock.wait(Math.min(PAUSE_MS, left));
  }
  const owner: Owner = {
    pid: process.pid,
    started: "",
    boot: "",
    host: "memory",
    name: request.name,
    since: new Date(clock.now()).toISOString(),
    token: Buffer.from(clock.random(16)).toString("hex"),
  };
  session.owner = owner;
  return {
    owner,
    release: async () => {
      if (session.owner === owner) session.owner = undefined;
    },
  };
}
