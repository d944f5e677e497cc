import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { candidatesOf } from "../../../src/finder/worker/candidates.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import { openSession } from "../../../src/open-session.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

/** The candidates for a break in a file that had these contents, with a checkpoint after each. */
async function candidates(contents: readonly string[]): Promise<readonly string[]> {
  const root = tempFolder();
  onTestFinished(root.remove);
  const [home, workspace] = [join(root.path, "home"), join(root.path, "workspace")];
  mkdirSync(workspace);
  const session = await openSession({ home, workspace, files: "on" });
  for (const content of contents) {
    writeFileSync(join(workspace, "rate.mjs"), content);
    const { checkpoint } = await session.prompt("go on");
    await session.capture({ checkpoint, author: "outside" });
  }
  await session.close();
  const files = await openWorkspaceFiles({ workspace, home, threads: "none" });
  onTestFinished(async () => files.close());
  const views = [await viewSession(openFilesStore({ root: home, clock: systemClock }), session.id)];
  const found = await candidatesOf({ files, views, now: Date.now() });
  return found.map(({ about }) => about.replaceAll(` of ${session.id}`, ""));
}

describe("what the offline worker tries", () => {
  it("names the last break if the same line was broken, fixed and broken again", async () => {
    const [good, bad] = ["// rate\nrate = 1\n", "// rate\nrate = 2\n"];
    expect(await candidates([good, bad, good, `${good}// more\n`, `${bad}// more\n`])).toEqual([
      "rate.mjs, line 2, changed between #4 and #5",
      "rate.mjs, line 3, changed between #3 and #4",
    ]);
  });
});
