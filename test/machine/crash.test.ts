import { describe, expect, it } from "vitest";
import { holdSession } from "../../src/machine/open.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { inTempFolder, ManualClock, SimulatedProcesses } from "../../src/testing/testing.ts";
import { begin, holding, kinds, openSessionDeps, reply } from "./deps.ts";

describe("a session whose owner died in the middle of a tool call", () => {
  it("names its last holder and the call that was open, and has that in the log, once", async () => {
    await inTempFolder(async (root) => {
      const clock = new ManualClock();
      const processes = new SimulatedProcesses();
      const another = () => {
        const own = processes.start();
        return { own, deps: { store: openFilesStore({ root, clock, processes: own }), clock } };
      };
      const first = another();
      const session = await begin(first.deps);
      await session.prompt("clean up");
      await session.step();
      await session.reply({ model: "m", parts: reply("", "rm") });
      await session.toolStart("rm", "Bash");
      processes.kill(first.own.pid);

      const second = another();
      const resumed = await holdSession(second.deps, session.id, holding);
      expect(resumed.takenFrom).toMatchObject({ pid: first.own.pid, name: "a test" });
      expect(await resumed.unfinished()).toEqual({ step: 2, calls: [{ call: "rm", name: "Bash" }] });
      expect((await kinds(resumed)).slice(-2)).toEqual(["tool-start", "interrupt"]);
      processes.kill(second.own.pid);

      const again = await holdSession(another().deps, session.id, holding);
      expect((await kinds(again)).slice(-2)).toEqual(["tool-start", "interrupt"]);
      await again.close();
    });
  });
});

describe("closing a session", () => {
  it("gives the lease back even if the list of checkpoints fails in an unexpected way", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    Object.assign(deps.store, {
      publish: async () => {
        throw new TypeError("a fault in the store");
      },
    });
    await session.prompt("a");
    await expect(session.close()).rejects.toThrow("a fault in the store");
    const next = await holdSession(deps, session.id, holding);
    expect(await kinds(next)).toEqual(["session", "checkpoint", "prompt"]);
    await expect(next.close()).rejects.toThrow("a fault in the store");
  });

  it("reports a fault of the list that came while nothing awaited it and that ended no program", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    const asked = new Promise<void>((isAsked) => {
      Object.assign(deps.store, {
        publish: async () => {
          isAsked();
          throw new TypeError("a fault in the store");
        },
      });
    });
    await session.prompt("a");
    // Publishing is triggered by its timer here, not by closing.
    await asked;
    await new Promise((resolve) => setImmediate(resolve));
    await expect(session.close()).rejects.toThrow("a fault in the store");
  });
});
