import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { remark } from "../../../src/record/error.ts";
import type { FileState } from "../../../src/record/files.ts";
import { FilesWorld, restoreOf } from "../../laws/files/files-world.ts";
import { type MappedWriter, startMappedWriter } from "../../support/mapped-writer.ts";

/**
 * A file system that writes pages back to a disk and, where available, one that only keeps them in memory.
 */
const PLACES = [tmpdir(), "/dev/shm"].filter((place) => existsSync(place));

/** Longer than one tick of a file system's clock, after which a signature is trusted. */
const PAST_THE_TICK_MS = 120;

async function scene(place: string): Promise<{ world: FilesWorld; writer: MappedWriter }> {
  const folder = mkdtempSync(join(place, "worldline-mapped-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const world = new FilesWorld(folder);
  const writer = await startMappedWriter(join(world.workspace, "notes.db"));
  onTestFinished(async () => writer.close());
  return { world, writer };
}

/**
 * Writes through the mapping until the file's times do not change; a write right after the system flushed the
 * page may still change them.
 */
async function writeUnseen(writer: MappedWriter): Promise<void> {
  for (;;) {
    const before = statSync(writer.mapped);
    await writer.write();
    if (statSync(writer.mapped).ctimeMs === before.ctimeMs) return;
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe.each(PLACES)("a file in %s that a process writes to through a mapping", (place) => {
  it.each(["the same process", "another process"])("is captured as it is each time, by %s", async (by) => {
    const { world, writer } = await scene(place);
    let files = world.open();
    const captured: (FileState | undefined)[] = [];
    const real: string[] = [];
    for (let time = 0; time < 4; time += 1) {
      await setTimeout(PAST_THE_TICK_MS);
      if (time > 0) await writeUnseen(writer);
      if (by === "another process") {
        await files.close();
        files = world.open();
      }
      const { snapshot } = await files.capture({ look: "everything" });
      captured.push(await files.stateAt(snapshot, "notes.db-shm"));
      real.push(hashOf(readFileSync(writer.mapped)));
    }
    await files.close();
    expect(new Set(real).size).toBe(4);
    expect(captured.map((state) => (state?.kind === "file" ? state.hash : state))).toEqual(real);
  });

  it("is captured as it is when so much changed at once that not all of it is read again", async () => {
    const { world, writer } = await scene(place);
    for (let number = 0; number < 400; number += 1)
      writeFileSync(join(world.workspace, `${number}.txt`), `${number}`);
    const files = world.open();
    const captured: (FileState | undefined)[] = [];
    const real: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      await setTimeout(PAST_THE_TICK_MS);
      if (time > 0) await writeUnseen(writer);
      const { snapshot } = await files.capture({ look: "everything" });
      captured.push(await files.stateAt(snapshot, "notes.db-shm"));
      real.push(hashOf(readFileSync(writer.mapped)));
    }
    await files.close();
    expect(captured.map((state) => (state?.kind === "file" ? state.hash : state))).toEqual(real);
  });

  it("is kept by a restore that was planned before the last write", async () => {
    const { world, writer } = await scene(place);
    const files = world.open();
    await setTimeout(PAST_THE_TICK_MS);
    const { snapshot: first } = await files.capture({ look: "everything" });
    await writer.write();
    await setTimeout(PAST_THE_TICK_MS);
    const { snapshot: second } = await files.capture({ look: "everything" });
    const steps = (await files.compare(second, first)).filter(({ path }) => path === "notes.db-shm");
    expect(steps.length).toBe(1);
    await writeUnseen(writer);
    const bytes = readFileSync(writer.mapped);
    expect(await files.restore(restoreOf(steps, second))).toEqual([
      { path: "notes.db-shm", outcome: "kept", ...remark("restore-changed-meanwhile") },
    ]);
    expect(readFileSync(writer.mapped).equals(bytes)).toBe(true);
    await files.close();
  });
});
