import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import type { OpenedLog } from "../../../src/ports/log-store.ts";
import type { EntryOf } from "../../../src/record/entry.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { damageLine } from "./damage.ts";
import { writtenSession } from "./written-session.ts";

type Told = Awaited<ReturnType<typeof writtenSession>>;

const indexOf = (it: Told) => join(it.folder, "index");
const summary = ({ outline, damage }: OpenedLog) => ({
  rows: outline.rows(),
  gaps: outline.gaps,
  next: outline.nextSeq,
  number: outline.highestNumber,
  damage,
});

/** Compares what opening finds with the index and without it. */
async function bothWays(it: Told) {
  const withIndex = summary(await it.another().open(it.session));
  const bytes = readFileSync(indexOf(it));
  rmSync(indexOf(it));
  const without = summary(await it.another().open(it.session));
  writeFileSync(indexOf(it), bytes);
  return { withIndex, without };
}

/** A disk that counts the bytes read from log files. */
function countingDisk() {
  const logs = new Set<number>();
  const count = { bytes: 0 };
  const disk = {
    ...realDisk,
    open: (path: string, how: "read" | "append" | "create") => {
      const file = realDisk.open(path, how);
      if (path.endsWith("log.jsonl")) logs.add(file);
      else logs.delete(file);
      return file;
    },
    read: (file: number, into: Uint8Array, position: number) => {
      const read = realDisk.read(file, into, position);
      if (logs.has(file)) count.bytes += read;
      return read;
    },
  };
  return { disk, count };
}

describe("the index", () => {
  it("is written when the writer leaves, with some 20 bytes for each entry", async () => {
    const it = await writtenSession({ prompts: Array.from({ length: 99 }, (_, at) => `prompt ${at}`) });
    expect(existsSync(indexOf(it))).toBe(false);
    await it.store.close();
    const { size } = statSync(indexOf(it));
    expect(size).toBeGreaterThan(100 * 10);
    expect(size).toBeLessThan(100 * 24);
    await it.remove();
  });

  it("is written while the session continues, every few thousand entries", async () => {
    const it = await writtenSession({ prompts: Array.from({ length: 5000 }, (_, at) => `prompt ${at}`) });
    expect(statSync(indexOf(it)).size).toBeGreaterThan(4096 * 10);
    const { withIndex, without } = await bothWays(it);
    expect(withIndex).toEqual(without);
    await it.remove();
  });

  it("is not written by one that only reads", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    const reader = it.another();
    await reader.open(it.session);
    await reader.close();
    expect(existsSync(indexOf(it))).toBe(false);
    await it.remove();
  });

  it("saves reading the log: only the end of it is read", async () => {
    const it = await writtenSession({ prompts: Array.from({ length: 2000 }, () => "x".repeat(500)) });
    await it.store.close();
    const { disk, count } = countingDisk();
    const { openFilesStore } = await import("../../../src/stores/files/files.ts");
    const { ManualClock } = await import("../../../src/testing/testing.ts");
    const store = openFilesStore({ root: it.root, clock: new ManualClock(), disk });
    expect((await store.open(it.session)).outline.length).toBe(2001);
    expect(count.bytes).toBeLessThan(statSync(it.log).size / 100);
    await it.remove();
  });

  it("law: tells the same as the log, whatever the story and wherever it is damaged", async () => {
    const steps = fc.array(fc.constantFrom("prompt", "reply", "step", "rewind", "reopen", "damage"), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const it = await writtenSession({ prompts: ["one"] });
        for (const step of story) await play(it, step);
        await it.store.close();
        const { withIndex, without } = await bothWays(it);
        expect(withIndex).toEqual(without);
        await it.remove();
      }),
      { numRuns: 40 },
    );
  });
});

async function play(it: Told, step: string): Promise<void> {
  const { story, store, session } = it;
  if (step === "reopen") return store.close();
  if (step === "damage") {
    await store.close();
    damageLine(it.root, session, toSeq(2 + (story.entries.length % 3)));
    // Damage that the index does not know of is found by verifying, after which the index is no longer
    // trusted.
    await store.open(session);
    await store.verify(session);
    await store.recover(session);
    return;
  }
  const steps = story.entries.filter((entry): entry is EntryOf<"step"> => entry.kind === "step");
  const place = steps[story.entries.length % Math.max(1, steps.length)];
  const entry =
    step === "rewind" && place !== undefined
      ? story.rewindTo(place)
      : step === "step"
        ? story.step()
        : step === "reply"
          ? story.reply("x")
          : story.prompt("x");
  await store.append(session, entry.seq, [entry]);
}

describe("an index that is not to be believed", () => {
  const spoil: Readonly<Record<string, (it: Told, bytes: Buffer) => void>> = {
    "is empty": (it) => writeFileSync(indexOf(it), ""),
    "is garbage": (it) => writeFileSync(indexOf(it), Buffer.alloc(5000, 7)),
    "is of another session": (it, bytes) =>
      writeFileSync(
        indexOf(it),
        Buffer.from(bytes.toString("latin1").replace(it.session, "s00000000z"), "latin1"),
      ),
    "is of another version": (it, bytes) =>
      writeFileSync(
        indexOf(it),
        Buffer.from(bytes.toString("latin1").replace("index 1", "index 9"), "latin1"),
      ),
    "was cut": (it, bytes) => writeFileSync(indexOf(it), bytes.subarray(0, bytes.length - 30)),
    "has a flipped bit": (it, bytes) => {
      bytes[200] = (bytes[200] ?? 0) ^ 4;
      writeFileSync(indexOf(it), bytes);
    },
    "is of a log that was replaced": (it) =>
      it.write(it.lines().map((line, at) => (at === 0 ? line : `${line} `))),
    "is a folder": (it) => {
      rmSync(indexOf(it));
      writeFileSync(`${indexOf(it)}-not`, "");
    },
  };

  it.each(Object.keys(spoil))("because it %s is skipped, and created again", async (how) => {
    const it = await writtenSession({ prompts: ["one", "two", "three", "four", "five", "six"] });
    await it.store.close();
    spoil[how]?.(it, readFileSync(indexOf(it)));
    const found = summary(await it.another().open(it.session));
    rmSync(indexOf(it), { force: true });
    expect(found).toEqual(summary(await it.another().open(it.session)));
    const writer = it.another();
    await writer.recover(it.session);
    await writer.close();
    const { withIndex, without } = await bothWays(it);
    expect(withIndex).toEqual(without);
    await it.remove();
  });
});
