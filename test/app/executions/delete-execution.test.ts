import { describe, expect, it } from "vitest";
import { deleteExecution, planExecutionDeletion } from "../../../src/app/executions/delete-execution.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { type Place, withExecutions } from "../../cli/commands/executions/with-executions.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

/** An execution that continues from the first attempt at its second step; a rollback left everything after that. */
async function ran() {
  const place = withExecutions();
  const execution = await place.open("exec-1");
  await execution.step("one", () => 1);
  await execution.step("two", () => 2);
  await execution.resumeFrom("ckpt-exec-1-0");
  await execution.step("two", () => 3);
  await execution.step("three", () => 4);
  await execution.resumeFrom("ckpt-exec-1-1@1");
  await execution.close();
  const plan = async (checkpoint?: string) =>
    planExecutionDeletion(frameOf(place), { id: "exec-1", checkpoint });
  return {
    place,
    session: execution.session,
    plan,
    planned: async (checkpoint: string) => (await plan(checkpoint)).step?.id,
  };
}

const known = ["ckpt-exec-1-0@1", "ckpt-exec-1-1@1", "ckpt-exec-1-1@2", "ckpt-exec-1-2@1"];

async function steps(place: Place) {
  const { found } = await planExecutionDeletion(frameOf(place), { id: "exec-1", checkpoint: undefined });
  return found.steps.map(({ id }) => id);
}

/** The reason and the parameters of the error. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  const { reason, params } = error as { readonly reason?: string; readonly params?: object };
  return { reason, ...params };
}

describe("deleting an execution", () => {
  it("moves it to the trash", async () => {
    const { place, session, plan } = await ran();
    const deletion = await plan();
    expect([deletion.found.id, deletion.found.view.id, deletion.step]).toEqual([
      "exec-1",
      session,
      undefined,
    ]);
    await deleteExecution(frameOf(place), deletion);
    expect(await refusal(plan())).toEqual({ reason: "execution-named-unknown", given: "exec-1" });
    const trash = await openStore(frameOf(place)).listTrash();
    expect(trash.map((each) => each.session)).toEqual([session]);
  });

  it("needs the whole id", async () => {
    const { place } = await ran();
    const planned = planExecutionDeletion(frameOf(place), { id: "exec", checkpoint: undefined });
    expect(await refusal(planned)).toEqual({
      reason: "execution-named-unknown",
      given: "exec",
      near: "exec-1",
    });
  });

  it("is refused for the turn of an agent, which is part of its session", async () => {
    const place = withExecutions();
    const session = await place.talk();
    const id = `turn-${session}-4`;
    expect(await refusal(planExecutionDeletion(frameOf(place), { id, checkpoint: undefined }))).toEqual({
      reason: "execution-part-of-session",
      execution: id,
      session,
    });
  });
});

describe("deleting a checkpoint of an execution", () => {
  it("means the attempt that is named, or the latest one that the execution continues from", async () => {
    const { planned } = await ran();
    expect(await planned("ckpt-exec-1-0")).toBe("ckpt-exec-1-0@1");
    expect(await planned("ckpt-exec-1-1")).toBe("ckpt-exec-1-1@1");
    expect(await planned("ckpt-exec-1-1@2")).toBe("ckpt-exec-1-1@2");
    expect(await planned("ckpt-exec-1-2")).toBe("ckpt-exec-1-2@1");
    for (const checkpoint of ["ckpt-exec-1-3", "ckpt-exec-1-1@3", "ckpt-exec-10-1"]) {
      expect(await refusal(planned(checkpoint))).toEqual({
        reason: "checkpoint-not-found",
        checkpoint,
        known,
        more: "no",
      });
    }
  });

  it("removes that checkpoint only, and only once", async () => {
    const { place, plan } = await ran();
    const deletion = await plan("ckpt-exec-1-1@1");
    await deleteExecution(frameOf(place), deletion);
    const left = known.filter((id) => id !== "ckpt-exec-1-1@1");
    expect(await steps(place)).toEqual(left);
    expect(await refusal(deleteExecution(frameOf(place), deletion))).toEqual({
      reason: "checkpoint-not-found",
      checkpoint: "ckpt-exec-1-1@1",
      known: [],
      more: "no",
    });
    expect(await steps(place)).toEqual(left);
  });

  it("names its command to other programs, which it does not wait for", async () => {
    const { place, plan } = await ran();
    const deletion = await plan("ckpt-exec-1-0");
    const held = await place.open("exec-1", { name: "a nightly import" });
    await expect(deleteExecution(frameOf(place), deletion)).rejects.toMatchObject({ code: "SESSION_HELD" });
    await held.close();
    await deleteExecution(frameOf(place), deletion);
    const again = await place.open("exec-1");
    expect((await again.checkpoints()).map(({ id }) => id)).toEqual(known.slice(1));
    await again.close();
  });
});
