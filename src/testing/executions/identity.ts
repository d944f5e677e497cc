import assert from "node:assert/strict";
import { listExecutions } from "../../executions/list-executions.ts";
import { rejectsWith } from "../log-store/rejects-with.ts";
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
      title: "never sees the steps of another, however alike their names are",
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
      title: "is begun once by two that begin it together, and run by one at a time",
      run: async ({ start }) => {
        const both = await Promise.allSettled([start(), start()]);
        const running = both.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
        const refused = both.flatMap((each) => (each.status === "rejected" ? [each.reason as Error] : []));
        assert.equal(running.length, 1);
        assert.match(String(refused[0]?.message), /Execution exec-1 is run by another program/u);
        for (const each of running) await each.close();
        await (await start()).close();
      },
    },
    {
      title: "says that it was closed or deleted, and closes twice without harm",
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
      title: "is not closed or deleted under a step without that being said",
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
          /^Step 0 "long" ran, and its result could not be written: the execution was closed while the step ran\.$/u,
        );
        assert.match(error.hint ?? "", /unfinished in the next run/u);
        assert.doesNotMatch(error.hint ?? "", /kept in memory/u);
        const again = await start();
        await again.delete();
        await again.close();
      },
    },
    {
      title: "is listed with how it stands",
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
