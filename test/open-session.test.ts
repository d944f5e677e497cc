import { describe, expect, it } from "vitest";
import { forkSession } from "../src/machine/journeys/fork.ts";
import { openSession } from "../src/open-session.ts";
import { inTempFolder } from "../src/testing/testing.ts";
import { openGround } from "./machine/ground.ts";

describe("opening the latest session", () => {
  it("opens a fresh fork rather than what it was forked from", async () => {
    await inTempFolder(async (workspace) => {
      const { store, clock } = openGround();
      const source = await openSession({ store, workspace });
      await source.prompt("find the leak");
      await source.close();
      const later = {
        ...clock,
        now: () => Date.now() + 1000,
        random: (count: number) => clock.random(count),
      };
      const fork = await forkSession({ store, clock: later }, source);
      const latest = await openSession({ store, workspace, resume: "latest" });
      expect(latest.id).toBe(fork);
      await latest.close();
    });
  });

  it("is refused where there is none", async () => {
    await inTempFolder(async (workspace) => {
      const { store } = openGround();
      await expect(openSession({ store, workspace, resume: "latest" })).rejects.toMatchObject({
        code: "SESSION_UNKNOWN",
        hint: expect.stringContaining("openSession"),
      });
    });
  });
});
