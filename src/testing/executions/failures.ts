import assert from "node:assert/strict";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { type LogStoreSubject, rejectsWith } from "../log-store/subject.ts";
import { type ExecutionGroup, held, leaveOpen } from "./bench.ts";

const never = (): never => assert.fail("The step must not run.");

class CardError extends RangeError {
  override readonly name = "CardError";
  readonly code = "E_DECLINED";
  readonly tried = new Map([["amount", 5n]]);
  /** A value that cannot be stored, and is therefore left out. */
  readonly retry = (): number => 1;
}

function declined(): CardError {
  return new CardError("The card was declined.", { cause: new TypeError("no funds") });
}

/** Returns the parts of a thrown value that can be stored, for comparison. */
function seen(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { retry: _retry, ...fields } = error as Error & { readonly retry?: unknown };
  const { name, message, stack, cause } = error;
  return { name, message, stack, fields, cause: seen(cause), isRange: error instanceof RangeError };
}

export const failures: ExecutionGroup = {
  title: "a failed step whose error the program caught",
  cases: [
    {
      title:
        "does not run again after a restart: the same error is thrown, and the program takes the same path",
      run: async ({ start }) => {
        const charged: string[] = [];
        const caught: unknown[] = [];
        const program = async (): Promise<string> => {
          const execution = await start();
          const charge = async (card: string): Promise<string> =>
            execution.step(`charge ${card}`, () => {
              charged.push(card);
              if (card === "A") throw declined();
              return card;
            });
          try {
            return await charge("A");
          } catch (error) {
            caught.push(seen(error));
            return await charge("B");
          } finally {
            await execution.close();
          }
        };
        assert.deepEqual([await program(), await program(), await program()], ["B", "B", "B"]);
        assert.deepEqual(charged, ["A", "B"]);
        assert.deepStrictEqual([caught[1], caught[2]], [caught[0], caught[0]]);
      },
    },
    {
      title: "throws the same value again, whatever it was",
      run: async ({ start }) => {
        const thrown: readonly unknown[] = [
          undefined,
          "a text",
          { code: 3, list: [new Date(0)] },
          new WorldlineError("write-no-room", { stored: { what: "snapshots" }, errno: "ENOSPC" }),
          new DOMException("stopped", "AbortError"),
          new AggregateError([new Error("one")], "several"),
        ];
        const program = async (): Promise<unknown[]> => {
          const execution = await start();
          const caught: unknown[] = [];
          for (const each of thrown) {
            const step = execution.step("odd", () => {
              throw each;
            });
            caught.push(
              await step.then(
                () => assert.fail("It succeeded."),
                (error: unknown) => error,
              ),
            );
          }
          await execution.step("last", () => 1);
          await execution.close();
          return caught;
        };
        const [first, second] = [await program(), await program()];
        assert.deepStrictEqual(first, thrown);
        assert.deepEqual(second.map(seen), thrown.map(seen));
        assert.ok(isWorldlineError(second[3], "STORE_FULL"));
        assert.equal((second[3] as WorldlineError).hint, (thrown[3] as WorldlineError).hint);
        assert.ok(second[4] instanceof DOMException && second[4].code === DOMException.ABORT_ERR);
        assert.deepEqual((second[5] as AggregateError).errors.map(seen), [
          seen((thrown[5] as AggregateError).errors[0]),
        ]);
      },
    },
    {
      title: "runs again if no later step began, as after a crash",
      run: async ({ start }) => {
        const first = await start();
        await first.step("a", () => 1);
        await assert.rejects(first.step("b", () => Promise.reject(new Error("no")), { maxRetries: 1 }));
        await first.close();
        const again = await start();
        await again.step("a", never);
        assert.equal(await again.step("b", ({ attempt }) => attempt), 3);
        await again.close();
      },
    },
    {
      title: "counts as caught once a later step has begun, even one that did not finish",
      run: async ({ start }) => {
        const first = await start();
        await assert.rejects(first.step("a", () => Promise.reject(new Error("no"))));
        await leaveOpen(first, "b");
        const again = await start();
        await assert.rejects(again.step("a", never), { message: "no" });
        await rejectsWith("STEP_UNFINISHED", again.step("b", never));
        await again.close();
      },
    },
    {
      title: "runs again if other steps ran at the same time, unless the program continued after all of them",
      run: async ({ start }) => {
        const together = async (id: string): Promise<void> => {
          const execution = await start(id);
          const slow = held<string>();
          const all = [
            execution.step("bad", async () => Promise.reject(new Error("no"))),
            execution.step("slow", async () => slow.promise),
          ];
          await all[0]?.catch(() => undefined);
          slow.end("slow");
          await Promise.allSettled(all);
          if (id === "went on") await execution.step("after", () => 1);
          await execution.close();
        };
        await together("all");
        await together("went on");
        const crashed = await start("all");
        const both = [crashed.step("bad", ({ attempt }) => attempt), crashed.step("slow", never)];
        assert.deepEqual(await Promise.all<unknown>(both), [2, "slow"]);
        await crashed.close();
        const wentOn = await start("went on");
        const settled = await Promise.allSettled([wentOn.step("bad", never), wentOn.step("slow", never)]);
        assert.deepEqual(
          settled.map(({ status }) => status),
          ["rejected", "fulfilled"],
        );
        await wentOn.close();
      },
    },
    {
      title: "runs again or throws again, as onFailed says",
      run: async ({ start }) => {
        const first = await start();
        await assert.rejects(first.step("a", () => Promise.reject(new Error("no"))));
        await first.step("b", () => 1);
        await assert.rejects(first.step("c", () => Promise.reject(new Error("never"))));
        await first.close();
        const again = await start();
        await assert.rejects(again.step("a", never), { message: "no" });
        assert.equal(await again.step("a", ({ attempt }) => attempt, { index: 0, onFailed: "retry" }), 2);
        await again.step("b", never);
        await assert.rejects(again.step("c", never, { onFailed: "rethrow" }), { message: "never" });
        await rejectsWith("INPUT_INVALID", again.step("d", never, { onFailed: "again" as "retry" }));
        await again.close();
      },
    },
    {
      title: "runs again after a rollback to an earlier checkpoint, or in a retry",
      run: async ({ start }) => {
        const first = await start();
        await first.step("a", () => 1);
        await assert.rejects(first.step("b", () => Promise.reject(new Error("no"))));
        await first.step("c", () => 1);
        await first.close();
        const rolled = await start();
        assert.equal((await rolled.rollbackTo("ckpt-exec-1-1")).success, true);
        assert.equal(await rolled.step("b", ({ attempt }) => attempt, { index: 1 }), 2);
        await rolled.close();
        const retried = await start();
        assert.deepEqual(await retried.retryFrom(1, { run: ({ attempt }) => attempt }), {
          success: true,
          output: 3,
        });
        await retried.close();
      },
    },
    {
      title: "throws the same error again if the caller had given it up",
      run: async ({ start }) => {
        await leaveOpen(await start(), "pay");
        const second = await start();
        const given = await rejectsWith("STEP_UNFINISHED", second.step("pay", never, { unfinished: "fail" }));
        await second.step("mail", () => 1);
        await second.save({ name: "by hand", index: 2, status: "failed" });
        await second.step("end", () => 1, { index: 3 });
        await second.close();
        const third = await start();
        const again = await rejectsWith("STEP_UNFINISHED", third.step("pay", never));
        assert.deepEqual([again.message, again.hint], [given.message, given.hint]);
        await third.step("mail", never);
        const byHand = await rejectsWith("STEP_FAILED", third.step("by hand", never));
        assert.match(byHand.message, /^Step 2 "by hand" failed/u);
        await third.close();
      },
    },
  ],
};

