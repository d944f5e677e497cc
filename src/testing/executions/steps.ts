import assert from "node:assert/strict";
import { rejectsWith } from "../log-store/subject.ts";
import { type ExecutionGroup, held, leaveOpen } from "./bench.ts";

export const steps: ExecutionGroup = {
  title: "a step",
  cases: [
    {
      title: "that succeeded does not run again, and returns the same output",
      run: async ({ start }) => {
        const runs: string[] = [];
        const program = async (): Promise<unknown[]> => {
          const execution = await start();
          const run = (name: string, output: unknown) =>
            execution.step(name, () => {
              runs.push(name);
              return output;
            });
          const outputs = [
            await run("a", new Map([["x", 1n]])),
            await run("b", undefined),
            await run("c", [1, { two: 2 }]),
          ];
          await execution.close();
          return outputs;
        };
        assert.deepEqual(await program(), await program());
        assert.deepEqual(runs, ["a", "b", "c"]);
      },
    },
    {
      title: "gets its index from the order of the calls, even if several run at once",
      run: async ({ start }) => {
        const execution = await start();
        const first = held<string>();
        const both = Promise.all([
          execution.step("slow", async () => first.promise),
          execution.step("quick", () => {
            first.end("slow");
            return "quick";
          }),
        ]);
        assert.deepEqual(await both, ["slow", "quick"]);
        await execution.step("placed", () => 0, { index: 7 });
        await execution.step("next", () => 0);
        const found = (await execution.checkpoints()).map(({ index, name }) => `${index} ${name}`);
        assert.deepEqual(found, ["0 slow", "1 quick", "7 placed", "8 next"]);
        await execution.close();
      },
    },
    {
      title:
        "that threw is recorded with its error, rejects with the same error, and is tried again in the next run",
      run: async ({ start }) => {
        const thrown = Object.assign(new RangeError("no answer"), { code: "E_NONE", left: 3n });
        const execution = await start();
        const failing = execution.step("ask", () => {
          throw thrown;
        });
        assert.equal(await failing.catch((error: unknown) => error), thrown);
        await execution.close();
        const again = await start();
        assert.equal(await again.step("ask", ({ attempt }) => `attempt ${attempt}`), "attempt 2");
        const [failed, done] = await again.checkpoints();
        assert.deepEqual([failed?.id, failed?.status], ["ckpt-exec-1-0@1", "failed"]);
        assert.deepEqual([done?.id, done?.status, done?.output], ["ckpt-exec-1-0@2", "success", "attempt 2"]);
        assert.ok(failed?.error instanceof RangeError);
        assert.deepEqual(
          { ...failed.error, message: failed.error.message },
          { code: "E_NONE", left: 3n, message: "no answer" },
        );
        await again.close();
      },
    },
    {
      title: "that threw undefined is recorded as failed with undefined",
      run: async ({ start }) => {
        const execution = await start();
        const failing = execution.step("odd", () => Promise.reject(undefined));
        assert.equal(await failing.catch((error: unknown) => ["thrown", error]).then(String), "thrown,");
        const [failed] = await execution.checkpoints();
        assert.deepEqual([failed?.status, failed?.error], ["failed", undefined]);
        await execution.close();
      },
    },
    {
      title: "is retried immediately, up to its limit",
      run: async ({ start }) => {
        const execution = await start();
        const attempts: number[] = [];
        const work = ({ attempt }: { readonly attempt: number }): string => {
          attempts.push(attempt);
          if (attempt < 4) throw new Error("not yet");
          return "done";
        };
        await assert.rejects(execution.step("try", work, { maxRetries: 1 }), { message: "not yet" });
        assert.equal(await execution.step("try", work, { index: 0, maxRetries: 5 }), "done");
        assert.deepEqual(attempts, [1, 2, 3, 4]);
        await execution.close();
      },
    },
    {
      title: "gets its attempt number and the last success before it",
      run: async ({ start }) => {
        const execution = await start();
        await execution.step("a", () => "from a", { state: { at: new Date(0) } });
        await execution.step("b", ({ attempt, previous }) => {
          assert.deepEqual(
            [attempt, previous?.id, previous?.output, previous?.state],
            [1, "ckpt-exec-1-0@1", "from a", { at: new Date(0) }],
          );
        });
        await execution.close();
      },
    },
    {
      title: "that has a different name now is refused with both names, and nothing is written",
      run: async ({ start }) => {
        const execution = await start();
        await execution.step("a", () => 1);
        await execution.close();
        const changed = await start();
        const error = await rejectsWith(
          "STEP_CHANGED",
          changed.step("b", () => assert.fail("The step must not run.")),
        );
        assert.match(error.message, /now called "b", but it was recorded as "a"/u);
        assert.equal((await changed.checkpoints()).length, 1);
        await changed.close();
      },
    },
    {
      title: "cannot be called twice at the same index while it runs",
      run: async ({ start }) => {
        const execution = await start();
        const first = held<string>();
        const running = execution.step("a", async () => first.promise, { index: 0 });
        await rejectsWith(
          "INPUT_INVALID",
          execution.step("a", () => "second", { index: 0 }),
        );
        await rejectsWith("INPUT_INVALID", execution.save({ name: "a", index: 0 }));
        first.end("first");
        assert.equal(await running, "first");
        await execution.close();
      },
    },
    {
      title: "that an earlier run left open is reported, and nothing happens until the caller decides",
      run: async ({ start }) => {
        await leaveOpen(await start(), "pay");
        const execution = await start();
        const error = await rejectsWith(
          "STEP_UNFINISHED",
          execution.step("pay", () => assert.fail("The step must not run.")),
        );
        assert.match(error.message, /^Step 0 "pay" began at 20.*\(attempt 1\)/u);
        assert.match(error.hint ?? "", /retry.*skip.*fail/su);
        const found = await execution.checkpoints();
        assert.deepEqual(
          found.map(({ status, checkpoint }) => [status, checkpoint]),
          [["pending", undefined]],
        );
        await execution.close();
      },
    },
    {
      title: "that was left open is run again, skipped, or given up, as the caller decides",
      run: async ({ start }) => {
        for (const id of ["retry", "skip", "fail"]) await leaveOpen(await start(id), "pay");
        const retried = await start("retry");
        const asked: unknown[] = [];
        const output = await retried.step("pay", ({ attempt }) => attempt, {
          unfinished: ({ checkpoint, attempts }) => {
            asked.push([checkpoint.id, attempts]);
            return "retry";
          },
        });
        assert.deepEqual([output, asked], [2, [["ckpt-retry-0@1", 1]]]);
        const skipped = await start("skip");
        assert.equal(
          await skipped.step("pay", () => assert.fail(), { unfinished: { skip: "receipt" } }),
          "receipt",
        );
        const failed = await start("fail");
        await rejectsWith(
          "STEP_UNFINISHED",
          failed.step("pay", () => assert.fail(), { unfinished: "fail" }),
        );
        const ends = [];
        for (const execution of [retried, skipped, failed]) {
          ends.push(
            (await execution.checkpoints()).map(
              ({ attempt, status, decided }) => `${attempt} ${status} ${decided}`,
            ),
          );
          await execution.close();
        }
        assert.deepEqual(ends, [
          ["1 failed retry", "2 success undefined"],
          ["1 success skip"],
          ["1 failed fail"],
        ]);
        const again = await start("skip");
        assert.equal(await again.step("pay", () => assert.fail()), "receipt");
        await again.close();
      },
    },
  ],
};

