import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { FilesWorld, KEEP_REFERENCED, SESSION } from "../../laws/files/files-world.ts";
import { differences, told, walk } from "../../laws/files/independent-walk.ts";
import { startChild } from "../children/child.ts";
import { expectNothingLeft } from "./killing.ts";

// Worker threads run the built library; `npm test` builds it first.
const LIBRARY = fileURLToPath(new URL("../../../dist/index.js", import.meta.url));

function script(folder: string, { home, workspace }: FilesWorld): string {
  const path = join(folder, "first-capture.mjs");
  writeFileSync(
    path,
    `import { writeSync } from "node:fs";
import { openWorkspaceFiles } from ${JSON.stringify(LIBRARY)};
const files = await openWorkspaceFiles(${JSON.stringify({ home, workspace })});
writeSync(1, "opened\\n");
const onProgress = ({ phase }) => writeSync(1, phase + "\\n");
await files.capture({ look: "everything", keptFor: { session: ${JSON.stringify(SESSION)}, checkpoint: 1, on: "prompt" }, onProgress });
writeSync(1, "kept\\n");
`,
  );
  return path;
}

it("a first capture with threads that is killed again and again leaves nothing but what the next one can use", async () => {
  await inTempFolder(async (folder) => {
    const world = new FilesWorld(folder);
    for (let number = 0; number < 2_000; number += 1) {
      const path = join(world.workspace, `${number % 10}`, `deep-${number % 80}`);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, `${number}`), `${number} `.repeat(number % 200));
    }
    const child = script(folder, world);
    for (const lines of [1, 2, 4, 8, 12]) {
      const program = startChild(child, []);
      await program.said("", lines);
      await program.kill();
    }
    const files = world.open();
    const { snapshot, state } = await files.capture({
      look: "everything",
      keptFor: { session: SESSION, checkpoint: 2, on: "prompt" },
    });
    expect(state).toBe("complete");
    expect(differences(told(await files.list(snapshot)), walk(world.workspace))).toEqual([]);
    await files.close();
    const upkeep = world.upkeep();
    expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
    await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1 }, async () => "yes");
    expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
    upkeep.close();
    expectNothingLeft(world.home);
  });
});
