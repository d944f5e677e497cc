import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, it, vi } from "vitest";
import { WorldlineError } from "../../src/record/error.ts";
import { MemoryRoom, openMemoryStore } from "../../src/stores/memory.ts";
import {
  executionContract,
  hinderedStore,
  type LogStoreSubject,
  ManualClock,
} from "../../src/testing/testing.ts";
import { filesSubject } from "../stores/files/files-subject.ts";
import { postgresSubject } from "../stores/postgres/postgres-subject.ts";
import { sqliteSubject } from "../stores/sqlite/sqlite-subject.ts";
import { describeWithPostgres } from "../support/postgres/postgres.ts";

// Several cases cause warnings on purpose; warnings.test.ts checks their texts.
beforeEach(() => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});

/** A memory store whose calls are asynchronous and whose writes can be made to fail. */
function memorySubject(): LogStoreSubject {
  const room = new MemoryRoom();
  let isFull = false;
  const open = () =>
    hinderedStore(openMemoryStore({ room, clock: new ManualClock() }), async (call) => {
      await setImmediate();
      if (isFull && call === "append")
        throw new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
    });
  return {
    store: open(),
    another: open,
    damageLine: { notHere: "no case of executions needs it" },
    abandonLease: { notHere: "no case of executions needs it" },
    fillUp: () => {
      isFull = true;
      return () => {
        isFull = false;
      };
    },
    remove: async () => undefined,
  };
}

executionContract("a slow memory store", { describe, it, open: memorySubject });
executionContract("the files store", { describe, it, open: () => filesSubject() });
executionContract("the files store, with an index and a rotation every few lines", {
  describe,
  it,
  open: () => filesSubject({ rotateBytes: 1 }),
});
executionContract("the SQLite store", { describe, it, open: () => sqliteSubject() });
executionContract("the Postgres store", { describe: describeWithPostgres, it, open: postgresSubject });
