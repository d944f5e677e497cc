import { describe, expect, it } from "vitest";
import { runPipeline, withExecutions } from "./with-executions.ts";

describe("worldline executions delete --checkpoint", () => {
  it("asks first, then deletes that checkpoint permanently", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    const line = "executions delete exec-1 --checkpoint ckpt-exec-1-1";
    const ids = async () =>
      (await place.data("executions show exec-1")).checkpoints.map(({ id }: { id: string }) => id);
    const all = ["ckpt-exec-1-0@1", "ckpt-exec-1-1@1", "ckpt-exec-1-2@1"];
    expect((await place.worldline(line)).stderr).toContain("--yes");
    expect((await place.worldline(line, { typed: "n\n" })).code).not.toBe(0);
    expect(await place.text(`${line} --dry-run`)).toContain("Would be deleted: ckpt-exec-1-1@1");
    expect(await ids()).toEqual(all);
    expect(await place.data(`${line} --yes`)).toEqual({
      deleted: "ckpt-exec-1-1@1",
      execution: "exec-1",
      session: expect.any(String),
      changed: true,
    });
    expect(await ids()).toEqual([all[0], all[2]]);
    const again = await place.worldline(`${line} --yes --json`);
    expect([again.code, JSON.parse(again.stdout).error.code]).toEqual([42, "CHECKPOINT_UNKNOWN"]);
    const restored = await place.worldline("executions restore exec-1 --step data_processing --yes --json");
    expect(JSON.parse(restored.stdout).error.code).toBe("CHECKPOINT_UNKNOWN");
  });

  it("refuses the checkpoint of another execution, of a turn, and of one that a program holds", async () => {
    const place = withExecutions();
    await place.talk();
    await runPipeline(place, "exec-1");
    await runPipeline(place, "exec-10");
    const refused = async (line: string) =>
      JSON.parse((await place.worldline(`${line} --yes --json`)).stdout).error.code;
    expect(await refused("executions delete exec-1 --checkpoint ckpt-exec-10-1")).toBe("CHECKPOINT_UNKNOWN");
    const [turn] = (await place.data("executions --kind turn")).executions;
    expect(await refused(`executions delete ${turn.id} --checkpoint ckpt-${turn.id}-0`)).toBe(
      "INPUT_INVALID",
    );
    const held = await place.open("exec-1");
    expect(await refused("executions delete exec-1 --checkpoint ckpt-exec-1-1")).toBe("SESSION_HELD");
    await held.close();
  });
});

describe("worldline executions", () => {
  it("says done only of what a program has finished", async () => {
    const place = withExecutions();
    const stopped = await place.open("stopped");
    for (const name of ["a", "b", "c"]) await stopped.step(name, () => name);
    await stopped.close();
    const done = await place.open("done");
    await done.step("a", () => 1);
    await done.finish();
    const open = await place.open("open");
    const { executions } = await place.data("executions");
    expect(
      Object.fromEntries(executions.map((each: { id: string; status: string }) => [each.id, each.status])),
    ).toEqual({
      stopped: "stopped",
      done: "done",
      open: "waiting",
    });
    expect(await place.text("executions")).toMatch(/stopped +.*stopped after step 2/u);
    expect(await place.data("executions show done")).toMatchObject({ status: "done" });
    expect(await place.text("executions show stopped")).toMatch(/status +stopped/u);
    await open.close();
  });
});
