import assert from "node:assert/strict";
import { isWorldlineError } from "../../record/error.ts";
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
