import { expect, it } from "vitest";
import type { SnapshotId } from "../../../src/record/ids.ts";
import { inTempFolder, sessionNumber } from "../../../src/testing/testing.ts";
import { FilesWorld } from "../../laws/files/files-world.ts";
import { startChild } from "../children/child.ts";
import { bundleFilesChild } from "./children/bundle.ts";
import { expectNothingLeft } from "./killing.ts";

const PROCESSES = 8;
const CHECKPOINTS = 8;

it("8 processes that make 8 checkpoints each in one workspace, one of them restoring in between, lose none", async () => {
  await inTempFolder(async (folder) => {
    const world = new FilesWorld(folder);
    const script = await bundleFilesChild(folder);
    const children = Array.from({ length: PROCESSES }, (_, at) =>
      startChild(script, [
        at === 0 ? "restore" : "capture",
        world.home,
        world.workspace,
        sessionNumber(at + 1),
        String(CHECKPOINTS),
      ]),
    );
    expect(await Promise.all(children.map((child) => child.ended))).toEqual(children.map(() => 0));
    const lines = children.flatMap((child) => child.lines);
    const kept = lines.filter((line) => line.startsWith("kept "));
    expect(kept).toHaveLength(PROCESSES * CHECKPOINTS);
    expect(kept.filter((line) => !line.endsWith(" right"))).toEqual([]);
    const back = lines.filter((line) => line.startsWith("taken-back "));
    expect(back).toEqual(Array.from({ length: CHECKPOINTS - 1 }, () => "taken-back restored"));

    const files = world.open();
    for (const line of kept) expect(await files.has((line.split(" ")[2] ?? "") as SnapshotId)).toBe(true);
    await files.close();
    const { store } = world.deps();
    const counts = Array.from({ length: PROCESSES }, (_, at) => store.refs.of(sessionNumber(at + 1)).length);
    expect(counts).toEqual(children.map(() => CHECKPOINTS));
    const upkeep = world.upkeep();
    expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
    upkeep.close();
    expectNothingLeft(world.home);
  });
});
