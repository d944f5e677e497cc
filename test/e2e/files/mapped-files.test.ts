import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startMappedWriter } from "../../support/mapped-writer.ts";
import { scene } from "./scene.ts";

it("each checkpoint has the bytes of its moment of a file that a process writes to through a mapping", async () => {
  const { workspace, checkpoint, rewind, redo } = scene();
  const writer = await startMappedWriter(join(workspace, "notes.db"));
  onTestFinished(async () => writer.close());
  const moments: { number: number; bytes: Buffer }[] = [];
  for (let time = 0; time < 3; time += 1) {
    await writer.write();
    // Wait for the file system's clock to tick; files changed within the same tick are always read again.
    await setTimeout(120);
    const { number } = await checkpoint();
    moments.push({ number, bytes: readFileSync(writer.mapped) });
  }
  for (const { number, bytes } of moments.slice(0, -1)) {
    const { files } = await rewind(number, "--yes");
    expect(files.outcome).toMatchObject({ kept: 0, failed: 0 });
    expect(readFileSync(writer.mapped).equals(bytes)).toBe(true);
    await redo("--yes");
    expect(readFileSync(writer.mapped).equals(moments.at(-1)?.bytes ?? Buffer.alloc(0))).toBe(true);
  }
});
