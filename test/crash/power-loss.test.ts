import { describe, expect, it } from "vitest";
import type { LogStore } from "../../src/ports/log-store.ts";
import type { SessionId } from "../../src/record/ids.ts";
import { FailingDisk, type Survival } from "../../src/testing/testing.ts";
import { partOf } from "../support/part-of.ts";
import { checkNothingLost } from "./check-nothing-lost.ts";
import { countOperations, playUntilDark } from "./simulated-run.ts";

const SURVIVALS: readonly Survival[] = [
  "nothing",
  "everything",
  ...[1, 2, 3, 4, 5, 6].map((seed) => ({ seed })),
];

/** Recovers the session and releases it; returns whether that succeeded. */
async function recoverAndLeave(open: () => LogStore, session: SessionId): Promise<boolean> {
  const store = open();
  try {
    if (!(await store.list()).includes(session)) return true;
    const lease = await store.lease(session, { name: "recovering", waitMs: 0 });
    await store.recover(session);
    await lease.release();
    return true;
  } catch {
    return false;
  }
}

describe("losing power", async () => {
  const operations = await countOperations();

  it("is tried in every kind of operation", () => {
    const kinds = new Set(operations.map((operation) => operation.name));
    for (const kind of ["create", "link", "makeFolder", "rename", "sync", "syncFolder", "unlink", "write"]) {
      expect([...kinds]).toContain(kind);
    }
  });

  it("instead of any single operation loses nothing that was acknowledged", async () => {
    for (const { number, name } of operations) {
      const { disk, scene, openAfterwards, step } = await playUntilDark(number);
      for (const survival of partOf(SURVIVALS, 4, number)) {
        const where = `${step}, ${name} ${number}, ${JSON.stringify(survival)}`;
        const open = openAfterwards(disk.losePower(survival));
        await checkNothingLost(open, scene.story, scene.ledger).catch((error: unknown) => {
          throw new Error(`The power went at ${where}`, { cause: error });
        });
      }
    }
  });

  it("again while the session recovers loses nothing either", async () => {
    const syncs = operations.filter((operation) => operation.name === "sync");
    for (const { number } of syncs) {
      const { disk, scene, openAfterwards } = await playUntilDark(number);
      for (const seed of [1, 2, 3]) {
        const dim = disk.losePower({ seed });
        for (let at = 1, isDone = false; !isDone; at += 1) {
          const failing = new FailingDisk(dim.losePower("everything"), ({ number: each }) =>
            each === at ? { errno: "power" } : undefined,
          );
          isDone = await recoverAndLeave(openAfterwards(failing), scene.story.session);
          const again = failing.losePower({ seed: seed * 1000 + at });
          await checkNothingLost(openAfterwards(again), scene.story, scene.ledger);
        }
      }
    }
  });

  it("after everything was acknowledged loses none of it", async () => {
    const { disk, scene, openAfterwards } = await playUntilDark(Number.POSITIVE_INFINITY);
    for (const survival of SURVIVALS) {
      await checkNothingLost(openAfterwards(disk.losePower(survival)), scene.story, scene.ledger);
    }
  });
});