export const saving: ExecutionGroup = {
  title: "a save",
  cases: [
    {
      title: "keeps everything that it was given, even values that JSON cannot represent",
      run: async ({ start }) => {
        const execution = await start("exec-123");
        const circle: { self?: unknown } = {};
        circle.self = circle;
        const given = {
          name: "data_processing",
          index: 2,
          state: { at: new Date(0), bytes: Buffer.from([0, 255]), none: undefined },
          context: new Map([["seen", new Set([1n, -0, Number.NaN])]]),
          variables: circle,
          metadata: "x".repeat(100_000),
        };
        const saved = await execution.save(given);
        await execution.close();
        const again = await start("exec-123");
        const found = await again.checkpoint("ckpt-exec-123-2");
        assert.deepStrictEqual(found, saved);
        const { state, context, variables, metadata } = given;
        assert.deepStrictEqual(
          [
            found?.id,
            found?.execution,
            found?.status,
            found?.state,
            found?.context,
            found?.variables,
            found?.metadata,
          ],
          ["ckpt-exec-123-2@1", "exec-123", "success", state, context, variables, metadata],
        );
        await again.close();
      },
    },
    {
      title: "after an open one with the same name ends that attempt; any other save is a new attempt",
      run: async ({ start }) => {
        const execution = await start();
        const save = async (status: "pending" | "success" | "failed", name = "a"): Promise<number> =>
          (await execution.save({ name, index: 0, status })).attempt;
        assert.deepEqual(
          [
            await save("pending"),
            await save("success"),
            await save("failed"),
            await save("pending"),
            await save("success", "b"),
          ],
          [1, 1, 2, 3, 4],
        );
        const found = (await execution.checkpoints()).map(({ attempt, status }) => `${attempt} ${status}`);
        assert.deepEqual(found, ["1 success", "2 failed", "3 pending", "4 success"]);
        await execution.close();
      },
    },
    {
      title: "accepts an error as a string or as an Error",
      run: async ({ start }) => {
        const execution = await start();
        const text = await execution.save({ name: "a", index: 0, status: "failed", error: "timed out" });
        const error = await execution.save({
          name: "b",
          index: 1,
          status: "failed",
          error: new TypeError("odd"),
        });
        assert.deepEqual([text.error, (error.error as Error).message], ["timed out", "odd"]);
        assert.ok(error.error instanceof TypeError);
        await execution.close();
      },
    },
    {
      title: "with an invalid index or a value that cannot be stored writes nothing",
      run: async ({ start }) => {
        const execution = await start();
        for (const index of [-1, 0.5, Number.NaN, 2 ** 60]) {
          await rejectsWith("INPUT_INVALID", execution.save({ name: "a", index }));
        }
        const state = { list: [Promise.resolve(1)] };
        const error = await rejectsWith("INPUT_INVALID", execution.save({ name: "a", index: 0, state }));
        assert.match(error.message, /^state\.list\[0\] is a promise/u);
        assert.deepEqual(await execution.checkpoints(), []);
        await execution.close();
      },
    },
  ],
};
