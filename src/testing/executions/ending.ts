import assert from "node:assert/strict";
import { listExecutions } from "../../executions/list-executions.ts";
import { rejectsWith } from "../log-store/subject.ts";
import { type ExecutionBench, type ExecutionGroup, held, leaveOpen } from "./bench.ts";

const never = (): never => assert.fail("The step must not run.");

async function statusOf({ subject }: ExecutionBench, id = "exec-1"): Promise<string | undefined> {
  const listed = await listExecutions(subject.another(), { kinds: ["program"] });
  return listed.find((each) => each.id === id)?.status;
}

/** Test cases for how executions end, and for how they are listed before they end. */
export const ending: ExecutionGroup = {
  title: "the status of an execution",
  cases: [
    {
      title: "is done only if the program says so, and no longer once it continues",
      run: async (bench) => {
        const execution = await bench.start();
        for (const name of ["a", "b", "c"]) await execution.step(name, () => name);
        await execution.close();
        assert.equal(await statusOf(bench), "stopped");
        const second = await bench.start();
        await second.step("a", never);
        await second.finish();
        await rejectsWith("SESSION_CLOSED", second.step("b", never));
        assert.equal(await statusOf(bench), "done");
        const third = await bench.start();
        assert.equal(await third.step("a", never), "a");
        const { store } = bench.subject;
        const before = await store.stamp(third.session);
        await third.finish();
        assert.equal(await store.stamp(third.session), before);
        assert.equal(await statusOf(bench), "done");
        const fourth = await bench.start();
        await fourth.step("d", () => 1, { index: 3 });
        await fourth.close();
        assert.equal(await statusOf(bench), "stopped");
        const fifth = await bench.start();
        await fifth.finish();
        const sixth = await bench.start();
        assert.equal((await sixth.rollbackTo("ckpt-exec-1-0")).success, true);
        await sixth.close();
        assert.equal(await statusOf(bench), "stopped");
      },
    },
    {
      title: "is running during a step, and waiting between steps",
      run: async (bench) => {
        const execution = await bench.start();
        assert.equal(await statusOf(bench), "waiting");
        const begun = held<void>();
        const end = held<number>();
        const step = execution.step("long", async () => {
          begun.end();
          return end.promise;
        });
        await begun.promise;
        assert.equal(await statusOf(bench), "running");
        await rejectsWith("INPUT_INVALID", execution.finish());
        end.end(1);
        await step;
        assert.equal(await statusOf(bench), "waiting");
        await execution.finish();
      },
    },
    {
      title:
        "shows a step that was left open or whose failure was not caught, even if other steps ended later",
      run: async (bench) => {
        const { start } = bench;
        const cut = await start("cut");
        const begun = held<void>();
        const open = held<void>();
        const endless = cut.step("slow", async () => {
          begun.end();
          await open.promise;
        });
        endless.catch(() => undefined);
        await begun.promise;
        await cut.step("quick", () => 1);
        await cut.close();
        open.end();
        await endless.catch(() => undefined);
        const failed = await start("failed");
        const slow = held<number>();
        const both = [
          failed.step("bad", () => Promise.reject(new Error("no"))),
          failed.step("slow", async () => slow.promise),
        ];
        await both[0]?.catch(() => undefined);
        slow.end(1);
        await Promise.allSettled(both);
        await failed.close();
        const caught = await start("caught");
        await assert.rejects(caught.step("a", () => Promise.reject(new Error("no"))));
        await caught.step("b", () => 1);
        await caught.close();
        const ids = ["cut", "failed", "caught"];
        assert.deepEqual(await Promise.all(ids.map(async (id) => statusOf(bench, id))), [
          "interrupted",
          "failed",
          "stopped",
        ]);
      },
    },
    {
      title: "counts a failure of the last step as caught once the execution is done",
      run: async ({ start }) => {
        const first = await start();
        await assert.rejects(first.step("a", () => Promise.reject(new Error("no"))));
        await first.finish();
        const again = await start();
        await assert.rejects(again.step("a", never), { message: "no" });
        await again.close();
      },
    },
  ],
};

