import { join } from "node:path";
import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { bundleChild } from "../crash/children/bundle.ts";
import { type KillReport, killWriters } from "../crash/children/killing.ts";
import { printRow } from "./print-row.ts";

const SESSIONS = 20;
const KILLS_EACH = 50;
/** How many run in parallel, so that process start-up times overlap. */
const AT_ONCE = 4;

it("1,000 kills lose nothing that was acknowledged", async () => {
  await inTempFolder(async (folder) => {
    const script = await bundleChild("writer", folder);
    const reports: KillReport[] = [];
    const seeds = Array.from({ length: SESSIONS }, (_, at) => at + 1);
    const work = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        reports.push(
          await killWriters({
            script,
            store: "files",
            home: join(folder, `home-${seed}`),
            kills: KILLS_EACH,
            seed,
          }),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    print(reports);
    expect(reports.reduce((sum, report) => sum + report.lost, 0)).toBe(0);
    expect(reports.reduce((sum, report) => sum + report.kills, 0)).toBe(SESSIONS * KILLS_EACH);
  });
});

function print(reports: readonly KillReport[]): void {
  const sum = (field: keyof KillReport) => reports.reduce((total, report) => total + report[field], 0);
  printRow({
    sessions: reports.length,
    SIGKILL: sum("kills"),
    "acknowledged entries and blobs": sum("acknowledged"),
    lost: sum("lost"),
    "rotations survived": sum("rotations"),
    "torn tails": sum("tornTails"),
    "damaged lines": sum("damage"),
  });
}
