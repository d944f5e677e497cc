import assert from "node:assert/strict";
import type { Execution } from "../../executions/execution.ts";
import { rejectsWith } from "../log-store/rejects-with.ts";
import { type ExecutionGroup, held, leaveOpen } from "./bench.ts";

async function shown(execution: Execution): Promise<string[]> {
  const all = await execution.checkpoints();
  return all.map(({ index, name, attempt, status }) => `${index} ${name}@${attempt} ${status}`);
}

const never = (): never => assert.fail("It was run.");

/** As `leaveOpen`, with several that run at once. */
async function leaveAllOpen(execution: Execution, names: readonly string[]): Promise<void> {
  const end = held<void>();
  const begun = names.map(() => held<void>());
  const steps = names.map(async (name, at) =>
    execution.step(name, async () => {
      begun[at]?.end();
      await end.promise;
    }),
  );
  const settled = Promise.allSettled(steps);
  await Promise.all(begun.map(async ({ promise }) => promise));
  await execution.close();
  end.end();
  await settled;
}

export const callingAgain: ExecutionGroup = {
  title: "a step that is called again in the same run",
  cases: [
    {
      title: "with the answer that was missing is settled where it stands",
      run: async ({ start }) => {
        for (const id of ["skip", "fail", "retry"]) await leaveOpen(await start(id), "pay");
        const skipped = await start("skip");
        const error = await rejectsWith("STEP_UNFINISHED", skipped.step("pay", never));
        assert.match(error.hint ?? "", /index: 0, unfinished: "retry".*index: 0.*skip.*index: 0.*"fail"/su);
        const receipt = await skipped.step("pay", never, { unfinished: { skip: "receipt" } });
        assert.equal(receipt, "receipt");
        await skipped.step("mail", () => 1);
        assert.deepEqual(await shown(skipped), ["0 pay@1 success", "1 mail@1 success"]);
        await skipped.close();
        const failed = await start("fail");
        await rejectsWith("STEP_UNFINISHED", failed.step("pay", never));
        const given = await rejectsWith("STEP_UNFINISHED", failed.step("pay", never, { unfinished: "fail" }));
        assert.match(given.hint ?? "", /index: 0/u);
        assert.equal(await failed.step("pay", ({ attempt }) => attempt, { index: 0 }), 2);
        assert.deepEqual(await shown(failed), ["0 pay@1 failed", "0 pay@2 success"]);
        await failed.close();
        const retried = await start("retry");
        await rejectsWith("STEP_UNFINISHED", retried.step("pay", never));
        assert.equal(await retried.step("pay", ({ attempt }) => attempt, { unfinished: "retry" }), 2);
        assert.deepEqual(await shown(retried), ["0 pay@1 failed", "0 pay@2 success"]);
        await retried.close();
      },
    },
    {
      title: "without an answer is refused again, however often, and never run in another place",
      run: async ({ start }) => {
        await leaveOpen(await start(), "pay");
        const execution = await start();
        for (let time = 0; time < 3; time += 1) {
          const error = await rejectsWith("STEP_UNFINISHED", execution.step("pay", never));
          assert.match(error.message, /^Step 0 "pay"/u);
        }
        assert.deepEqual(await shown(execution), ["0 pay@1 pending"]);
        await execution.step("pay", never, { index: 0, unfinished: "skip" });
        assert.equal(await execution.step("pay", () => "a second one"), "a second one");
        await execution.close();
        const other = await start("other");
        await leaveOpen(other, "pay");
        const goingOn = await start("other");
        await rejectsWith("STEP_UNFINISHED", goingOn.step("pay", never));
        await goingOn.step("mail", () => 1);
        await rejectsWith("STEP_UNFINISHED", goingOn.step("pay", never, { unfinished: "retry" }));
        assert.deepEqual(await shown(goingOn), ["0 pay@1 pending", "1 mail@1 success"]);
        await goingOn.close();
      },
    },
    {
      title: "is not guessed at where several were begun at once: the place has to be said",
      run: async ({ start }) => {
        await leaveAllOpen(await start(), ["pay", "pay"]);
        const execution = await start();
        const both = [execution.step("pay", never), execution.step("pay", never)];
        assert.deepEqual(
          (await Promise.allSettled(both)).map(({ status }) => status),
          ["rejected", "rejected"],
        );
        await rejectsWith("STEP_UNFINISHED", execution.step("pay", never, { unfinished: "retry" }));
        for (const index of [0, 1]) {
          assert.equal(await execution.step("pay", never, { index, unfinished: { skip: index } }), index);
        }
        assert.deepEqual(await shown(execution), ["0 pay@1 success", "1 pay@1 success"]);
        await execution.close();
      },
    },
    {
      title: "after it threw is the next one, as in a loop over many of one name, unless it says its place",
      run: async ({ start }) => {
        const program = async (): Promise<unknown[]> => {
          const execution = await start();
          const outputs: unknown[] = [];
          for (const item of ["x", "bad", "y"]) {
            const step = execution.step("item", () => {
              if (item === "bad") throw new Error("no");
              return item;
            });
            outputs.push(await step.catch((error: Error) => error.message));
          }
          await execution.close();
          return outputs;
        };
        assert.deepEqual(
          [await program(), await program()],
          [
            ["x", "no", "y"],
            ["x", "no", "y"],
          ],
        );
        const execution = await start();
        assert.equal(
          await execution.step("item", ({ attempt }) => attempt, { index: 1, onFailed: "retry" }),
          2,
        );
        await execution.close();
      },
    },
    {
      title: "under a name that is not recorded there is refused again",
      run: async ({ start }) => {
        const first = await start();
        await first.step("a", () => 1);
        await first.close();
        const changed = await start();
        await rejectsWith("STEP_CHANGED", changed.step("b", never));
        await rejectsWith("STEP_CHANGED", changed.step("b", never));
        assert.equal(await changed.step("b", () => "said", { index: 5 }), "said");
        await changed.close();
      },
    },
    {
      title: "from within a step is refused, and from beside it is not",
      run: async ({ start }) => {
        const execution = await start();
        const error = await rejectsWith(
          "INPUT_INVALID",
          execution.step("outer", async () => execution.step("inner", never)),
        );
        assert.match(error.message, /^Step "inner" was begun within step 0 "outer"/u);
        assert.ok((error.hint ?? "").length > 0);
        const other = await start("other");
        let later: () => Promise<string> = never;
        const beside = await Promise.all([
          execution.step("one", async () => other.step("of another execution", () => "one")),
          execution.step("two", () => {
            later = async () => execution.step("later", () => "later");
            return "two";
          }),
        ]);
        assert.deepEqual([beside, await later()], [["one", "two"], "later"]);
        assert.deepEqual(await shown(execution), [
          "0 outer@1 failed",
          "1 one@1 success",
          "2 two@1 success",
          "3 later@1 success",
        ]);
        await other.close();
        await execution.close();
      },
    },
  ],
};
