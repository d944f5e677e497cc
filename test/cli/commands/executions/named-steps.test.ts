import { describe, expect, it } from "vitest";
import { runPipeline, withExecutions } from "./with-executions.ts";

async function ran(files: "on" | "off" = "off") {
  const place = withExecutions();
  await runPipeline(place, "exec-123", files);
  return place;
}

describe("the checkpoints of an execution", () => {
  it("are named by their steps, wherever they are shown", async () => {
    const { worldline, data } = await ran();
    const said = async (line: string) => (await worldline(`${line} --session exec-123`)).stdout;
    const steps = ["load", "data_processing", "write"];
    const listed = await data("checkpoints --session exec-123");
    expect(listed.checkpoints.map(({ step }: { step: string }) => step)).toEqual(steps.toReversed());
    expect(await said("checkpoints")).toMatch(/^#3 .* step .* write$/mu);
    const log = await said("log --kind checkpoint");
    expect(log.match(/#\d .+/gu)).toEqual(["#1 load", "#2 data_processing", "#3 write"]);
    const tree = await data("tree --session exec-123");
    const rows: { kind: string; text: string }[] = tree.rows;
    expect(rows.filter(({ kind }) => kind === "checkpoint").map(({ text }) => text)).toEqual(steps);
    const markdown = (await worldline("sessions export exec-123 --format markdown")).stdout;
    expect(markdown.match(/^## .*$/gmu)).toEqual([
      "## Checkpoint 1: load",
      "## Checkpoint 2: data\\_processing",
      "## Checkpoint 3: write (failed)",
    ]);
  });

  it("are gone back to in words for programs", async () => {
    const { worldline, data } = await ran();
    const { session } = await data("executions restore exec-123 --step load --yes");
    const forward = await worldline(`redo --session ${session}`);
    expect(forward.stdout).toMatch(/^Restored to the execution: \d+ entries$/mu);
    expect(forward.stdout).not.toMatch(/conversation|Context/u);
    expect(forward.stdout).toMatch(/^Undo this: worldline redo \S+ --session \S+$/mu);
    await worldline("executions restore exec-123 --yes");
    expect((await data("executions restore exec-123 --yes")).error).toEqual({
      code: "REWIND_REFUSED",
      reason: "execution-there-already",
      params: { session },
      message: "The execution is already at this step.",
      hint: `Choose an earlier step: worldline executions show ${session}`,
    });
  });

  it("appear in `why`, with the name of the execution", async () => {
    const { data } = await ran("on");
    expect(await data("why out.txt --session exec-123")).toMatchObject({
      coverage: "captured",
      changes: [{ what: "changed" }, { what: "changed" }, { what: "created" }],
    });
  });
});

describe("a fork of an execution", () => {
  it("says what it is for, and is in no list of executions", async () => {
    const { worldline, workspace } = await ran();
    const { stdout } = await worldline("fork --session exec-123");
    const [, fork] = /^New session (\S+),/u.exec(stdout) ?? [];
    expect(stdout).not.toMatch(/last used here|openSession/u);
    expect(stdout).toContain(`To view it: worldline tree --session ${fork}\n`);
    const list = await worldline("rewind", { typed: "0\n", cwd: workspace });
    expect(list.stderr).toContain("Restore exec-123, step data_processing");
    expect(list.stderr).not.toContain(`Restore ${fork}`);
  });
});
