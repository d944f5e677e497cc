import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SampleWay } from "../../../demo/sample/ways.ts";
import { defineCommand } from "../../../src/cli/command.ts";
import { findInSamples } from "../../../src/cli/commands/find/sample.ts";
import { playground } from "../../cli/support/command-line.ts";
import { wayNamed } from "./sample-scene.ts";

const environment = { PATH: process.env["PATH"] ?? "" };
const ONE_LINE = "a one-line edit";

/** A `find --sample` command that uses these ways of breaking the sample instead of the real ones. */
function lying(...ways: readonly SampleWay[]) {
  const load = async () =>
    defineCommand({
      help: () => ({ examples: { "worldline lie": "lies" } }),
      run: async ({ frame }) => findInSamples(frame, { named: [], keep: undefined, ways }),
    });
  return { environment, commands: [{ name: "lie", summary: () => "lies", load }] };
}

describe("worldline find --sample", () => {
  it("is right about what was done, has the worker repair it, and touches nothing of the user's", async () => {
    const place = playground();
    const before = place.everything();
    const said = await place.worldline(["find", "--sample", "--way", ONE_LINE, "--json"], { environment });
    const { off, ways, repair, kept } = JSON.parse(said.stdout);
    expect({ code: said.code, off, kept }).toEqual({ code: 0, off: 0, kept: null });
    expect(ways).toMatchObject([
      { name: ONE_LINE, verdict: "found", paths: [{ path: "src/tax.mjs" }], right: true, wrong: [] },
    ]);
    expect(repair.claims.map(({ claim, holds }: Record<string, unknown>) => [claim, holds])).toEqual(
      ["red", "wrong", "back", "restored", "green", "only", "named"].map((claim) => [claim, true]),
    );
    expect(repair.trail[0]).toEqual({ did: "call", name: "Bash", about: "node test.mjs", outcome: "error" });
    expect(repair.trail.filter(({ did }: { did: string }) => did === "back").length).toBeGreaterThan(0);
    expect(repair.answer).toMatch(/^Found: src\/tax\.mjs, line 5, /u);
    expect(place.everything()).toEqual(before);
  });

  it("exits with 1, and says what is wrong, when the finder does not say what was done", async () => {
    const way = wayNamed("a sed command in a shell");
    const lie: SampleWay = { ...way, culprit: { step: 4, paths: ["src/cart.mjs"] } };
    const said = await playground().worldline("lie", lying(lie));
    expect(said.code).toBe(1);
    expect(said.stdout).toMatch(/^✘ {2}a sed command in a shell .* WRONG$/mu);
    expect(said.stdout).toContain("the checkpoint: got 7, expected 6\n");
    expect(said.stdout).toContain("the files: got src/tax.mjs, expected src/cart.mjs\n");
    expect(said.stdout).toMatch(/the author: got tool, Bash .*, expected tool, Edit /u);
    expect(said.stdout).toContain("1 row is wrong.\n");
  });

  it.each<[string, SampleWay, string]>([
    [
      "names what nobody can know",
      { ...wayNamed(ONE_LINE), name: "one line", culprit: "cannot-tell" },
      "the verdict: got found, expected cannot-tell\n",
    ],
    [
      "cannot tell what can be known",
      { ...wayNamed("a flaky test"), culprit: { step: 5, paths: ["test.mjs"] } },
      "the verdict: got flaky, expected found\n",
    ],
    [
      "has nothing to find",
      { name: "nothing", steps: [], culprit: { step: 0, paths: ["a"] } },
      "the verdict: got green-now, expected found\n",
    ],
    [
      "cannot be asked",
      {
        name: "trouble",
        steps: [
          {
            apply: () => {
              throw new Error("no such step");
            },
          },
        ],
        culprit: "cannot-tell",
      },
      "it failed: no such step\n",
    ],
  ])("exits with 1 where the finder %s", async (_title, way, expected) => {
    const said = await playground().worldline("lie", lying(way));
    expect([said.code, said.stdout]).toEqual([1, expect.stringContaining(expected)]);
  });

  it("exits with 1 if the worker repairs something else than what was named as broken", async () => {
    const lie: SampleWay = { ...wayNamed(ONE_LINE), culprit: { step: 5, paths: ["src/cart.mjs"] } };
    const said = await playground().worldline("lie", lying(lie));
    expect(said.code).toBe(1);
    expect(said.stdout).toMatch(/✘ {2}the worker reverted only what broke the test +src\/tax/u);
    expect(said.stdout).toMatch(/✘ {2}the worker's answer names the cause +Found: src\/tax\.mjs\n/u);
    expect(said.stdout).toContain("3 rows are wrong.\n");
  });

  it("makes and leaves it in the folder of --keep", async () => {
    const { worldline, workspace } = playground();
    const line = ["find", "--sample", "--way", "a changed file mode", "--keep", "sample"];
    const said = await worldline(line, { environment });
    expect([said.code, said.stdout]).toEqual([
      0,
      expect.stringContaining(`Kept: ${join(workspace, "sample")}\n`),
    ]);
    expect(existsSync(join(workspace, "sample", "a-file's-mode", "workspace", "test.mjs"))).toBe(true);
    expect((await worldline(line, { environment })).code).toBe(42);
  });

  it("says what to do where there is no folder for temporary files", async () => {
    const { worldline } = playground();
    vi.stubEnv("TMPDIR", "/no-such-folder");
    onTestFinished(() => void vi.unstubAllEnvs());
    const said = await worldline(["find", "--sample", "--way", ONE_LINE], { environment });
    expect(said).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "The folder for temporary files, /no-such-folder, does not exist.\nhint: Set TMPDIR to a folder that you can write to.\n",
      ),
    });
  });

  it.each([
    [["--sample", "--way", "a curse"], 42, '"a curse" is not a way to break the sample.'],
    [["--sample", "--", "npm", "test"], 2, "--sample uses its own test."],
    [["--sample", "--undo"], 2, "--undo cannot be used with --sample, which runs on its own project."],
    [["--sample", "--runs", "3"], 2, "--runs cannot be used with --sample"],
    [["--sample", "--since", "1"], 2, "--since cannot be used with --sample"],
    [["--sample", "--timeout", "9"], 2, "--timeout cannot be used with --sample"],
    [["--way", ONE_LINE, "--", "npm", "test"], 2, "--way can only be used with --sample."],
    [["--keep", "there", "--", "npm", "test"], 2, "--keep can only be used with --sample."],
    [["--sample", "--keep", "full"], 42, "full is not empty."],
  ])("refuses %j", async (words, code, message) => {
    const { worldline, workspace } = playground();
    mkdirSync(join(workspace, "full"));
    writeFileSync(join(workspace, "full", "mine"), "mine");
    const said = await worldline(["find", ...words], { environment });
    expect([said.code, said.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});
