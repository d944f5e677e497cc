import assert from "node:assert/strict";
import type { PathOutcome } from "../../ports/workspace-files.ts";
import { rejectsWith } from "../log-store/subject.ts";
import { captureAll, type FilesGroup, goFrom, SESSION } from "./subject.ts";

const notRestored = (outcomes: readonly PathOutcome[]): readonly PathOutcome[] =>
  outcomes.filter(({ outcome }) => outcome !== "restored");

const nothing = async (): Promise<void> => undefined;

export const restoring: FilesGroup = {
  title: "restoring",
  cases: [
    {
      title: "goes back and forward, and restores every path exactly",
      run: async ({ files, write, mkdir, remove, there }) => {
        write("edited", "one");
        write("gone/deep", "one");
        write("kind", "a file");
        const first = await captureAll(files);
        const before = there();
        write("edited", "two");
        remove("gone");
        remove("kind");
        mkdir("kind/deep");
        write("new", "new");
        const second = await captureAll(files);
        const after = there();
        assert.deepEqual(notRestored(await goFrom(files, [second, first])), []);
        assert.deepEqual(there(), before);
        assert.equal(await captureAll(files), first);
        assert.deepEqual(notRestored(await goFrom(files, [first, second])), []);
        assert.deepEqual(there(), after);
        assert.equal(await captureAll(files), second);
      },
    },
    {
      title: "keeps a path that has changed in the meantime, reports it, and restores the others",
      run: async ({ files, write, there }) => {
        write("a", "one");
        write("b", "one");
        const first = await captureAll(files);
        write("a", "two");
        write("b", "two");
        const second = await captureAll(files);
        write("a", "someone else's");
        const outcomes = await goFrom(files, [second, first]);
        assert.deepEqual(
          outcomes.map(({ path, outcome }) => [path, outcome]),
          [
            ["a", "kept"],
            ["b", "restored"],
          ],
        );
        assert.ok((outcomes[0]?.why ?? "").length > 0);
        assert.deepEqual(there(), { a: "someone else's", b: "one" });
      },
    },
    {
      title: "calls commit before it changes anything, and does nothing if commit rejects",
      run: async ({ files, write, there }) => {
        write("a", "one");
        const first = await captureAll(files);
        write("a", "two");
        const second = await captureAll(files);
        const refusal = new Error("the log could not be written");
        const refused = goFrom(files, [second, first], async () => Promise.reject(refusal));
        await assert.rejects(refused, refusal);
        assert.deepEqual(there(), { a: "two" });
        assert.deepEqual(await files.unfinished(), []);
        let seen: unknown;
        await goFrom(files, [second, first], async () => {
          seen = there();
        });
        assert.deepEqual([seen, there()], [{ a: "two" }, { a: "one" }]);
      },
    },
    {
      title: "is unfinished until its end is recorded, and the files can be captured at that point",
      run: async ({ files, another, write, there }) => {
        write("a", "one");
        const first = await captureAll(files);
        write("a", "two");
        const left = await captureAll(files);
        const steps = await files.compare(left, first);
        const request = { session: SESSION, journey: { from: "e1", left }, steps, commit: nothing };
        const refusal = new Error("the log could not be written");
        await assert.rejects(
          files.restore({ ...request, finished: async () => Promise.reject(refusal) }),
          refusal,
        );
        assert.deepEqual(there(), { a: "one" });
        const next = another();
        const [unfinished] = await next.unfinished();
        assert.ok(unfinished !== undefined);
        const seen: unknown[] = [];
        await next.settle(unfinished, "forward", async (outcomes, capture) => {
          const { snapshot } = await capture({ look: steps.map(({ path }) => path) });
          seen.push(notRestored(outcomes), snapshot === first);
        });
        assert.deepEqual([seen, await next.unfinished()], [[[], true], []]);
      },
    },
    {
      title: "lists an interrupted restore, refuses other restores, and can finish the interrupted one",
      needs: "killRestoreAfter",
      run: async ({ files, another, write, there, killRestoreAfter }) => {
        write("a", "one");
        write("b", "one");
        const first = await captureAll(files);
        write("a", "two");
        write("b", "two");
        const second = await captureAll(files);
        if (typeof killRestoreAfter === "function") killRestoreAfter(1);
        await assert.rejects(goFrom(files, [second, first]));
        const next = another();
        const unfinished = await next.unfinished();
        assert.equal(unfinished.length, 1);
        await rejectsWith("RESTORE_UNFINISHED", goFrom(next, [second, first]));
        for (const each of unfinished) assert.deepEqual(notRestored(await next.settle(each, "forward")), []);
        assert.deepEqual(there(), { a: "one", b: "one" });
        assert.deepEqual(await next.unfinished(), []);
      },
    },
    {
      title: "writes nothing through a link that leads out of the workspace",
      needs: "link",
      run: async ({ files, write, remove, link, there }) => {
        write("d/a", "one");
        const first = await captureAll(files);
        write("d/a", "two");
        const second = await captureAll(files);
        remove("d");
        if (typeof link === "function") link("d", "../outside");
        const outcomes = await goFrom(files, [second, first]);
        assert.deepEqual(
          outcomes.map(({ path, outcome }) => [path, outcome]),
          [["d/a", "kept"]],
        );
        assert.deepEqual(there(), { d: "(link)" });
        const now = await captureAll(files);
        assert.deepEqual(notRestored(await goFrom(files, [now, first])), []);
        assert.deepEqual(there(), { "d/a": "one" });
      },
    },
  ],
};
