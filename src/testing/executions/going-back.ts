import assert from "node:assert/strict";
import type { Execution } from "../../executions/execution.ts";
import { rejectsWith } from "../log-store/subject.ts";
import { type ExecutionGroup, held, leaveOpen } from "./bench.ts";

async function threeSteps(execution: Execution): Promise<Execution> {
  for (const name of ["a", "b", "c"]) await execution.step(name, () => `${name} done`, { state: { name } });
  return execution;
}

async function shown(execution: Execution): Promise<string[]> {
  const all = await execution.checkpoints({ branch: "all" });
  return all.map(({ index, attempt, status, branch }) => `${index}@${attempt} ${status} ${branch}`);
}

export const goingBack: ExecutionGroup = {
  title: "going back",
  cases: [
    {
      title: "to a checkpoint passes it to the program, and the later steps run again",
      run: async ({ start }) => {
        const execution = await threeSteps(await start());
        const result = await execution.resumeFrom("ckpt-exec-1-0", ({ state }) => state);
        assert.deepEqual(result, { success: true, output: { name: "a" } });
        assert.deepEqual(await shown(execution), [
          "0@1 success here",
          "1@1 success left",
          "2@1 success left",
        ]);
        assert.equal(await execution.step("b", ({ attempt }) => attempt), 2);
        assert.deepEqual(
          (await execution.checkpoints({ branch: "here" })).map(({ id }) => id),
          ["ckpt-exec-1-0@1", "ckpt-exec-1-1@2"],
        );
        assert.equal((await execution.checkpoint("ckpt-exec-1-1"))?.attempt, 2);
        assert.equal((await execution.checkpoint("ckpt-exec-1-2"))?.branch, "left");
        await execution.close();
        const again = await start();
        const ran: string[] = [];
        for (const name of ["a", "b", "c"]) {
          await again.step(name, () => {
            ran.push(name);
          });
        }
        assert.deepEqual(ran, ["c"]);
        await again.close();
      },
    },
    {
      title: "to the current checkpoint writes nothing",
      run: async ({ start, subject }) => {
        const execution = await threeSteps(await start());
        const before = await subject.store.stamp(execution.session);
        assert.equal((await execution.resumeFrom("ckpt-exec-1-2")).success, true);
        assert.equal(await subject.store.stamp(execution.session), before);
        await execution.close();
      },
    },
    {
      title: "changes nothing if the program cannot restore its state",
      run: async ({ start }) => {
        const execution = await threeSteps(await start());
        const cause = new Error("no database");
        const result = await execution.resumeFrom("ckpt-exec-1-0", () => {
          throw cause;
        });
        assert.ok(!result.success);
        assert.match(result.error.message, /no database/u);
        assert.equal(result.error.cause, cause);
        assert.deepEqual(await shown(execution), [
          "0@1 success here",
          "1@1 success here",
          "2@1 success here",
        ]);
        await execution.close();
      },
    },
    {
      title: "to a missing checkpoint lists the existing ones",
      run: async ({ start }) => {
        const execution = await start("exec-123");
        await execution.save({ name: "a", index: 0 });
        const missing = await execution.resumeFrom("ckpt-exec-123-9");
        assert.ok(!missing.success);
        assert.deepEqual(
          [missing.error.code, missing.error.message, missing.error.hint],
          ["CHECKPOINT_UNKNOWN", "Checkpoint ckpt-exec-123-9 not found", "Checkpoints: ckpt-exec-123-0@1"],
        );
        assert.equal((await execution.rollbackTo("nothing")).success, false);
        await execution.save({ name: "open", index: 1, status: "pending" });
        const open = await execution.rollbackTo("ckpt-exec-123-1");
        assert.equal(open.error?.code, "REWIND_REFUSED");
        await execution.close();
      },
    },
    {
      title: "is refused while a step runs",
      run: async ({ start }) => {
        const execution = await threeSteps(await start());
        const end = held<number>();
        const running = execution.step("d", async () => end.promise);
        const refused = await execution.rollbackTo("ckpt-exec-1-0");
        assert.equal(refused.success, false);
        end.end(4);
        assert.equal(await running, 4);
        assert.equal(
          (await shown(execution)).every((line) => line.endsWith("success here")),
          true,
        );
        await execution.close();
      },
    },
    {
      title: "with a rollback loses nothing: a redo brings the steps back",
      run: async ({ start, subject }) => {
        const execution = await threeSteps(await start());
        const result = await execution.rollbackTo("ckpt-exec-1-1");
        assert.ok(result.success);
        assert.deepEqual([result.output.checkpoint.name, result.output.files], ["b", undefined]);
        assert.equal((await execution.lastSuccessful())?.index, 1);
        await execution.close();
        const kinds = (await subject.store.open(execution.session)).outline.ofKind("rewind");
        assert.equal(kinds.length, 1);
      },
    },
    {
      title: "finds the last success before a step, and reports if there is none",
      run: async ({ start }) => {
        const execution = await start();
        await execution.save({ name: "a", index: 0 });
        await execution.save({ name: "b", index: 1 });
        await execution.save({ name: "c", index: 2, status: "failed", error: "broken" });
        assert.equal((await execution.lastSuccessful({ before: 3 }))?.id, "ckpt-exec-1-1@1");
        assert.equal((await execution.lastSuccessful({ before: 1 }))?.id, "ckpt-exec-1-0@1");
        assert.equal(await execution.lastSuccessful({ before: 0 }), undefined);
        const none = await execution.retryFrom(0);
        assert.deepEqual(
          [none.error?.code, none.error?.message],
          ["CHECKPOINT_UNKNOWN", "No successful checkpoint found before step 0"],
        );
        assert.ok((none.error?.hint ?? "").length > 0);
        await execution.close();
      },
    },
    {
      title: "with a retry runs the step again until it succeeds or has no attempts left",
      run: async ({ start }) => {
        const execution = await start();
        await execution.save({ name: "a", index: 0, state: "from a" });
        await execution.save({ name: "b", index: 1, status: "failed", error: "first" });
        const states: unknown[] = [];
        const restore = ({ state }: { readonly state: unknown }): void => void states.push(state);
        const done = await execution.retryFrom(1, {
          restore,
          run: ({ attempt }) => {
            if (attempt < 3) throw new Error("still not");
            return `attempt ${attempt}`;
          },
        });
        assert.deepEqual(done, { success: true, output: "attempt 3" });
        const cause = new Error("never");
        const spent = await execution.retryFrom(1, {
          maxRetries: 1,
          run: () => {
            throw cause;
          },
        });
        assert.deepEqual([spent.error?.code, spent.error?.cause], ["RETRIES_SPENT", cause]);
        assert.equal(
          (await execution.retryFrom(1, { maxRetries: 1, run: () => 0 })).error?.code,
          "RETRIES_SPENT",
        );
        assert.deepEqual(states, ["from a"]);
        assert.equal((await execution.retryFrom(1, { maxRetries: 2 })).output?.id, "ckpt-exec-1-0@1");
        await execution.close();
      },
    },
    {
      title: "with a retry of a step that never began requires its name, and later checks the recorded name",
      run: async ({ start }) => {
        const execution = await start();
        await execution.save({ name: "a", index: 0 });
        const nameless = await execution.retryFrom(1, { run: () => assert.fail("The step must not run.") });
        assert.deepEqual(
          [nameless.error?.code, nameless.error?.hint?.includes("name")],
          ["INPUT_INVALID", true],
        );
        assert.deepEqual(await execution.retryFrom(1, { name: "b", run: () => "ran" }), {
          success: true,
          output: "ran",
        });
        const changed = await execution.retryFrom(1, {
          name: "c",
          run: () => assert.fail("The step must not run."),
        });
        assert.equal(changed.error?.code, "STEP_CHANGED");
        await execution.close();
        const again = await start();
        assert.equal(await again.step("b", () => assert.fail("The step must not run."), { index: 1 }), "ran");
        await again.close();
      },
    },
    {
      title: "abandons an open step, which then starts a new attempt",
      run: async ({ start }) => {
        const first = await start();
        await first.step("a", () => 1);
        await leaveOpen(first, "b");
        const execution = await start();
        await execution.step("a", () => assert.fail());
        await rejectsWith(
          "STEP_UNFINISHED",
          execution.step("b", () => assert.fail()),
        );
        assert.equal((await execution.rollbackTo("ckpt-exec-1-0")).success, true);
        assert.equal(await execution.step("b", ({ attempt }) => attempt), 2);
        assert.deepEqual(await shown(execution), [
          "0@1 success here",
          "1@1 pending left",
          "1@2 success here",
        ]);
        await execution.close();
      },
    },
  ],
};
