import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { machine } from "./binary.ts";

/** Starts a watch whose JSON lines can be read one at a time. */
function watching(here: ReturnType<typeof machine>) {
  const args = ["watch", "--json", "--setting", "watch.quietMs=100"];
  const child = here.start(args);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = once(child, "close");
  return {
    child,
    next: async () => JSON.parse(String((await lines.next()).value)),
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return (await closed)[0];
    },
  };
}

describe("worldline watch", () => {
  it("makes a checkpoint whenever files changed, knows a rewind, and takes the last change along when it ends", async () => {
    const here = machine();
    const file = (name: string) => join(here.workspace, name);
    mkdirSync(file("src"));
    writeFileSync(file("src/a"), "one\n");
    const watch = watching(here);
    expect(await watch.next()).toMatchObject({ number: 1, state: "complete" });
    expect(await watch.next()).toMatchObject({ watching: here.workspace });

    writeFileSync(file("src/a"), "two\n");
    expect(await watch.next()).toMatchObject({ number: 2, changes: { changed: 1, created: 0 } });
    mkdirSync(file("new/deep"), { recursive: true });
    writeFileSync(file("new/deep/b"), "b\n");
    expect(await watch.next()).toMatchObject({ number: 3, changes: { created: 1, folders: 2 } });
    rmSync(file("new"), { recursive: true });
    expect(await watch.next()).toMatchObject({ number: 4, changes: { deleted: 1 } });

    expect((await here.worldline(["rewind", "1"])).code).toBe(0);
    expect(readFileSync(file("src/a"), "utf8")).toBe("one\n");
    writeFileSync(file("last"), "written just before the end\n");
    const ended = watch.end("SIGINT");
    // The timeline already knows the state that the rewind restored, so only the later changes become a
    // checkpoint.
    expect(await watch.next()).toMatchObject({ number: 5, changes: { created: 1, changed: 0, deleted: 0 } });
    expect(await watch.next()).toMatchObject({ ended: "asked", checkpoints: 5 });
    expect(await ended).toBe(0);
  });

  it("makes none if nothing changed since the last time, and ends on SIGTERM too", async () => {
    const here = machine();
    writeFileSync(join(here.workspace, "a"), "a");
    await here.worldline(["checkpoint"]);
    const watch = watching(here);
    expect(await watch.next()).toMatchObject({ watching: here.workspace });
    const ended = watch.end("SIGTERM");
    expect(await watch.next()).toMatchObject({ ended: "asked", checkpoints: 0 });
    expect(await ended).toBe(0);
  });
});
