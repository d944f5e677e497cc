import { describe, expect, it } from "vitest";
import { executionsInReach, showExecution } from "../../../src/app/executions/list-executions.ts";
import { runPipeline, withExecutions } from "../../cli/commands/executions/with-executions.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

describe("the list of executions", () => {
  it("contains the programs and turns of this workspace, or of all workspaces", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    const session = await place.talk();
    await (await place.open("far", { workspace: place.root })).close();
    const list = async (reach: "here" | "everywhere", kind?: "program" | "turn", limit = 20) => {
      const { workspace, executions } = await executionsInReach(frameOf(place), { reach, kind, limit });
      return [workspace, executions.map(({ id }) => id).sort()];
    };
    const turns = [`turn-${session}-1`, `turn-${session}-4`];
    const { workspace } = place;
    expect(await list("here")).toEqual([workspace, ["exec-1", ...turns]]);
    expect(await list("everywhere")).toEqual([undefined, ["exec-1", "far", ...turns]]);
    expect(await list("here", "program")).toEqual([workspace, ["exec-1"]]);
    expect(await list("here", "turn")).toEqual([workspace, turns]);
    expect(await list("everywhere", "turn", 1)).toEqual([undefined, [turns[1]]]);
  });
});

describe("an execution that is shown", () => {
  it("has a status if it is a program, but not if only a step or a turn is shown", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    const session = await place.talk();
    const shown = async (id: string) => {
      const { found, step, status } = await showExecution(frameOf(place), id);
      return { id: found.id, step: step?.name, status };
    };
    expect(await shown("exec")).toEqual({ id: "exec-1", step: undefined, status: "failed" });
    expect(await shown("ckpt-exec-1-1")).toEqual({
      id: "exec-1",
      step: "data_processing",
      status: undefined,
    });
    expect(await shown(`turn-${session}-4`)).toEqual({
      id: `turn-${session}-4`,
      step: undefined,
      status: undefined,
    });
  });
});