export const deleting: ExecutionGroup = {
  title: "a deleted checkpoint",
  cases: [
    {
      title: "is gone for good, with its values, and the others remain",
      run: async ({ start, subject }) => {
        const secret = `the secret ${"x".repeat(50_000)}`;
        const execution = await start();
        await execution.step("a", () => 1, { state: "kept" });
        await execution.step("b", () => secret, { state: { secret } });
        await execution.step("c", () => 3);
        assert.equal(await execution.deleteCheckpoint("ckpt-exec-1-1"), true);
        assert.equal(await execution.deleteCheckpoint("ckpt-exec-1-1"), false);
        assert.equal(await execution.deleteCheckpoint("ckpt-exec-1-7"), false);
        await rejectsWith("INPUT_INVALID", execution.deleteCheckpoint(undefined as never));
        const look = async (opened: typeof execution): Promise<void> => {
          assert.deepEqual(
            (await opened.checkpoints({ branch: "here" })).map(({ id, state }) => [id, state]),
            [
              ["ckpt-exec-1-0@1", "kept"],
              ["ckpt-exec-1-2@1", undefined],
            ],
          );
          assert.equal(await opened.checkpoint("ckpt-exec-1-1@1"), undefined);
          assert.equal((await opened.lastSuccessful({ before: 2 }))?.index, 0);
          assert.equal((await opened.rollbackTo("ckpt-exec-1-1")).error?.code, "CHECKPOINT_UNKNOWN");
        };
        await look(execution);
        await execution.step("d", () => 4);
        await execution.close();
        const again = await start();
        assert.equal((await again.checkpoints()).length, 3);
        assert.equal((await again.rollbackTo("ckpt-exec-1-2")).success, true);
        await look(again);
        await again.close();
        const { store, another } = subject;
        assert.deepEqual(await store.verify(execution.session), []);
        assert.deepEqual(await store.listBlobs(execution.session), []);
        const [summary] = await listExecutions(another(), { kinds: ["program"] });
        assert.deepEqual([summary?.steps, summary?.last?.name], [2, "c"]);
      },
    },
    {
      title: "does not make its step run again automatically",
      run: async ({ start }) => {
        const first = await start();
        await first.step("pay", () => "receipt");
        await first.step("mail", () => 1);
        await first.deleteCheckpoint("ckpt-exec-1-0");
        await first.close();
        const second = await start();
        const error = await rejectsWith("STEP_UNFINISHED", second.step("pay", never));
        assert.match(error.message, /^The checkpoint for step 0 "pay" was deleted/u);
        assert.equal(await second.step("pay", never, { index: 0, unfinished: { skip: "again" } }), "again");
        await second.close();
        const third = await start();
        assert.equal(await third.step("pay", never), "again");
        assert.deepEqual(
          (await third.checkpoints()).map(({ id }) => id),
          ["ckpt-exec-1-0@2", "ckpt-exec-1-1@1"],
        );
        await third.close();
      },
    },
    {
      title: "may be one of several attempts, a failure, or an attempt that was left open",
      run: async ({ start }) => {
        const first = await start();
        await assert.rejects(first.step("a", () => Promise.reject(new Error("no")), { maxRetries: 1 }));
        assert.equal(await first.deleteCheckpoint("ckpt-exec-1-0@1"), true);
        assert.deepEqual(
          (await first.checkpoints()).map(({ id }) => id),
          ["ckpt-exec-1-0@2"],
        );
        assert.equal(await first.deleteCheckpoint("ckpt-exec-1-0"), true);
        assert.equal(await first.step("a", ({ attempt }) => attempt, { index: 0 }), 3);
        await leaveOpen(first, "open");
        const again = await start();
        assert.equal(await again.deleteCheckpoint("ckpt-exec-1-1"), true);
        await again.step("a", never);
        await rejectsWith("STEP_UNFINISHED", again.step("open", never));
        assert.equal(await again.step("open", ({ attempt }) => attempt, { unfinished: "retry" }), 2);
        await again.close();
      },
    },
    {
      title: "cannot be deleted while its step runs, or by the method that deletes the whole execution",
      run: async ({ start }) => {
        const execution = await start();
        const begun = held<void>();
        const end = held<number>();
        const step = execution.step("long", async () => {
          begun.end();
          return end.promise;
        });
        await begun.promise;
        await rejectsWith("INPUT_INVALID", execution.deleteCheckpoint("ckpt-exec-1-0"));
        end.end(1);
        await step;
        const remove = execution.delete.bind(execution) as (id: unknown) => Promise<void>;
        await rejectsWith("INPUT_INVALID", remove("ckpt-exec-1-0"));
        await rejectsWith("INPUT_INVALID", remove(undefined));
        assert.equal((await execution.checkpoints()).length, 1);
        await execution.close();
      },
    },
  ],
};
