import { setImmediate } from "node:timers/promises";
import { describe, it } from "vitest";
import { WorldlineError } from "../../src/record/error.ts";
import { MemoryRoom, openMemoryStore } from "../../src/stores/memory.ts";
import {
  hinderedStore,
  type LogStoreSubject,
  logStoreContract,
  ManualClock,
} from "../../src/testing/testing.ts";

function memorySubject(): LogStoreSubject {
  const room = new MemoryRoom();
  const open = () => openMemoryStore({ room, clock: new ManualClock({ seed: room.sessions.size + 1 }) });
  return {
    store: open(),
    another: open,
    damageLine: (session, seq) => room.sessions.get(session)?.damage(seq),
    fillUp: { notHere: "memory that is full ends the process" },
    abandonLease: { notHere: "a program that is killed takes the sessions in its memory with it" },
    remove: async () => undefined,
  };
}

/** A memory store whose calls are asynchronous and whose writes can be made to fail. */
function slowSubject(): LogStoreSubject {
  const memory = memorySubject();
  let isFull = false;
  const hinder = (store: LogStoreSubject["store"]) =>
    hinderedStore(store, async (call) => {
      await setImmediate();
      if (isFull && call === "append")
        throw new WorldlineError("write-no-room", { stored: { what: "session", of: "s" }, errno: "ENOSPC" });
    });
  return {
    ...memory,
    store: hinder(memory.store),
    another: () => hinder(memory.another()),
    fillUp: () => {
      isFull = true;
      return () => {
        isFull = false;
      };
    },
  };
}

logStoreContract("the memory store", { describe, it, open: memorySubject });
logStoreContract("a slow, failing memory store", { describe, it, open: slowSubject });
