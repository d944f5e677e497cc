import assert from "node:assert/strict";
import { rejectsWith } from "../log-store/rejects-with.ts";
import type { ExecutionGroup } from "./bench.ts";

export const saving: ExecutionGroup = {
  title: "a save",
  cases: [
    {
      title: "keeps everything that it was given, also what JSON cannot hold",
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
      title: "behind an open one of the same name ends that attempt; any other is one more",
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
      title: "takes an error as a text or as an error",
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
      title: "with a place that is none, or a value that cannot be kept, writes nothing",
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
