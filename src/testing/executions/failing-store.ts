import assert from "node:assert/strict";
import { isWorldlineError } from "../../record/error.ts";
import { rejectsWith } from "../log-store/rejects-with.ts";
import type { LogStoreSubject } from "../log-store/subject.ts";
import type { ExecutionGroup } from "./bench.ts";

async function fillUp({ fillUp: fill }: LogStoreSubject): Promise<() => unknown> {
  return typeof fill === "function" ? fill() : () => undefined;
}

export const failingStore: ExecutionGroup = {
  title: "a store that is full",
  cases: [
    {
      title: "lets no step begin that it cannot write down",
      needs: "fillUp",
      run: async ({ start, subject }) => {
        const execution = await start();
        const heal = await fillUp(subject);
        await assert.rejects(
          execution.step("a", () => assert.fail("It was run.")),
          (error) => isWorldlineError(error) && error.code.startsWith("STORE_"),
        );
        await heal();
        assert.equal(await execution.step("a", () => "ran", { index: 0 }), "ran");
        await execution.close();
      },
    },
    {
      title:
        "never has a step run twice because its result could not be written: neither in this run nor in the next",
      needs: "fillUp",
      run: async ({ start, subject }) => {
        const execution = await start();
        let heal: () => unknown = () => undefined;
        let runs = 0;
        const work = async (): Promise<number> => {
          runs += 1;
          if (runs === 1) heal = await fillUp(subject);
          return runs;
        };
        // As a program does that blindly tries again.
        for (let time = 0; time < 3; time += 1)
          await assert.rejects(execution.step("pay", work, { maxRetries: 3 }));
        await heal();
        const refused = await rejectsWith("STEP_UNFINISHED", execution.step("pay", work));
        assert.match(refused.hint ?? "", /index: 0/u);
        await execution.step("other", () => 1);
        assert.equal(await execution.step("pay", work, { index: 0 }), 1);
        assert.equal(runs, 1);
        await execution.close();
        const lost = await start("lost");
        runs = 0;
        await assert.rejects(lost.step("pay", work));
        await lost.close().catch(() => undefined);
        await heal();
        const next = await start("lost");
        await rejectsWith("STEP_UNFINISHED", next.step("pay", work));
        assert.equal(runs, 1);
        await next.close();
      },
    },
    {
      title: "has the step told as run when its result cannot be written, and takes it later",
      needs: "fillUp",
      run: async ({ start, subject }) => {
        const execution = await start();
        let heal: () => unknown = () => undefined;
        const runs: string[] = [];
        const work = async (): Promise<string> => {
          runs.push("run");
          heal = await fillUp(subject);
          return "result";
        };
        await assert.rejects(
          execution.step("a", work),
          /^WorldlineError: Step 0 "a" ran, and its result could not be written/u,
        );
        await assert.rejects(execution.step("b", () => assert.fail("It was run.")));
        await heal();
        assert.equal(await execution.step("a", work, { index: 0 }), "result");
        assert.deepEqual(runs, ["run"]);
        await execution.close();
      },
    },
  ],
};
