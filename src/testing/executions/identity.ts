import assert from "node:assert/strict";
import type { Execution } from "../../executions/execution.ts";
import { listExecutions } from "../../executions/list-executions.ts";
import { rejectsWith } from "../log-store/subject.ts";
import { type ExecutionGroup, held, leaveOpen } from "./bench.ts";

const ODD = [
  "../../evil",
  "exec\u0000",
  "\ud800",
  "\udc00",
  "x".repeat(100_000),
  " ",
  "exec-1-0",
  "É",
  "E\u0301",
];

export const identity: ExecutionGroup = {
  title: "an execution",
  cases: [
    {
      title: "never sees the steps of another execution, however similar their ids are",
      run: async ({ start }) => {
        const ids = ["exec-1", "exec-10", "exec-1-1", ...ODD];
        for (const id of ids) {
          const execution = await start(id);
          await execution.save({ name: `of ${ids.indexOf(id)}`, index: 0 });
          await execution.close();
        }
        for (const id of ids) {
          const execution = await start(id);
          assert.equal(execution.id, id);
          assert.deepEqual(
            (await execution.checkpoints()).map(({ id: own, name }) => [own, name]),
            [[`ckpt-${id}-0@1`, `of ${ids.indexOf(id)}`]],
          );
          assert.equal(await execution.checkpoint(`ckpt-${id}0-0`), undefined);
          await execution.close();
        }
        const elsewhere = await start("exec-1", "/another");
        assert.deepEqual(await elsewhere.checkpoints(), []);
        await elsewhere.close();
        await rejectsWith("INPUT_INVALID", start(""));
      },
    },
    {
      title: "is started once if two programs start it at the same time, and is run by only one of them",
      run: async ({ start }) => {
        const both = await Promise.allSettled([start(), start()]);
        const running = both.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
        const refused = both.flatMap((each) => (each.status === "rejected" ? [each.reason as Error] : []));
        assert.equal(running.length, 1);
        assert.match(String(refused[0]?.message), /Execution exec-1 is being run by another program/u);
        for (const each of running) await each.close();
        await (await start()).close();
      },
    },
    {
      title: "reports that it was closed or deleted, and can be closed twice",
      run: async ({ start, subject }) => {
        const execution = await start();
        await execution.save({ name: "a", index: 0 });
        await execution.close();
        await execution.close();
        const closed = await rejectsWith(
          "SESSION_CLOSED",
          execution.step("b", () => 1),
        );
        assert.match(closed.message, /Execution exec-1 was closed/u);
        await rejectsWith("SESSION_CLOSED", execution.checkpoints());
        assert.equal((await execution.resumeFrom("ckpt-exec-1-0")).error?.code, "SESSION_CLOSED");
        const again = await start();
        await again.delete();
        await again.close();
        const deleted = await rejectsWith("SESSION_CLOSED", again.save({ name: "b", index: 1 }));
        assert.match(deleted.message, /was deleted/u);
        assert.deepEqual(await listExecutions(subject.store), []);
        const anew = await start();
        assert.deepEqual(await anew.checkpoints(), []);
        await anew.delete();
        await subject.store.undelete(execution.session);
      },
    },
    {
      title: "reports an error if it is closed or deleted while a step runs",
      run: async ({ start }) => {
        const execution = await start();
        const end = held<number>();
        const begun = held<void>();
        const running = execution.step("long", async () => {
          begun.end();
          return end.promise;
        });
        await begun.promise;
        await rejectsWith("INPUT_INVALID", execution.delete());
        await execution.close();
        end.end(1);
        const error = await rejectsWith("SESSION_CLOSED", running);
        assert.match(
          error.message,
          /^Step 0 "long" ran, but its result could not be written: the execution was closed while the step ran\.$/u,
        );
        assert.match(error.hint ?? "", /In the next run, the step counts as unfinished/u);
        assert.doesNotMatch(error.hint ?? "", /kept in memory/u);
        const again = await start();
        await again.delete();
        await again.close();
      },
    },
    {
      title: "is listed with its status",
      run: async ({ start, subject }) => {
        const done = await start("done");
        await done.step("a", () => 1);
        await done.finish();
        const failed = await start("failed", "/another");
        await failed.save({ name: "b", index: 3, status: "failed" });
        await failed.close();
        const cut = await start("interrupted");
        await leaveOpen(cut, "c");
        await (await start("empty")).close();
        const waiting = await start("waiting");
        const listed = await listExecutions(subject.another(), {
          workspace: "/workspace",
          kinds: ["program"],
        });
        const found = listed.map(({ id, kind, scope, status, steps, last }) => [
          id,
          kind,
          scope,
          status,
          steps,
          last?.name,
        ]);
        assert.deepEqual(found.sort(), [
          ["done", "program", "/workspace", "done", 1, "a"],
          ["empty", "program", "/workspace", "empty", 0, undefined],
          ["failed", "program", "/another", "failed", 1, "b"],
          ["interrupted", "program", "/workspace", "interrupted", 1, "c"],
          ["waiting", "program", "/workspace", "waiting", 0, undefined],
        ]);
        assert.deepEqual(await listExecutions(subject.store, { workspace: "/elsewhere" }), []);
        await waiting.close();
      },
    },
  ],
};

async function shown(execution: Execution): Promise<string[]> {
  const all = await execution.checkpoints();
  return all.map(({ index, name, attempt, status }) => `${index} ${name}@${attempt} ${status}`);
}

const never = (): never => assert.fail("The step must not run.");

/** Like `leaveOpen`, for several steps that run at the same time. */
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
      title: "with the decision that was missing is settled at its index",
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
      title: "without a decision is refused every time, and never runs at another index",
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
      title: "needs an index if several were started at once",
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
      title:
        "after it threw is the next step, as in a loop of steps with the same name, unless it gives its index",
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
      title: "under a name that differs from the recorded one is refused again",
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
      title: "from within a step is refused, but from outside it is not",
      run: async ({ start }) => {
        const execution = await start();
        const error = await rejectsWith(
          "INPUT_INVALID",
          execution.step("outer", async () => execution.step("inner", never)),
        );
        assert.match(error.message, /^Step "inner" was started within step 0 "outer"/u);
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
