import { describe, expect, it } from "vitest";
import { type Execution, openExecution } from "worldline";
import { placesForTests } from "../../test/support/places-for-tests.ts";

// Tests of the examples, run on each of our stores.
describe.each(placesForTests)("executions in %s", (_name, inPlace) => {
  const using = async (id: string, work: (execution: Execution) => Promise<void>) =>
    inPlace(async (place) => {
      const execution = await openExecution(id, place);
      try {
        await work(execution);
      } finally {
        await execution.close();
      }
    });

  it("create a checkpoint and load it", async () => {
    await using("exec-123", async (execution) => {
      const made = await execution.save({
        name: "test_step",
        index: 1,
        state: { agent_state: "thinking" },
        context: { messages: [] },
        variables: { var1: "value1" },
      });
      expect(await execution.checkpoint(made.id)).toEqual(made);
      expect(made).toMatchObject({
        execution: "exec-123",
        index: 1,
        attempt: 1,
        status: "success",
        state: { agent_state: "thinking" },
      });
    });
  });

  it("list their checkpoints by step", async () => {
    await using("exec-1", async (execution) => {
      await execution.save({ name: "step2", index: 2 });
      await execution.save({ name: "step1", index: 1 });
      expect((await execution.checkpoints()).map(({ index, name }) => [index, name])).toEqual([
        [1, "step1"],
        [2, "step2"],
      ]);
    });
  });

  it("know their last success", async () => {
    await using("exec-1", async (execution) => {
      await execution.save({ name: "step1", index: 1, status: "success" });
      await execution.save({ name: "step2", index: 2, status: "success" });
      await execution.save({ name: "step3", index: 3, status: "failed" });
      expect(await execution.lastSuccessful()).toMatchObject({ index: 2 });
    });
  });
});
