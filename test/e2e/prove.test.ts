import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { machine } from "./binary.ts";

describe("worldline prove", () => {
  it("kills restores in the middle, and the next program finishes them", async () => {
    const { worldline, temporary, workspace } = machine();
    writeFileSync(join(workspace, "mine.txt"), "a file of mine\n");
    const { code, stdout } = await worldline(["prove", ".", "--kills", "4", "--damage", "mixed", "--json"]);
    const { off, kills, trials } = JSON.parse(stdout);
    expect({ code, off, kills }).toEqual({
      code: 0,
      off: 0,
      kills: { made: 4, landed: expect.any(Number), torn: [] },
    });
    // Kills at a path always land; kills at a random moment may come too late.
    expect(kills.landed).toBeGreaterThanOrEqual(2);
    expect(trials).toMatchObject([{ damage: "mixed", restored: true, redone: true }]);
    expect([readdirSync(temporary), readdirSync(workspace)]).toEqual([[], ["mine.txt"]]);
  });

  it("leaves no files when it is stopped", async () => {
    const { start, temporary } = machine();
    const child = start(["prove"]);
    await once(child.stderr, "data");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
