import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { acquireExclusive } from "../../../src/snapshots/keeping/shared-lease.ts";
import { inTempFolder, ManualClock } from "../../../src/testing/testing.ts";
import { startChild } from "../../crash/children/child.ts";

const ROUNDS = 12;

it("8 processes that share and take turns never see each other's half work, even if others die", async () => {
  await inTempFolder(async (folder) => {
    const script = join(folder, "child.mjs");
    const entry = fileURLToPath(new URL("./children/taking-turns.ts", import.meta.url));
    await build({ entryPoints: [entry], outfile: script, bundle: true, format: "esm", platform: "node" });
    for (const name of ["one", "two"]) writeFileSync(join(folder, name), "0");
    const children = [
      ...Array.from({ length: 8 }, () => startChild(script, [folder, String(ROUNDS)])),
      startChild(script, [folder, "1", "while sharing"]),
      startChild(script, [folder, "1", "while alone"]),
    ];
    const codes = await Promise.all(children.map((child) => child.ended));
    expect(codes).toEqual([...Array.from({ length: 8 }, () => 0), null, null]);
    const said = children.flatMap((child) => child.lines);
    expect(said).toEqual(Array.from({ length: 8 * ROUNDS + 1 }, () => "added"));
    expect(readFileSync(join(folder, "one"), "utf8")).toBe(String(8 * ROUNDS + 1));
    // Acquiring the lease exclusively removes what dead processes left.
    const leases = join(folder, "leases");
    const deps = { disk: realDisk, clock: new ManualClock(), processes: realProcesses() };
    await (await acquireExclusive(deps, leases, { name: "the last one", waitMs: 0 })).release();
    expect(readdirSync(leases)).toEqual([]);
  });
});
