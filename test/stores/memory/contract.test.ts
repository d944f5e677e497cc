import { describe, it } from "vitest";
import { MemoryRoom, openMemoryStore } from "../../../src/stores/memory/memory.ts";
import { type LogStoreSubject, logStoreContract, ManualClock } from "../../../src/testing/testing.ts";

function memorySubject(): LogStoreSubject {
  const room = new MemoryRoom();
  const open = () => openMemoryStore({ room, clock: new ManualClock({ seed: room.sessions.size + 1 }) });
  return {
    store: open(),
    another: open,
    damageLine: (session, seq) => room.sessions.get(session)?.damage(seq),
    fillUp: { notHere: "memory that is full ends the process" },
    remove: async () => undefined,
  };
}

logStoreContract("the memory store", { describe, it, open: memorySubject });
