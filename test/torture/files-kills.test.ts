import { join } from "node:path";
import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { bundleFilesChild } from "../crash/files/children/bundle.ts";
import { type FilesKillReport, killFilesPrograms } from "../crash/files/killing.ts";
import { printRow } from "./print-row.ts";

const WORKSPACES = 10;
const KILLS_EACH = 50;
/** How many run in parallel, so that process start-up times overlap. */
const AT_ONCE = 3;

it("500 kills of programs that capture, restore and collect lose nothing that was acknowledged", async () => {
  await inTempFolder(async (folder) => {
    const script = await bundleFilesChild(folder);
    const reports: FilesKillReport[] = [];
    const seeds = Array.from({ length: WORKSPACES }, (_, at) => at + 1);
    const work = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        reports.push(
          await killFilesPrograms({ script, folder: join(folder, `it-${seed}`), kills: KILLS_EACH, seed }),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const sum = (field: keyof FilesKillReport) => reports.reduce((total, report) => total + report[field], 0);
    printRow({
      workspaces: reports.length,
      SIGKILL: sum("kills"),
      "acknowledged snapshots": sum("snapshots"),
      lost: sum("lost"),
      restores: sum("restores"),
      "restores interrupted and finished": sum("cutOff"),
      "gc runs": sum("collections"),
    });
    expect(sum("lost")).toBe(0);
    expect(sum("kills")).toBe(WORKSPACES * KILLS_EACH);
  });
});
