import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damages } from "../../../demo/prove/damages.ts";
import { playground } from "../../cli/support/command-line.ts";
import { partOf } from "../../support/part-of.ts";

describe("worldline prove", () => {
  it("does every kind of damage to its sample, and all of it comes back", async () => {
    const { worldline, everything } = playground();
    const before = everything();
    const kinds = partOf(
      damages.map(({ name }) => name),
      4,
    );
    const { code, stdout } = await worldline(`prove --kills 0 --json --damage ${kinds.join(" --damage ")}`);
    const { off, trials, git, whole, store } = JSON.parse(stdout);
    expect({ code, off, git, whole, faults: store.faults }).toEqual({
      code: 0,
      off: 0,
      git: { paths: expect.any(Number), changed: [] },
      whole: { paths: expect.any(Number), changed: [] },
      faults: 0,
    });
    expect(trials.map(({ damage }: { damage: string }) => damage)).toEqual(kinds);
    expect(trials.filter(({ paths }: { paths: number }) => paths === 0)).toEqual([]);
    expect(everything()).toEqual(before);
  });

  it("attacks a copy of a folder, and leaves the folder alone", async () => {
    const { worldline, workspace, everything } = playground();
    mkdirSync(join(workspace, "src"));
    writeFileSync(join(workspace, "src/mine.ts"), "export const mine = 1;\n");
    const before = everything();
    const said = await worldline("prove . --kills 0 --damage removed --damage folderToLink");
    expect(said.code).toBe(0);
    expect(said.stdout).toContain("All 2 kinds of damage were undone and redone, byte for byte.");
    expect(said.stderr).toContain(`Damaging a copy of ${workspace}`);
    expect(everything()).toEqual(before);
  });

  it.each([
    ["prove nowhere", "does not exist."],
    ["prove --damage removd", "Did you mean removed?"],
    ["prove . --limit 0", "--limit 8"],
  ])("refuses %s", async (line, why) => {
    const { worldline, workspace } = playground();
    writeFileSync(join(workspace, "a"), "a");
    const said = await worldline(line);
    expect([said.code, said.stderr]).toEqual([42, expect.stringContaining(why)]);
  });
});
