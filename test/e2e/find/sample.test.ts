import { once } from "node:events";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { machine } from "../binary.ts";

describe("worldline find --sample", () => {
  it("holds for the finder and for the worker, and leaves nothing", async () => {
    const { worldline, temporary, workspace } = machine();
    const said = await worldline([
      "find",
      "--sample",
      "--way",
      "a one-line edit",
      "--way",
      "a flaky test",
      "--json",
    ]);
    const { off, ways, repair } = JSON.parse(said.stdout);
    expect({ code: said.code, off, stderr: said.stderr }).toEqual({ code: 0, off: 0, stderr: "" });
    expect(ways).toMatchObject([
      { verdict: "found", right: true },
      { verdict: "flaky", right: true, paths: [] },
    ]);
    expect(repair.claims).toHaveLength(7);
    expect([readdirSync(temporary), readdirSync(workspace)]).toEqual([[], []]);
  });

  it("leaves no files when it is stopped", async () => {
    const { start, temporary } = machine();
    const child = start(["find", "--sample"]);
    await once(child.stderr, "data");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
