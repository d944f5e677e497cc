import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { byAge } from "../../../src/snapshots/keeping/ref.ts";
import { Refs } from "../../../src/snapshots/keeping/refs.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { startChild } from "../../crash/children/child.ts";
import { ref } from "./kept-scene.ts";

const EACH = 50;

it("4 processes that add references to one session at once lose none", async () => {
  await inTempFolder(async (folder) => {
    const script = join(folder, "child.mjs");
    const entry = fileURLToPath(new URL("./children/adding-refs.ts", import.meta.url));
    await build({
      entryPoints: [entry],
      outfile: script,
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["libsql", "pg"],
    });
    const places = join(folder, "refs");
    const starts = [0, 1, 2, 3].map((child) => child * EACH);
    const children = starts.map((from) => startChild(script, [places, String(from), String(EACH)]));
    expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0, 0]);
    const refs = new Refs(realDisk, places);
    const wanted = Array.from({ length: 4 * EACH }, (_, number) => ref(number));
    expect(refs.all().sort(byAge)).toEqual(wanted.sort(byAge));
    expect(refs.damage()).toEqual([]);
  });
});
