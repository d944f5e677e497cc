import { describe, expect, it } from "vitest";
import { makeSample } from "../../../demo/sample/project.ts";
import { sampleWays } from "../../../demo/sample/ways.ts";
import { authorOf } from "../../../src/finder/author.ts";
import { changedPaths } from "../../../src/finder/narrow/units.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { brokenSample, isGreen } from "./sample-scene.ts";

const certain = sampleWays.flatMap(({ culprit, ...way }) =>
  culprit === "cannot-tell" ? [] : [{ ...way, culprit }],
);
const uncertain = sampleWays.filter(({ culprit }) => culprit === "cannot-tell");

describe("the sample", () => {
  it("is green before it is broken", async () => {
    await inTempFolder(async (folder) => {
      makeSample(folder);
      expect(await isGreen(folder)).toBe(true);
    });
  });

  it("can be broken in ten ways", () => {
    expect(new Set(sampleWays.map(({ name }) => name)).size).toBe(10);
  });
});

describe("the finder", () => {
  it.each(certain)("names $name", async (way) => {
    const { culprit, steps } = way;
    const { look, checkpoints, session } = await brokenSample(way);
    const { finding, views } = await look();
    if (finding.verdict !== "found" || finding.change === undefined) throw new Error(finding.verdict);
    const { border, states, change } = finding;
    const [green, red] = [states[border.green], states[border.red]];
    if (green === undefined || red === undefined) throw new Error("no border");
    const paths = changedPaths(change.units);
    expect({
      red: red.places[0]?.checkpoint,
      paths: paths.map(({ path }) => path),
      size: change.size,
      effect: change.effect.state,
    }).toEqual({
      red: checkpoints[culprit.step],
      paths: culprit.paths,
      size: "minimal",
      effect: "confirmed",
    });
    for (const line of culprit.lines ?? []) expect(paths[0]?.patch).toContain(`\n${line}\n`);
    const author = await authorOf({ views, green, red, paths: paths.map(({ path }) => path) });
    const call = steps[culprit.step]?.call;
    expect({ by: author.by, calls: author.calls.map(({ name, input }) => ({ name, input })) }).toEqual(
      call === undefined ? { by: "outside", calls: [] } : { by: "tool", calls: [call] },
    );
    expect(author.calls.every((each) => each.session === session)).toBe(true);
  });

  it.each(uncertain)("cannot tell with $name, and says so", async (way) => {
    const { look, checkpoints } = await brokenSample(way);
    const { finding } = await look();
    if (finding.verdict !== "flaky") throw new Error(finding.verdict);
    const seen = finding.tried.find(({ state }) => state === finding.state);
    expect(seen?.passed).toBeGreaterThan(0);
    expect(seen?.failed).toBeGreaterThan(0);
    const red = finding.states[finding.border?.red ?? -1];
    expect(red?.places[0]?.checkpoint).toBe(checkpoints[5]);
  });
});