async function fillUp({ fillUp: fill }: LogStoreSubject): Promise<() => unknown> {
  return typeof fill === "function" ? fill() : () => undefined;
}

export const failingStore: ExecutionGroup = {
  title: "a full store",
  cases: [
    {
      title: "does not let a step begin if its start cannot be written",
      needs: "fillUp",
      run: async ({ start, subject }) => {
        const execution = await start();
        const heal = await fillUp(subject);
        await assert.rejects(
          execution.step("a", () => assert.fail("The step must not run.")),
          (error) => isWorldlineError(error) && error.code.startsWith("STORE_"),
        );
        await heal();
        assert.equal(await execution.step("a", () => "ran", { index: 0 }), "ran");
        await execution.close();
      },
    },
    {
      title:
        "never lets a step run twice because its result could not be written, neither in this run nor in the next",
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
        // Calls the step as a program that retries blindly would.
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
      title: "reports that a step ran if its result cannot be written, and accepts the result later",
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
          /^WorldlineError: Step 0 "a" ran, but its result could not be written/u,
        );
        await assert.rejects(execution.step("b", () => assert.fail("The step must not run.")));
        await heal();
        assert.equal(await execution.step("a", work, { index: 0 }), "result");
        assert.deepEqual(runs, ["run"]);
        await execution.close();
      },
    },
  ],
};
